// The face of the simulator. It draws what /api/state says one person sees and
// sends what that person does. All text is set as text, never as HTML.
"use strict";

const $ = (id) => document.getElementById(id);
const at = { user: sessionStorage.user || "U_ANN", channel: sessionStorage.channel || "", thread: "" };
const seen = {}; // messages that were on screen, by user and channel
let drawn = {}; // what each part shows, so that nothing is redrawn under a reader's hands

function el(tag, props, ...children) {
  const e = document.createElement(tag);
  for (const [k, v] of Object.entries(props || {})) {
    if (k === "class") e.className = v;
    else if (k.startsWith("on")) e.addEventListener(k.slice(2), v);
    else if (k.startsWith("aria-") || k === "for") e.setAttribute(k, v);
    else if (v !== undefined) e[k] = v;
  }
  e.append(...children.filter((c) => c !== null && c !== undefined));
  return e;
}

async function post(name, body) {
  const r = await fetch("api/" + name, {
    method: "POST", headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ user: at.user, channel: at.channel, ...body }),
  });
  return r.ok ? r.json() : { error: await r.text() };
}

function complain(text) { $("error").textContent = text || ""; }

async function act(name, body) {
  const { error } = await post(name, body);
  complain(error);
  return !error;
}

function differs(part, value) {
  const now = JSON.stringify(value);
  if (drawn[part] === now) return false;
  drawn[part] = now;
  return true;
}

let loading = null, again = false;
async function load() {
  if (loading) { again = true; return; }
  loading = (async () => {
    do {
      again = false;
      const q = new URLSearchParams(at);
      const r = await fetch("api/state?" + q);
      if (r.ok) draw(await r.json());
    } while (again);
  })();
  try { await loading; } finally { loading = null; }
}

function draw(s) {
  if (!at.channel && s.channels.length) { at.channel = s.channels[0].id; again = true; return; }
  if (s.channels.length && !s.channels.some((c) => c.id === at.channel)) { at.channel = s.channels[0].id; at.thread = ""; again = true; return; }
  document.title = s.title;
  $("title").textContent = s.title;
  if (differs("users", [s.users, at.user])) {
    $("user").replaceChildren(...s.users.map((u) => el("option", { value: u.id, selected: u.id === at.user }, u.name)));
  }
  drawChannels(s.channels);
  const here = s.channels.find((c) => c.id === at.channel);
  $("where").textContent = here ? title(here) : "";
  if (differs("messages", [at, s.messages])) drawMessages($("messages"), s.messages || [], true);
  $("side").hidden = !s.thread;
  if (differs("thread", [at, s.thread])) drawMessages($("thread"), s.thread || [], false);
  if (differs("examples", s.examples)) {
    $("examples").replaceChildren(...(s.examples || []).map((x) =>
      el("button", { type: "button", title: x.about, onclick: () => { $("text").value = x.text; $("text").focus(); } }, x.text)));
  }
  drawModal(s.modal);
}

function title(c) { return (c.direct ? "" : "#") + c.name + (c.archived ? " (archived)" : ""); }

function drawChannels(channels) {
  for (const c of channels) {
    const key = at.user + c.id;
    if (c.id === at.channel || !(key in seen)) seen[key] = c.count;
  }
  if (!differs("channels", [channels, at, seen])) return;
  $("channels").replaceChildren(...channels.map((c) => {
    const unread = c.count > seen[at.user + c.id];
    const b = el("button", { type: "button", class: unread ? "unread" : "", onclick: () => go({ channel: c.id, thread: "" }) },
      title(c) + (unread ? " •" : ""));
    if (c.id === at.channel) b.setAttribute("aria-current", "page");
    return el("li", {}, b);
  }));
}

function go(to) {
  Object.assign(at, to);
  sessionStorage.user = at.user;
  sessionStorage.channel = at.channel;
  complain("");
  load();
}

function drawMessages(box, messages, top) {
  const atEnd = box.scrollHeight - box.scrollTop - box.clientHeight < 80;
  box.replaceChildren(...messages.map((m) => message(m, top)));
  if (!messages.length && top) box.append(el("p", { class: "hint" }, "Nothing here yet. Pick one of the commands below, or type your own."));
  if (atEnd) box.scrollTop = box.scrollHeight;
}

function message(m, top) {
  return el("div", { class: "message" + (m.ephemeral ? " ephemeral" : "") + (m.pings ? " pings" : "") },
    m.ephemeral ? el("div", { class: "only" }, "Only visible to you") : null,
    el("div", {}, el("span", { class: "who" }, m.author || "slackbridge"), el("span", { class: "when" }, m.time)),
    el("div", { class: "text" }, m.text),
    buttons(m.buttons, (label) => act("press", { channel: m.channel, ts: m.ts, label })),
    top && m.replies ? el("button", { type: "button", class: "replies", onclick: () => go({ thread: m.ts }) },
      m.replies === 1 ? "1 reply" : m.replies + " replies") : null);
}

function buttons(list, press) {
  if (!list || !list.length) return null;
  return el("div", { class: "buttons" }, ...list.map((b) => el("button", {
    type: "button", class: b.style,
    onclick: async () => { if (!b.confirm || await confirmed(b.confirm)) press(b.label); },
  }, b.label)));
}

function confirmed(c) {
  const d = $("confirm");
  return new Promise((done) => {
    const end = (yes) => { d.close(); done(yes); };
    d.oncancel = () => done(false);
    d.replaceChildren(el("h2", {}, c.title), el("div", { class: "body" }, c.text),
      el("footer", {}, el("button", { type: "button", onclick: () => end(false) }, c.deny),
        el("button", { type: "button", class: "primary", onclick: () => end(true) }, c.confirm)));
    d.showModal();
  });
}

// --- modals

let formErrors = {}; // what this page's own client refused, by label

function drawModal(m) {
  const d = $("modal");
  if (!m) {
    if (d.open) d.close();
    delete drawn.modal;
    formErrors = {};
    return;
  }
  // What is in the fields is not compared: it is what this page has sent.
  const shape = { ...m, fields: (m.fields || []).map((f) => ({ ...f, value: 0, chosen: 0, options: f.kind.includes("external") ? 0 : f.options })) };
  if (!differs("modal", [shape, formErrors])) return;
  const typed = d.open ? d.querySelector(":focus")?.id : "";
  d.replaceChildren(
    el("h2", { id: "modal-title" }, m.title),
    ...(m.banner ? [el("div", { class: "banner", role: "alert" }, m.banner)] : []),
    el("div", { class: "body" }, m.text),
    el("form", { id: "form", noValidate: true, onsubmit: submit }, ...(m.fields || []).map(field),
      buttons(m.buttons, (label) => act("press-in-modal", { label }))),
    el("footer", {},
      el("button", { type: "button", onclick: () => act("close", {}) }, m.close),
      m.submit ? el("button", { class: "primary", type: "submit", ...{} }, m.submit) : null));
  const ok = d.querySelector("footer button[type=submit]");
  if (ok) ok.setAttribute("form", "form");
  if (!d.open) d.showModal();
  if (typed) $(typed)?.focus();
}

async function submit(event) {
  event.preventDefault();
  document.activeElement?.blur(); // lets the field in hand send its value
  await Promise.all(sending);
  if (Object.keys(formErrors).length) return;
  await post("submit", {});
  load();
}

let sending = [];
function fill(label, values) {
  const job = post(values.length ? "fill" : "clear", { label, values }).then(({ error }) => {
    if (error) formErrors[label] = error; else delete formErrors[label];
  });
  sending.push(job);
  job.finally(() => { sending = sending.filter((j) => j !== job); load(); });
  return job;
}

let ids = 0;
function field(f) {
  const id = "field-" + f.label.replace(/\W/g, "-") + "-" + ids++;
  const multi = f.kind.startsWith("multi_") || f.kind === "checkboxes";
  const name = f.label + (f.optional ? " (optional)" : "");
  const error = formErrors[f.label] || f.error;
  const foot = [
    f.hint ? el("span", { class: "hint" }, f.hint) : null,
    el("p", { class: "error", role: error ? "alert" : undefined }, error || ""),
  ];
  if (f.kind === "radio_buttons" || f.kind === "checkboxes" || f.kind === "multi_static_select") {
    return el("fieldset", {}, el("legend", {}, name), ...(f.options || []).map((o) => {
      const input = el("input", {
        type: multi ? "checkbox" : "radio", name: id, value: o, checked: (f.chosen || []).includes(o),
        onchange: (e) => {
          const box = e.target.closest("fieldset");
          fill(f.label, [...box.querySelectorAll("input:checked")].map((i) => i.value));
        },
      });
      return el("label", { class: "choice" }, input, " ", o);
    }), ...foot);
  }
  return el("fieldset", {}, el("label", { for: id }, name), ...control(f, id, multi), ...foot);
}

function control(f, id, multi) {
  const text = (type) => el("input", {
    id, type, value: f.value, placeholder: f.placeholder || "", autocomplete: "off",
    onchange: (e) => fill(f.label, e.target.value === "" && !/_input$/.test(f.kind) ? [] : [e.target.value.replace("T", f.kind === "datetimepicker" ? " " : "T")]),
  });
  switch (f.kind) {
    case "static_select": {
      const none = f.chosen && f.chosen.length ? [] : [el("option", { value: "", selected: true, disabled: true }, f.placeholder || "Choose an option")];
      return [el("select", { id, onchange: (e) => fill(f.label, [e.target.value]) }, ...none,
        ...(f.options || []).map((o) => el("option", { value: o, selected: (f.chosen || []).includes(o) }, o)))];
    }
    case "external_select":
    case "multi_external_select":
      return search(f, id, multi);
    case "datepicker": return [text("date")];
    case "timepicker": return [text("time")];
    case "datetimepicker": { const t = text("datetime-local"); t.value = f.value.replace(" ", "T"); return [t]; }
    case "number_input": return [text("text")];
    case "email_text_input": return [text("email")];
    case "url_text_input": return [text("url")];
  }
  if (f.multiline || f.kind === "rich_text_input") {
    return [el("textarea", { id, rows: 4, value: f.value, placeholder: f.placeholder || "", onchange: (e) => fill(f.label, [e.target.value]) })];
  }
  return [text("text")];
}

// search is a menu that gets its options from the app while one types.
function search(f, id, multi) {
  let chosen = [...(f.chosen || [])];
  const list = el("div", { role: "listbox" });
  const now = el("div", { class: "hint" });
  const say = () => { now.textContent = chosen.length ? "Chosen: " + chosen.join(", ") : "Nothing chosen yet"; };
  const find = async (text) => {
    const { result, error } = await post("search", { label: f.label, text });
    list.replaceChildren(...(error ? [error] : (result || []).map((o) => el("button", {
      type: "button", role: "option",
      onclick: async () => {
        chosen = multi ? (chosen.includes(o) ? chosen.filter((c) => c !== o) : [...chosen, o]) : [o];
        await fill(f.label, chosen);
        say();
        if (!multi) list.replaceChildren();
      },
    }, o))));
    if (!error && !(result || []).length) list.textContent = "No results";
  };
  say();
  return [el("input", { id, type: "search", placeholder: f.placeholder || "Type to search", autocomplete: "off", oninput: (e) => find(e.target.value), onfocus: (e) => find(e.target.value) }), list, now];
}

// --- wiring

$("user").addEventListener("change", (e) => { drawn = {}; if ($("modal").open) $("modal").close(); go({ user: e.target.value, thread: "" }); });
$("leave").addEventListener("click", () => go({ thread: "" }));
$("modal").addEventListener("cancel", (e) => { e.preventDefault(); act("close", {}); }); // Esc
$("composer").addEventListener("submit", async (e) => {
  e.preventDefault();
  const text = $("text").value.trim();
  if (!text) return;
  $("text").value = "";
  if (!await act("type", { text })) $("text").value = text;
});
new EventSource("api/events").onmessage = load;
load();
