package slacksim_test

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"github.com/slackbridge/slackbridge/internal/slacksim"
)

type object = map[string]any

// deadline bounds every wait of these tests; none depends on it when it passes.
const deadline = 20 * time.Second

func testContext(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), deadline)
	t.Cleanup(cancel)
	return ctx
}

// clock is a clock that stands still until it is moved.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func newClock() *clock { return &clock{now: time.Date(2026, 12, 1, 14, 30, 0, 0, time.UTC)} }

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

func start(t *testing.T, o slacksim.Options) *slacksim.Sim {
	t.Helper()
	s, err := slacksim.Start(o)
	if err != nil {
		t.Fatalf("Start: %v", err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return s
}

// quiet is a workspace without the message limit, for tests of other things.
func quiet(t *testing.T) *slacksim.Sim {
	t.Helper()
	return start(t, slacksim.Options{MessageInterval: -1})
}

// app is the smallest app: raw HTTP out, one websocket in.
type app struct {
	t   *testing.T
	sim *slacksim.Sim

	mu     sync.Mutex
	answer func(envelope object) (ack any, send bool)
	got    []object
	conns  []*websocket.Conn
}

func newApp(t *testing.T, s *slacksim.Sim) *app {
	return &app{t: t, sim: s, answer: func(object) (any, bool) { return nil, true }}
}

// connected returns an app with one open socket that acknowledges everything.
func connected(t *testing.T, s *slacksim.Sim) *app {
	t.Helper()
	a := newApp(t, s)
	a.connect()
	return a
}

// connect opens one more socket and waits until deliveries may go to it.
func (a *app) connect() *websocket.Conn {
	a.t.Helper()
	before := a.sim.Sockets()
	conn := a.dial()
	if hello := readFrame(a.t, conn); hello["type"] != "hello" {
		a.t.Fatalf("the first frame was %v, want hello", hello)
	}
	go a.serve(conn)
	if err := a.sim.Wait(testContext(a.t), func() bool { return a.sim.Sockets() > before }); err != nil {
		a.t.Fatal(err)
	}
	return conn
}

// dial opens a socket without reading from it.
func (a *app) dial() *websocket.Conn {
	a.t.Helper()
	r := a.callAs(a.sim.AppToken(), "apps.connections.open", object{})
	url, _ := r["url"].(string)
	conn, res, err := websocket.DefaultDialer.DialContext(testContext(a.t), url, nil)
	if err != nil {
		a.t.Fatalf("dialing %q: %v", url, err)
	}
	_ = res.Body.Close()
	a.t.Cleanup(func() { _ = conn.Close() })
	a.mu.Lock()
	defer a.mu.Unlock()
	a.conns = append(a.conns, conn)
	return conn
}

func readFrame(t *testing.T, conn *websocket.Conn) object {
	t.Helper()
	if err := conn.SetReadDeadline(time.Now().Add(deadline)); err != nil {
		t.Fatal(err)
	}
	var o object
	if err := conn.ReadJSON(&o); err != nil {
		t.Fatalf("reading from the socket: %v", err)
	}
	if err := conn.SetReadDeadline(time.Time{}); err != nil {
		t.Fatal(err)
	}
	return o
}

func (a *app) serve(conn *websocket.Conn) {
	var write sync.Mutex
	for {
		var env object
		if conn.ReadJSON(&env) != nil {
			return
		}
		go func() {
			if env["envelope_id"] == nil {
				return // a disconnect
			}
			a.mu.Lock()
			a.got = append(a.got, env)
			answer := a.answer
			a.mu.Unlock()
			ack, send := answer(env)
			if !send {
				return
			}
			out := object{"envelope_id": env["envelope_id"]}
			if ack != nil {
				out["payload"] = ack
			}
			write.Lock()
			defer write.Unlock()
			_ = conn.WriteJSON(out) // the other side may be gone already
		}()
	}
}

// on answers every envelope with f from now on.
func (a *app) on(f func(envelope object) (ack any, send bool)) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.answer = f
}

// acks answers payloads of one type with ack, and others with nothing.
func (a *app) acks(typ string, ack any) {
	a.on(func(env object) (any, bool) {
		if payload(env)["type"] == typ || env["type"] == typ {
			return ack, true
		}
		return nil, true
	})
}

func (a *app) envelopes() []object {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.got)
}

// payloads returns the received payloads of one type.
func (a *app) payloads(typ string) []object {
	var out []object
	for _, env := range a.envelopes() {
		if p := payload(env); p["type"] == typ || env["type"] == typ {
			out = append(out, p)
		}
	}
	return out
}

// last returns the newest payload of that type.
func (a *app) last(typ string) object {
	a.t.Helper()
	all := a.payloads(typ)
	if len(all) == 0 {
		a.t.Fatalf("no %s was delivered; got %v", typ, a.envelopes())
	}
	return all[len(all)-1]
}

func payload(env object) object { p, _ := env["payload"].(object); return p }

// call calls a Web API method with the bot's token and a JSON body.
func (a *app) call(method string, args object) object {
	a.t.Helper()
	return a.callAs(a.sim.BotToken(), method, args)
}

func (a *app) callAs(token, method string, args object) object {
	a.t.Helper()
	res, err := a.post(token, method, args)
	if err != nil {
		a.t.Fatalf("%s: %v", method, err)
	}
	defer func() { _ = res.Body.Close() }()
	var o object
	if err := json.NewDecoder(res.Body).Decode(&o); err != nil {
		a.t.Fatalf("%s answered no JSON: %v", method, err)
	}
	return o
}

func (a *app) post(token, method string, args object) (*http.Response, error) {
	raw, err := json.Marshal(args)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(testContext(a.t), http.MethodPost, a.sim.APIURL()+method, bytes.NewReader(raw))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json; charset=utf-8")
	req.Header.Set("Authorization", "Bearer "+token)
	return http.DefaultClient.Do(req)
}

// must calls a method that has to succeed.
func (a *app) must(method string, args object) object {
	a.t.Helper()
	r := a.call(method, args)
	if r["ok"] != true {
		a.t.Fatalf("%s(%v) = %v, want ok", method, args, r)
	}
	return r
}

// refused calls a method that has to fail with that code.
func (a *app) refused(code, method string, args object) object {
	a.t.Helper()
	r := a.call(method, args)
	if r["ok"] != false || r["error"] != code {
		a.t.Errorf("%s(%v) = %v, want the error %s", method, args, r, code)
	}
	return r
}

// postText posts a message to #deploys and returns its ts.
func (a *app) postText(args object) string {
	a.t.Helper()
	full := object{"channel": "C_DEPLOYS", "text": "t"}
	for name, v := range args {
		full[name] = v
	}
	ts, _ := a.must("chat.postMessage", full)["ts"].(string)
	return ts
}

// trigger makes Ann use the command, and returns the fresh trigger_id.
func (a *app) trigger() string {
	a.t.Helper()
	return a.triggerOf("U_ANN")
}

func (a *app) triggerOf(user string) string {
	a.t.Helper()
	if err := a.sim.Person(user).Type(testContext(a.t), "C_DEPLOYS", "/mcp"); err != nil {
		a.t.Fatalf("Type: %v", err)
	}
	id, _ := a.last("slash_commands")["trigger_id"].(string)
	return id
}

// open opens a modal for Ann and returns its view as Slack answered it.
func (a *app) open(view object) object {
	a.t.Helper()
	v, _ := a.must("views.open", object{"trigger_id": a.trigger(), "view": view})["view"].(object)
	return v
}

func plain(s string) object { return object{"type": "plain_text", "text": s} }

func mrkdwn(s string) object { return object{"type": "mrkdwn", "text": s} }

func section(text string) object { return object{"type": "section", "text": mrkdwn(text)} }

func button(label, id string, more ...any) object {
	o := object{"type": "button", "text": plain(label), "action_id": id}
	for i := 0; i < len(more); i += 2 {
		name, _ := more[i].(string)
		o[name] = more[i+1]
	}
	return o
}

func actions(elements ...any) object { return object{"type": "actions", "elements": elements} }

// input is an input block whose block_id is its label and whose action_id is "v".
func input(label string, element object, more ...any) object {
	element["action_id"] = "v"
	o := object{"type": "input", "block_id": label, "label": plain(label), "element": element}
	for i := 0; i < len(more); i += 2 {
		name, _ := more[i].(string)
		o[name] = more[i+1]
	}
	return o
}

func text(more ...any) object {
	o := object{"type": "plain_text_input"}
	for i := 0; i < len(more); i += 2 {
		name, _ := more[i].(string)
		o[name] = more[i+1]
	}
	return o
}

func option(label, value string) object { return object{"text": plain(label), "value": value} }

func modal(blocks ...any) object {
	return object{"type": "modal", "title": plain("Form"), "submit": plain("Submit"), "close": plain("Cancel"), "blocks": blocks}
}

func with(o object, more ...any) object {
	out := object{}
	for name, v := range o {
		out[name] = v
	}
	for i := 0; i < len(more); i += 2 {
		name, _ := more[i].(string)
		out[name] = more[i+1]
	}
	return out
}

// dig walks into nested objects and lists.
func dig(v any, path ...any) any {
	for _, step := range path {
		switch at := step.(type) {
		case string:
			o, _ := v.(object)
			v = o[at]
		case int:
			l, _ := v.([]any)
			if at >= len(l) {
				return nil
			}
			v = l[at]
		}
	}
	return v
}
