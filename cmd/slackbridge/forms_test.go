package main

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/slackbridge/slackbridge/internal/demo"
	"github.com/slackbridge/slackbridge/internal/slacksim"
)

// turns hands a page in and waits for the one whose text holds want.
func (h human) turns(want string) slacksim.Modal {
	h.w.t.Helper()
	h.submits()
	return h.seesPage(want)
}

func (h human) seesPage(want string) slacksim.Modal {
	h.w.t.Helper()
	var page slacksim.Modal
	h.w.wait(h.id+" sees the page "+want, func() bool {
		m, ok := h.p.Modal()
		page = m
		return ok && strings.Contains(m.Text, want)
	})
	return page
}

func (h human) goesBack() {
	h.w.t.Helper()
	if err := h.p.PressInModal(h.w.t.Context(), "Back"); err != nil {
		h.w.t.Fatalf("%s goes back: %v\n%s", h.id, err, h.w.situation())
	}
}

func value(m slacksim.Modal, label string) string {
	for _, f := range m.Fields {
		if f.Label == label {
			return f.Value
		}
	}
	return "no such field"
}

func TestForm_OfSeveralPagesIsDecidedOnce(t *testing.T) {
	bothTransports(t, worldOptions{policy: "defaults: {deadlines: {form: 5m}}\n"}, func(t *testing.T, w *world) {
		w.replica()
		if w.cfg.AppToken != "" {
			w.replica() // pages are handed to any of them
		}
		ann := w.human("U_ANN")
		ann.types("/mcp deploy.review_hosts")
		first := ann.seesPage("Page 1 of")
		ann.fills("host-000.example.com", "Yes")
		second := ann.turns("Page 2 of")
		if slices.Equal(labels(first), labels(second)) {
			t.Fatal("both pages ask the same")
		}
		onSecond := labels(second)[0]
		ann.fills(onSecond, "No")
		ann.goesBack()
		if got := value(ann.seesPage("Page 1 of"), "host-000.example.com"); got != "Yes" {
			t.Errorf("back on page 1 the answer is %q", got)
		}
		ann.fills("host-001.example.com", "No")
		if got := value(ann.turns("Page 2 of"), onSecond); got != "No" {
			t.Errorf("on page 2 again the answer is %q", got)
		}
		for {
			page, ok := ann.p.Modal()
			if !ok || page.Submit == "Submit" {
				break
			}
			n, pages := 0, 0
			if _, err := fmt.Sscanf(page.Text[strings.Index(page.Text, "Page "):], "Page %d of %d.", &n, &pages); err != nil {
				t.Fatalf("%q: %v", page.Text, err)
			}
			ann.turns(fmt.Sprintf("Page %d of %d.", n+1, pages))
		}
		ann.fills("host-119.example.com", "Yes")
		ann.submits()
		w.wantReceived(fmt.Sprintf(`{"action":"accept","content":{"host_000":true,"host_001":false,%q:false,"host_119":true}}`,
			strings.NewReplacer("-", "_", ".example.com", "").Replace(onSecond)))
		ann.hasNoForm()
		ann.sees("Noted 4 answers.")
	})
}

func TestForm_LongMessageIsReadPageByPage(t *testing.T) {
	w := newWorld(t, worldOptions{})
	w.replica()
	ann := w.human("U_ANN")
	message := strings.Repeat("All of this has to be read before it is agreed to. ", 1000) + "THE END"
	ann.types("/mcp deploy.ask message='" + message + `' schema='{"type":"object","properties":{}}'`)
	q := ann.seesQuestion("the whole of it is in the form")
	for _, b := range q.Buttons {
		if b.Label == "Accept" {
			t.Error("it can be accepted without the form")
		}
	}
	page := ann.seesPage("it goes on")
	for page.Submit == "Next" {
		ann.submits()
		before := page.Text
		w.wait("the next page", func() bool {
			page, _ = ann.p.Modal()
			return page.Text != before && !strings.Contains(page.Text, "Loading")
		})
	}
	if !strings.Contains(page.Text, "THE END") {
		t.Errorf("the last page ends with %q", page.Text[max(0, len(page.Text)-100):])
	}
	ann.submits()
	w.wantReceived(`{"action":"accept","content":{}}`)
}

func TestForm_SpeaksTheLanguageOfWhoeverReadsIt(t *testing.T) {
	w := newWorld(t, worldOptions{})
	w.replica()
	cara := w.human("U_CARA") // her Slack is Chinese
	cara.types("/mcp deploy.report_incident")
	form := cara.form()
	if form.Submit != "提交" || !slices.ContainsFunc(form.Buttons, func(b slacksim.Button) bool { return b.Label == "拒绝" }) {
		t.Errorf("the form has %q and %+v", form.Submit, form.Buttons)
	}
	cara.fills("Title", "Payments are down")
	cara.fills("Severity", "Minor")
	cara.fills("Started at", "2026-12-01 09:30")
	cara.fills("Ticket", "4711")
	cara.submits()
	w.wait("an error at Ticket", func() bool {
		m, _ := cara.p.Modal()
		return slices.ContainsFunc(m.Fields, func(f slacksim.Field) bool { return f.Error == "请输入符合 ^INC-[0-9]+$ 的文字" })
	})
	cara.fills("Ticket", "INC-4711")
	cara.submits()
	cara.sees("Filed the incident")
}

// TestForm_FieldsStandInWireOrder covers what a server puts on the wire in each
// era: the order of the form is the order of the bytes.
func TestForm_FieldsStandInWireOrder(t *testing.T) {
	order := []string{"zulu", "alpha", "mike", "10", "2", "__proto__", "Bravo"}
	props := make([]string, len(order))
	for i, name := range order {
		props[i] = fmt.Sprintf(`%q:{"type":"string"}`, name)
	}
	command := `/mcp deploy.ask message=Order? schema='{"type":"object","properties":{` + strings.Join(props, ",") + `}}'`
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	http := func(t *testing.T) string {
		srv := httptest.NewServer(demo.Handler(demo.ServerOptions{}))
		t.Cleanup(srv.Close)
		return srv.URL
	}
	for name, server := range map[string]func(t *testing.T) map[string]any{
		"2025-06-18 stdio": func(*testing.T) map[string]any {
			return map[string]any{"command": self, "args": []string{demoServerCommandName}, "protocol": "2025-06-18"}
		},
		"2025-11-25 http": func(t *testing.T) map[string]any {
			return map[string]any{"type": "http", "url": http(t), "protocol": "2025-11-25"}
		},
		"2026-07-28 stdio": func(*testing.T) map[string]any {
			return map[string]any{"command": self, "args": []string{demoServerCommandName}}
		},
		"2026-07-28 http": func(t *testing.T) map[string]any { return map[string]any{"type": "http", "url": http(t)} },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, worldOptions{embedded: true, servers: serversFile(t, map[string]any{"deploy": server(t)})})
			w.replica()
			ann := w.human("U_ANN")
			ann.types(command)
			form := ann.form()
			if got := labels(form); !slices.Equal(got, order) {
				t.Errorf("the form asks %q, want %q", got, order)
			}
			for _, label := range order {
				ann.fills(label, "x")
			}
			ann.submits()
			ann.sees("Got {")
		})
	}
}

func TestArguments_MissingOnesAreAskedFor(t *testing.T) {
	bothTransports(t, worldOptions{}, func(t *testing.T, w *world) {
		w.replica()
		ann := w.human("U_ANN")
		ann.types("/mcp deploy.deploy_service service=payments")
		form := ann.form()
		if form.Submit != "Run" || value(form, "service") != "payments" {
			t.Fatalf("the form: %+v", form)
		}
		ann.fills("version", "2.3.1")
		ann.submits()
		q := ann.seesQuestion("Deploy payments 2.3.1?")
		w.wait("the question's own form opens", func() bool { m, ok := ann.p.Modal(); return ok && m.Submit == "Submit" })
		ann.fills("Cluster", "staging")
		ann.fills("Maintenance window", "now")
		ann.fills("Confirm", "Yes")
		ann.submits()
		w.wantReceived(`{"action":"accept","content":{"cluster":"staging","window":"now","confirm":true}}`)
		ann.becomes(q, "Accepted by")
	})
}

func TestArguments_FormIsPutDownWithoutATrace(t *testing.T) {
	w := newWorld(t, worldOptions{})
	w.replica()
	ann := w.human("U_ANN")
	ann.types("/mcp deploy.deploy_service")
	ann.form()
	if err := ann.p.CloseModal(t.Context()); err != nil {
		t.Fatal(err)
	}
	ann.types("/mcp deploy.status")
	ann.sees("deploy.status")
	for _, m := range ann.all() {
		if strings.Contains(m.Text, "deploy_service") {
			t.Errorf("a form that was put down left %q", m.Text)
		}
	}
}

// TestPrivacy_DraftsAreSealed looks for what stands on the pages of a form
// while it is being filled in.
func TestPrivacy_DraftsAreSealed(t *testing.T) {
	w := newWorld(t, worldOptions{policy: "defaults: {deadlines: {form: 5m}}\n"})
	w.replica()
	ann := w.human("U_ANN")
	props := []string{`"secret":{"type":"string","title":"First"}`}
	for i := range 100 {
		props = append(props, fmt.Sprintf(`"f%d":{"type":"string"}`, i))
	}
	schema, err := json.Marshal(json.RawMessage(`{"type":"object","properties":{` + strings.Join(props, ",") + `}}`))
	if err != nil {
		t.Fatal(err)
	}
	ann.types("/mcp deploy.ask message=? schema='" + string(schema) + "'")
	ann.seesPage("Page 1 of")
	const canary = "canary-4f1c"
	ann.fills("First", canary)
	ann.turns("Page 2 of")
	if dump := w.redis.Dump(t); strings.Contains(dump, canary) {
		t.Error("Redis holds what was typed in plain text")
	}
	if strings.Contains(w.logs.String(), canary) {
		t.Error("the log holds what was typed")
	}
}
