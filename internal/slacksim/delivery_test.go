package slacksim_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/slackbridge/slackbridge/internal/slacksim"
)

// Acknowledgement deadlines of tests in which they pass: short where nothing
// else is acknowledged, patient where other things must be in time.
const (
	short   = 50 * time.Millisecond
	patient = 2 * time.Second
)

func TestSlashCommand_PayloadAndErrors(t *testing.T) {
	s := quiet(t)
	ctx, ann := testContext(t), s.Person("U_ANN")
	if err := ann.Type(ctx, "C_DEPLOYS", "/mcp help"); err == nil || err.Error() != `/mcp failed with the error "dispatch_failed"` {
		t.Errorf("without any socket: %v", err)
	}
	a := connected(t, s)
	if err := ann.Type(ctx, "C_NOBOT", `/mcp deploy.run note="a < b & c"`); err != nil {
		t.Fatal(err)
	}
	p := a.last("slash_commands")
	want := object{
		"command": "/mcp", "text": `deploy.run note="a &lt; b &amp; c"`, "user_id": "U_ANN", "user_name": "ann",
		"channel_id": "C_NOBOT", "channel_name": "no-bot", "team_id": "T_HOME",
	}
	for name, v := range want {
		if p[name] != v {
			t.Errorf("%s = %v, want %v", name, p[name], v)
		}
	}
	for _, c := range []struct{ user, channel, text string }{
		{"U_ANN", "C_DEPLOYS", "/other"},
		{"U_EXT", "C_DEPLOYS", "/mcp"},
		{"U_ANN", "C_OLD", "/mcp"},
		{"U_GONE", "C_DEPLOYS", "/mcp"},
	} {
		before := len(a.envelopes())
		if err := s.Person(c.user).Type(ctx, c.channel, c.text); err == nil || len(a.envelopes()) != before {
			t.Errorf("%+v: %v, and the app heard of it: %v", c, err, len(a.envelopes()) != before)
		}
	}
}

func TestSlashCommand_LateAck(t *testing.T) {
	s := start(t, slacksim.Options{AckTimeout: short})
	a := connected(t, s)
	a.on(func(object) (any, bool) { return nil, false })
	err := s.Person("U_ANN").Type(testContext(t), "C_DEPLOYS", "/mcp help")
	if err == nil || err.Error() != `/mcp failed with the error "operation_timeout"` {
		t.Errorf("without an acknowledgement: %v", err)
	}
}

func TestSlashCommand_AnswerInTheAck(t *testing.T) {
	a := connected(t, quiet(t))
	ann, bob := a.sim.Person("U_ANN"), a.sim.Person("U_BOB")
	a.acks("slash_commands", object{"text": "only you"})
	if err := ann.Type(testContext(t), "C_NOBOT", "/mcp"); err != nil {
		t.Fatal(err)
	}
	a.acks("slash_commands", object{"text": "everybody", "response_type": "in_channel"})
	if err := ann.Type(testContext(t), "C_NOBOT", "/mcp"); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"only you", "everybody"}, texts(ann.Messages("C_NOBOT"))); diff != "" {
		t.Errorf("Ann sees (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"everybody"}, texts(bob.Messages("C_NOBOT"))); diff != "" {
		t.Errorf("Bob sees (-want +got):\n%s", diff)
	}
	a.acks("slash_commands", object{"text": "x", "blocks": []any{object{"type": "alert"}}})
	if err := ann.Type(testContext(t), "C_NOBOT", "/mcp"); err == nil {
		t.Error("an answer with invalid blocks was shown")
	}
}

func TestSlashCommand_NotInThreads(t *testing.T) {
	a := connected(t, quiet(t))
	ts := a.postText(nil)
	ann := a.sim.Person("U_ANN")
	if err := ann.TypeInThread("C_DEPLOYS", ts, "/mcp help"); err == nil || len(a.envelopes()) != 0 {
		t.Errorf("a command in a thread: %v, delivered %v", err, a.envelopes())
	}
	if err := ann.TypeInThread("C_DEPLOYS", ts, "hello"); err != nil {
		t.Errorf("a plain reply: %v", err)
	}
}

func TestPress_PayloadOfAMessageButton(t *testing.T) {
	a := connected(t, quiet(t))
	ann := a.sim.Person("U_ANN")
	top := a.postText(nil)
	ts := a.postText(object{"text": "q", "thread_ts": top, "blocks": []any{
		section("a &amp; b"),
		actions(button("R&D", "go", "value", "id-1"), button("Sure", "sure", "confirm", object{
			"title": plain("Really?"), "text": plain("It deploys."), "confirm": plain("Deploy"), "deny": plain("Back"),
		})),
	}})
	if err := ann.Press(testContext(t), "C_DEPLOYS", ts, "R&D"); err != nil {
		t.Fatal(err)
	}
	p := a.last("block_actions")
	want := object{"type": "message", "message_ts": ts, "channel_id": "C_DEPLOYS", "is_ephemeral": false, "thread_ts": top}
	if diff := cmp.Diff(want, p["container"]); diff != "" {
		t.Errorf("container (-want +got):\n%s", diff)
	}
	if got := dig(p, "actions", 0, "text", "text"); got != "R&amp;D" || dig(p, "message", "blocks", 1, "elements", 0, "text", "text") != "R&amp;D" {
		t.Errorf("labels come as %v, want them escaped", got)
	}
	if dig(p, "actions", 0, "value") != "id-1" || dig(p, "user", "id") != "U_ANN" || dig(p, "user", "team_id") != "T_HOME" || dig(p, "channel", "id") != "C_DEPLOYS" {
		t.Errorf("block_actions = %v", p)
	}
	if diff := cmp.Diff(object{"values": object{}}, p["state"]); diff != "" {
		t.Errorf("state (-want +got):\n%s", diff)
	}
	if p["trigger_id"] == nil || p["response_url"] == nil {
		t.Errorf("block_actions lacks a trigger_id or response_url: %v", p)
	}
	if err := ann.PressCancel("C_DEPLOYS", ts, "Sure"); err != nil || len(a.payloads("block_actions")) != 1 {
		t.Errorf("leaving the dialog: %v, the app heard of it: %v", err, len(a.payloads("block_actions")) != 1)
	}
	if err := ann.PressCancel("C_DEPLOYS", ts, "R&D"); err == nil {
		t.Error("a dialog that does not exist was left")
	}
	if err := ann.Press(testContext(t), "C_DEPLOYS", ts, "Sure"); err != nil {
		t.Error(err)
	}
	for who, label := range map[string]string{"U_ANN": "No such", "U_EXT": "Sure"} {
		if err := a.sim.Person(who).Press(testContext(t), "C_DEPLOYS", ts, label); err == nil {
			t.Errorf("%s pressed %q", who, label)
		}
	}
}

func TestPress_StrangerHasAnotherTeam(t *testing.T) {
	a := connected(t, quiet(t))
	ts, _ := a.must("chat.postMessage", object{"channel": "C_SHARED", "text": "q", "blocks": []any{actions(button("Go", "go"))}})["ts"].(string)
	if err := a.sim.Person("U_EXT").Press(testContext(t), "C_SHARED", ts, "Go"); err != nil {
		t.Fatal(err)
	}
	if got := dig(a.last("block_actions"), "user", "team_id"); got != "T_OTHER" {
		t.Errorf("user.team_id = %v, want T_OTHER", got)
	}
}

func TestPress_URLButtonOpensAndIsSent(t *testing.T) {
	a := connected(t, quiet(t))
	ann := a.sim.Person("U_ANN")
	ts := a.postText(object{"blocks": []any{actions(button("Open", "o", "url", "https://acme.example/x"))}})
	if err := ann.Press(testContext(t), "C_DEPLOYS", ts, "Open"); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"https://acme.example/x"}, ann.Opened()); diff != "" || len(a.payloads("block_actions")) != 1 {
		t.Errorf("opened (-want +got):\n%s\ndelivered %d times", diff, len(a.payloads("block_actions")))
	}
}

func TestAck_LateShowsTheConnectErrorInAModal(t *testing.T) {
	t.Parallel()
	s := start(t, slacksim.Options{AckTimeout: patient})
	a := connected(t, s)
	ann := s.Person("U_ANN")
	a.open(modal(input("Name", text()), actions(button("Go", "go"))))
	a.on(func(object) (any, bool) { return nil, false })
	fill(t, ann, "Name", "kept")
	if err := ann.Submit(testContext(t)); err == nil {
		t.Error("an unacknowledged submission succeeded")
	}
	if m, open := ann.Modal(); !open || m.Banner != slacksim.ConnectError || m.Fields[0].Value != "kept" {
		t.Errorf("the modal is %+v (open %v), want the connect error and what was typed", m, open)
	}
	a.on(func(object) (any, bool) { return nil, true })
	if err := ann.Submit(testContext(t)); err != nil {
		t.Errorf("the second try: %v", err)
	}
	ts := a.postText(object{"blocks": []any{actions(button("Go", "go"))}})
	a.on(func(object) (any, bool) { return nil, false })
	if err := ann.Press(testContext(t), "C_DEPLOYS", ts, "Go"); err == nil {
		t.Error("an unacknowledged press succeeded")
	}
}

func TestAck_From20KBOnIsDropped(t *testing.T) {
	t.Parallel()
	s := start(t, slacksim.Options{AckTimeout: patient})
	a := connected(t, s)
	ann := s.Person("U_ANN")
	sized := func(total int) any {
		// {"envelope_id":"<32 hex>","payload":{…}} and the newline of the encoder
		frame := len(fmt.Sprintf(`{"envelope_id":%q,"payload":%s}`, strings.Repeat("e", 32), `{"response_action":"clear","pad":""}`)) + 1
		return object{"response_action": "clear", "pad": strings.Repeat("x", total-frame)}
	}
	a.open(modal(section("x")))
	a.acks("view_submission", sized(20_480))
	if err := ann.Submit(testContext(t)); err == nil {
		t.Error("an acknowledgement of 20480 bytes was taken")
	}
	if got := s.Troubles(); len(got) != 2 || !strings.Contains(got[0], "20480 bytes") {
		t.Errorf("Troubles() = %q", got)
	}
	a.acks("view_submission", sized(20_479))
	if err := ann.Submit(testContext(t)); err != nil {
		t.Errorf("an acknowledgement of 20479 bytes was not taken: %v", err)
	}
}

func TestSockets_AnyOfThemButNoMoreThanTen(t *testing.T) {
	s := quiet(t)
	a := newApp(t, s)
	for range 10 {
		a.connect()
	}
	if f := readFrame(t, a.dial()); f["type"] != "disconnect" || f["reason"] != "too_many_websockets" {
		t.Errorf("the 11th socket got %v", f)
	}
	ann := s.Person("U_ANN")
	for range 200 {
		if err := ann.Type(testContext(t), "C_DEPLOYS", "/mcp"); err != nil {
			t.Fatal(err)
		}
	}
	if got := len(a.envelopes()); got != 200 {
		t.Errorf("%d deliveries for 200 commands: each goes to one socket", got)
	}
}

// separate returns two apps with a socket each.
func separate(t *testing.T, s *slacksim.Sim) (*app, *app) {
	t.Helper()
	return connected(t, s), connected(t, s)
}

func TestSockets_DeliveriesAreSpreadAtRandom(t *testing.T) {
	s := quiet(t)
	one, two := separate(t, s)
	for range 64 { // all on one side once in 2^63 runs
		if err := s.Person("U_ANN").Type(testContext(t), "C_DEPLOYS", "/mcp"); err != nil {
			t.Fatal(err)
		}
	}
	if len(one.envelopes()) == 0 || len(two.envelopes()) == 0 || len(one.envelopes())+len(two.envelopes()) != 64 {
		t.Errorf("%d and %d deliveries of 64", len(one.envelopes()), len(two.envelopes()))
	}
}

func TestDuplicateNext_SameEnvelopeOnDifferentSockets(t *testing.T) {
	s := quiet(t)
	one, two := separate(t, s)
	s.DuplicateNext(2)
	for range 2 { // the second command comes once only
		if err := s.Person("U_ANN").Type(testContext(t), "C_DEPLOYS", "/mcp"); err != nil {
			t.Fatal(err)
		}
	}
	waitFor(t, func() bool { return len(one.envelopes())+len(two.envelopes()) == 3 })
	if len(one.envelopes()) == 0 || len(two.envelopes()) == 0 {
		t.Fatal("both copies came over one socket")
	}
	copies := 0
	for _, x := range one.envelopes() {
		for _, y := range two.envelopes() {
			if x["envelope_id"] == y["envelope_id"] {
				copies++
			}
		}
	}
	if copies != 1 {
		t.Errorf("%d envelopes came over both sockets, want the duplicated one", copies)
	}
}

func TestDisconnect_WarningThenRefresh(t *testing.T) {
	s := quiet(t)
	a := newApp(t, s)
	conn := a.dial()
	if f := readFrame(t, conn); f["type"] != "hello" || f["num_connections"] != 1.0 || dig(f, "connection_info", "app_id") == nil {
		t.Fatalf("hello = %v", f)
	}
	s.Disconnect("warning")
	if f := readFrame(t, conn); f["reason"] != "warning" {
		t.Errorf("got %v, want the warning", f)
	}
	if s.Sockets() != 1 {
		t.Error("a warning closed the socket")
	}
	s.Disconnect("refresh_requested")
	if f := readFrame(t, conn); f["type"] != "disconnect" || f["reason"] != "refresh_requested" {
		t.Errorf("got %v, want refresh_requested", f)
	}
	if _, _, err := conn.ReadMessage(); err == nil {
		t.Error("the socket is still open")
	}
	if err := s.Wait(testContext(t), func() bool { return s.Sockets() == 0 }); err != nil {
		t.Error(err)
	}
}

func TestSocket_LifeEndsByItself(t *testing.T) {
	s := start(t, slacksim.Options{SocketLife: short, PingInterval: short})
	conn := newApp(t, s).dial()
	for _, want := range []string{"hello", "warning", "refresh_requested"} {
		f := readFrame(t, conn)
		if f["type"] != want && f["reason"] != want {
			t.Fatalf("got %v, want %s", f, want)
		}
	}
}

func TestSocket_TicketIsForOneUse(t *testing.T) {
	s := quiet(t)
	a := newApp(t, s)
	link, _ := a.callAs(s.AppToken(), "apps.connections.open", object{})["url"].(string)
	for i, want := range []int{http.StatusBadRequest, http.StatusForbidden} { // 400: no websocket handshake
		res, err := http.Get(strings.Replace(link, "ws://", "http://", 1))
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		if res.StatusCode != want {
			t.Errorf("use %d of a ticket: %d, want %d", i+1, res.StatusCode, want)
		}
	}
}

func TestEvents_MentionIsRetriedUntilAcknowledged(t *testing.T) {
	s := start(t, slacksim.Options{AckTimeout: short, MessageInterval: -1, EventRetries: []time.Duration{0, 0, 0}})
	a := connected(t, s)
	a.on(func(object) (any, bool) { return nil, false })
	if err := s.Person("U_ANN").Type(testContext(t), "C_DEPLOYS", "hi @slackbridge"); err != nil {
		t.Fatal(err)
	}
	attempts := func() []object {
		var out []object
		for _, env := range a.envelopes() {
			if env["type"] == "events_api" {
				out = append(out, env)
			}
		}
		return out
	}
	waitFor(t, func() bool { return len(attempts()) == 4 })
	for i, env := range attempts() {
		if env["retry_attempt"] != float64(i) || payload(env)["event_id"] != payload(attempts()[0])["event_id"] {
			t.Errorf("attempt %d: %v", i, env)
		}
	}
	if got := dig(payload(attempts()[0]), "event"); dig(got, "type") != "app_mention" || dig(got, "text") != "hi <@U_BOT>" {
		t.Errorf("event = %v", got)
	}
}

// waitFor waits for something that is not Slack's: it looks again whenever
// another goroutine had a chance to run.
func waitFor(t *testing.T, cond func() bool) {
	t.Helper()
	ctx := testContext(t)
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for !cond() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatal("waited in vain")
		}
	}
}

func TestEvents_OnlyWhereTheBotIsTold(t *testing.T) {
	s := quiet(t)
	a := connected(t, s)
	ann := s.Person("U_ANN")
	for channel, text := range map[string]string{
		"C_DEPLOYS": "no mention",
		"C_NOBOT":   "@slackbridge is not here",
		ann.DM():    "in the DM",
	} {
		if err := ann.Type(testContext(t), channel, text); err != nil {
			t.Fatal(err)
		}
	}
	ann.OpenHome()
	waitFor(t, func() bool { return len(a.payloads("event_callback")) == 2 })
	kinds := map[any]bool{}
	for _, p := range a.payloads("event_callback") {
		kinds[dig(p, "event", "type")] = true
	}
	if !kinds["message"] || !kinds["app_home_opened"] {
		t.Errorf("events of the types %v, want message (im) and app_home_opened", kinds)
	}
}

func TestResponseURL_FiveUsesInThirtyMinutes(t *testing.T) {
	now := newClock()
	s := start(t, slacksim.Options{Now: now.Now})
	a := connected(t, s)
	ann := s.Person("U_ANN")
	fresh := func() string {
		t.Helper()
		if err := ann.Type(testContext(t), "C_NOBOT", "/mcp"); err != nil {
			t.Fatal(err)
		}
		u, _ := a.last("slash_commands")["response_url"].(string)
		return u
	}
	url := fresh()
	for i := range 6 {
		want := http.StatusOK
		if i == 5 {
			want = http.StatusNotFound
		}
		if got := postURL(t, url, `{"text":"x"}`); got != want {
			t.Errorf("use %d: status %d, want %d", i+1, got, want)
		}
	}
	if got := len(ann.Messages("C_NOBOT")); got != 5 {
		t.Errorf("%d messages are shown, want 5", got)
	}
	url = fresh()
	now.advance(30 * time.Minute)
	if got := postURL(t, url, `{"text":"x"}`); got != http.StatusOK {
		t.Errorf("after 30 minutes: status %d", got)
	}
	now.advance(time.Second)
	if got := postURL(t, url, `{"text":"x"}`); got != http.StatusNotFound {
		t.Errorf("after 30 minutes and a second: status %d, want 404", got)
	}
	if got := postURL(t, fresh(), `{"text":"x","blocks":[{"type":"alert"}]}`); got != http.StatusBadRequest {
		t.Errorf("invalid blocks: status %d, want 400", got)
	}
}

func postURL(t *testing.T, url, body string) int {
	t.Helper()
	res, err := http.Post(url, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	return res.StatusCode
}

func TestResponseURL_ReplacesAndDeletesItsMessage(t *testing.T) {
	a := connected(t, quiet(t))
	ann := a.sim.Person("U_ANN")
	a.must("chat.postEphemeral", object{"channel": "C_DEPLOYS", "user": "U_ANN", "text": "old", "blocks": []any{actions(button("Go", "go"))}})
	if err := ann.Press(testContext(t), "C_DEPLOYS", ann.Messages("C_DEPLOYS")[0].TS, "Go"); err != nil {
		t.Fatal(err)
	}
	url, _ := a.last("block_actions")["response_url"].(string)
	postURL(t, url, `{"text":"new","replace_original":true}`)
	postURL(t, url, `{"text":"beside"}`)
	if diff := cmp.Diff([]string{"new", "beside"}, texts(ann.Messages("C_DEPLOYS"))); diff != "" {
		t.Errorf("after replacing (-want +got):\n%s", diff)
	}
	postURL(t, url, `{"delete_original":true}`)
	if diff := cmp.Diff([]string{"beside"}, texts(ann.Messages("C_DEPLOYS"))); diff != "" {
		t.Errorf("after deleting (-want +got):\n%s", diff)
	}
}

// endpoint is an app that takes signed HTTP deliveries.
type endpoint struct {
	mu    sync.Mutex
	posts []delivery
	reply func(w http.ResponseWriter, path string)
	url   string
}

type delivery struct {
	path, kind, body string
	header           http.Header
}

func listen(t *testing.T) *endpoint {
	e := &endpoint{reply: func(http.ResponseWriter, string) {}}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		e.mu.Lock()
		e.posts = append(e.posts, delivery{r.URL.Path, r.Header.Get("Content-Type"), string(raw), r.Header})
		reply := e.reply
		e.mu.Unlock()
		reply(w, r.URL.Path)
	}))
	t.Cleanup(srv.Close)
	e.url = srv.URL
	return e
}

func (e *endpoint) all() []delivery {
	e.mu.Lock()
	defer e.mu.Unlock()
	return append([]delivery(nil), e.posts...)
}

func (e *endpoint) answer(f func(w http.ResponseWriter, path string)) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.reply = f
}

func TestHTTP_SignedFormsAndNoSocket(t *testing.T) {
	s := quiet(t)
	a := connected(t, s)
	e := listen(t)
	s.DeliverHTTP(e.url)
	if err := s.Wait(testContext(t), func() bool { return s.Sockets() == 0 }); err != nil {
		t.Fatalf("sockets stay open: %v", err)
	}
	if r := a.callAs(s.AppToken(), "apps.connections.open", object{}); r["ok"] != false {
		t.Errorf("a socket can be opened while Socket Mode is off: %v", r)
	}
	ann := s.Person("U_ANN")
	ts := a.postText(object{"blocks": []any{actions(button("1 + 1 = 100%", "go"))}})
	if err := ann.Type(testContext(t), "C_DEPLOYS", "/mcp a + b 100%"); err != nil {
		t.Fatal(err)
	}
	if err := ann.Press(testContext(t), "C_DEPLOYS", ts, "1 + 1 = 100%"); err != nil {
		t.Fatal(err)
	}
	got := e.all()
	if len(got) != 2 || got[0].path != "/slack/commands" || got[1].path != "/slack/interactions" || len(a.envelopes()) != 0 {
		t.Fatalf("delivered %+v, over sockets %v", got, a.envelopes())
	}
	for _, d := range got {
		mac := hmac.New(sha256.New, []byte(s.SigningSecret()))
		mac.Write([]byte("v0:" + d.header.Get("X-Slack-Request-Timestamp") + ":" + d.body))
		if want := "v0=" + hex.EncodeToString(mac.Sum(nil)); d.header.Get("X-Slack-Signature") != want {
			t.Errorf("%s is signed %q, want %q", d.path, d.header.Get("X-Slack-Signature"), want)
		}
		if d.kind != "application/x-www-form-urlencoded" {
			t.Errorf("%s has the type %q", d.path, d.kind)
		}
	}
	if !strings.Contains(got[0].body, "text=a+%2B+b+100%25") {
		t.Errorf("the command is encoded as %q", got[0].body)
	}
}

func TestHTTP_AnswersAndFailures(t *testing.T) {
	s := quiet(t)
	e := listen(t)
	s.DeliverHTTP(e.url)
	ann := s.Person("U_ANN")
	for _, c := range []struct {
		reply func(http.ResponseWriter, string)
		want  string
	}{
		{func(w http.ResponseWriter, _ string) { w.WriteHeader(http.StatusInternalServerError) }, "http_service_error"},
		{func(w http.ResponseWriter, _ string) { w.WriteHeader(http.StatusUnauthorized) }, "http_client_error"},
		{func(http.ResponseWriter, string) { panic(http.ErrAbortHandler) }, "dispatch_failed"},
	} {
		e.answer(c.reply)
		want := fmt.Sprintf("/mcp failed with the error %q", c.want)
		if err := ann.Type(testContext(t), "C_DEPLOYS", "/mcp"); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	e.answer(func(w http.ResponseWriter, _ string) { _, _ = io.WriteString(w, "plain words") })
	if err := ann.Type(testContext(t), "C_DEPLOYS", "/mcp"); err != nil {
		t.Fatal(err)
	}
	if got := ann.Messages("C_DEPLOYS"); len(got) != 1 || got[0].Text != "plain words" || !got[0].Ephemeral {
		t.Errorf("messages = %+v", got)
	}
}

func TestHTTP_EventsRetryWithHeadersUntilTold(t *testing.T) {
	s := start(t, slacksim.Options{MessageInterval: -1, EventRetries: []time.Duration{0, 0, 0}})
	e := listen(t)
	s.DeliverHTTP(e.url)
	e.answer(func(w http.ResponseWriter, _ string) {
		if len(e.all()) == 2 {
			w.Header().Set("X-Slack-No-Retry", "1")
		}
		w.WriteHeader(http.StatusInternalServerError)
	})
	if err := s.Person("U_ANN").Type(testContext(t), s.Person("U_ANN").DM(), "hi"); err != nil {
		t.Fatal(err)
	}
	waitFor(t, func() bool { return len(e.all()) == 2 })
	second := e.all()[1]
	if second.header.Get("X-Slack-Retry-Num") != "1" || second.header.Get("X-Slack-Retry-Reason") != "http_error" || second.kind != "application/json" {
		t.Errorf("the retry has the headers %v", second.header)
	}
	if err := s.Close(); err != nil { // waits for what is still on its way
		t.Fatal(err)
	}
	if got := len(e.all()); got != 2 {
		t.Errorf("%d attempts, want none after X-Slack-No-Retry", got)
	}
}

func TestClose_WhileDeliveriesWait(t *testing.T) {
	s := start(t, slacksim.Options{MessageInterval: -1, AckTimeout: time.Hour})
	a := connected(t, s)
	a.on(func(object) (any, bool) { return nil, false })
	done := make(chan error, 1)
	go func() { done <- s.Person("U_ANN").Type(context.Background(), "C_DEPLOYS", "/mcp") }()
	waitFor(t, func() bool { return len(a.envelopes()) == 1 })
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err == nil {
		t.Error("a command that nobody acknowledged succeeded")
	}
}

func TestPerson_ManyAtOnce(t *testing.T) {
	s := quiet(t)
	a := connected(t, s)
	a.connect()
	ts := a.postText(object{"blocks": []any{actions(button("Go", "go"))}})
	a.on(func(env object) (any, bool) {
		p := payload(env)
		if p["type"] == "block_actions" {
			res, err := a.post(s.BotToken(), "views.open", object{"trigger_id": p["trigger_id"], "view": modal(input("Name", text()))})
			if err != nil {
				return nil, false
			}
			_ = res.Body.Close()
		}
		return nil, true
	})
	var wg sync.WaitGroup
	for _, id := range []string{"U_ANN", "U_BOB", "U_CARA", "U_GUEST"} {
		wg.Go(func() {
			p := s.Person(id)
			for range 10 {
				if err := p.Press(testContext(t), "C_DEPLOYS", ts, "Go"); err != nil {
					t.Error(err)
					return
				}
				if err := p.Fill("Name", id); err != nil {
					t.Error(err)
				}
				if err := p.Submit(testContext(t)); err != nil {
					t.Error(err)
				}
				p.Messages("C_DEPLOYS")
			}
		})
	}
	wg.Wait()
	for _, p := range a.payloads("view_submission") {
		if got := dig(p, "view", "state", "values", "Name", "v", "value"); got != dig(p, "user", "id") {
			t.Errorf("%v submitted %v: views are per user", dig(p, "user", "id"), got)
		}
	}
	if got := len(a.payloads("view_submission")); got != 40 {
		t.Errorf("%d submissions, want 40", got)
	}
}
