package mcpclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/slackbridge/slackbridge/elicit"
)

// rawQuestion is params with an order, a number and a member that decoding
// would lose.
const rawQuestion = `{"message":"<which> & why? \u00e9","requestedSchema":{"type":"object","properties":{"zeta":{"type":"integer","maximum":9007199254740993},"alpha":{"type":"string"}},"required":["zeta"]},"x-unknown":1.0}`

func ask(id string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"elicitation/create","params":` + rawQuestion + `}`
}

func steps(all ...string) string { return `{"steps":[` + strings.Join(all, ",") + `]}` }

func TestStdio_QuestionAndAnswerPassUnchanged(t *testing.T) {
	for _, id := range []string{`1`, `"1"`, `9007199254740993`, `"a \"quoted\" \u00e9"`, `0`, `-5`} {
		t.Run(id, func(t *testing.T) {
			w := newWorld(t, local(t, "raw", ""), nil)
			done := w.start(t.Context(), callFor(ann, "s", "script", steps(`{"send":`+ask(id)+`}`, `{"await":1}`)))
			q := w.question()
			want := elicit.Question{
				Call: "call-U_ANN", Server: "s", Tool: "script", Era: elicit.EraBlocking, Protocol: "2025-11-25",
				Origin:    elicit.Origin{Team: "T_HOME", Channel: "C1", Thread: "1.2", Requester: "U_ANN"},
				RequestID: id, Params: json.RawMessage(rawQuestion),
			}
			if d := cmp.Diff(want, q.Question); d != "" {
				t.Errorf("question (-want +got):\n%s", d)
			}
			q.answer(t, accept(`{"zeta": 9007199254740993,  "alpha":"<&>"}`))
			got := receiveFrom(t, done, "the result").texts(t)
			wire := []string{`{"jsonrpc":"2.0","id":` + id + `,"result":{"action":"accept","content":{"zeta": 9007199254740993,  "alpha":"<&>"}}}`}
			if d := cmp.Diff(wire, got); d != "" {
				t.Errorf("on the wire (-want +got):\n%s", d)
			}
		})
	}
}

func TestStdio_ArgumentsGoOutByteForByte(t *testing.T) {
	w := newWorld(t, local(t, "raw", ""), nil)
	args := `{"zeta": 9007199254740993, "alpha":"<&>\u2028", "n":1.0, "steps":[]}`
	w.call("s", "script", args).texts(t)
	heard := w.call("s", "heard", "").texts(t)
	if !slices.ContainsFunc(heard, func(l string) bool { return strings.Contains(l, `"arguments":`+args+`,"_meta"`) }) {
		t.Errorf("the arguments %s did not arrive as they are; the server heard:\n%s", args, strings.Join(heard, "\n"))
	}
	if !strings.Contains(heard[len(heard)-1], `"arguments":{}`) {
		t.Errorf("without arguments the server heard %s, want {}", heard[len(heard)-1])
	}
}

func TestStdio_LineBreaksInArgumentsDoNotBreakTheFraming(t *testing.T) {
	w := newWorld(t, local(t, "raw", ""), nil)
	w.call("s", "script", "{\n \"steps\": [],\r\n \"text\": \"a\\nb\" }").texts(t)
	heard := w.call("s", "heard", "").texts(t)
	if got, want := heard[len(heard)-2], `"arguments":{"steps":[],"text":"a\nb"}`; !strings.Contains(got, want) {
		t.Errorf("the server heard %s, want %s in it", got, want)
	}
}

func TestStdio_EachActionOnTheWire(t *testing.T) {
	tests := map[string]struct {
		answer elicit.Answer
		want   string
	}{
		"decline has no content":      {elicit.Answer{Action: elicit.Decline, Content: json.RawMessage(`{"a":1}`)}, `"result":{"action":"decline"}}`},
		"cancel has no content":       {elicit.Answer{Action: elicit.Cancel}, `"result":{"action":"cancel"}}`},
		"an empty form has {}":        {accept(`{}`), `"result":{"action":"accept","content":{}}}`},
		"malformed request is -32602": {elicit.Answer{Invalid: &elicit.InvalidParamsError{Path: "requestedSchema.properties.a", Problem: "is nested"}}, `"error":{"code":-32602,"message":"Invalid params: requestedSchema.properties.a: is nested"}}`},
	}
	w := newWorld(t, local(t, "raw", ""), nil)
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			done := w.start(t.Context(), callFor(ann, "s", "script", steps(`{"send":`+ask("3")+`}`, `{"await":1}`)))
			w.question().answer(t, tc.answer)
			got := receiveFrom(t, done, "the result").texts(t)
			if want := `{"jsonrpc":"2.0","id":3,` + tc.want; len(got) != 1 || got[0] != want {
				t.Errorf("on the wire %s, want %s", got, want)
			}
		})
	}
}

func TestStdio_TheSameRequestTwiceIsAskedAndAnsweredOnce(t *testing.T) {
	w := newWorld(t, local(t, "raw", ""), nil)
	sync := `{"send":{"jsonrpc":"2.0","id":"p","method":"ping"}},{"await":1}`
	done := w.start(t.Context(), callFor(ann, "s", "script", steps(
		`{"send":`+ask("3")+`}`, `{"send":`+ask("3")+`}`, sync, `{"await":1}`, `{"send":`+ask("3")+`}`, sync)))
	w.question().answer(t, accept(`{}`))
	want := []string{ // sorted: the first pong and the answer may overtake each other
		`{"jsonrpc":"2.0","id":"p","result":{}}`,
		`{"jsonrpc":"2.0","id":"p","result":{}}`,
		`{"jsonrpc":"2.0","id":3,"result":{"action":"accept","content":{}}}`,
	}
	got := receiveFrom(t, done, "the result").texts(t)
	slices.Sort(got)
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("on the wire (-want +got):\n%s", d)
	}
	w.noQuestion()
}

func TestStdio_SecondReplySendsNothing(t *testing.T) {
	w := newWorld(t, local(t, "raw", ""), nil)
	done := w.start(t.Context(), callFor(ann, "s", "script", steps(`{"send":`+ask("3")+`}`, `{"await":1}`)))
	q := w.question()
	defer q.done()
	if err := q.reply(t.Context(), elicit.Answer{Action: elicit.Decline}); err != nil {
		t.Fatal(err)
	}
	if err := q.reply(t.Context(), accept(`{}`)); !errors.Is(err, ErrAnswered) {
		t.Errorf("the second reply returned %v, want ErrAnswered", err)
	}
	if got := receiveFrom(t, done, "the result").texts(t); len(got) != 1 || !strings.Contains(got[0], "decline") {
		t.Errorf("on the wire %s, want the first answer alone", got)
	}
}

func TestStdio_WithdrawnQuestionIsNotAnswered(t *testing.T) {
	for name, id := range map[string]string{"text": `"elicit-9"`, "number": `9`, "big number": `9007199254740993`} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, local(t, "raw", ""), nil)
			sync := `{"send":{"jsonrpc":"2.0","id":"p","method":"ping"}},{"await":1}`
			cancelled := `{"send":{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + id + `,"reason":"no longer needed"}}}`
			unknown := `{"send":{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"other"}}}`
			done := w.start(t.Context(), callFor(ann, "s", "script", steps(`{"send":`+ask(id)+`}`, unknown, cancelled, sync)))
			q := w.question()
			if cause := q.cause(t); !errors.Is(cause, elicit.ErrWithdrawn) {
				t.Errorf("the question ended with %v, want ErrWithdrawn", cause)
			}
			if err := q.reply(t.Context(), accept(`{}`)); !errors.Is(err, elicit.ErrWithdrawn) {
				t.Errorf("reply returned %v, want ErrWithdrawn", err)
			}
			want := []string{`{"jsonrpc":"2.0","id":"p","result":{}}`}
			if d := cmp.Diff(want, receiveFrom(t, done, "the result").texts(t)); d != "" {
				t.Errorf("on the wire (-want +got):\n%s", d)
			}
		})
	}
}

func TestStdio_QuestionEndsWithItsCall(t *testing.T) {
	w := newWorld(t, local(t, "raw", ""), nil)
	done := w.start(t.Context(), callFor(ann, "s", "script", steps(`{"send":`+ask("3")+`}`)))
	q := w.question()
	receiveFrom(t, done, "the result").texts(t)
	if cause := q.cause(t); !errors.Is(cause, elicit.ErrCallEnded) {
		t.Errorf("the question ended with %v, want ErrCallEnded", cause)
	}
	if err := q.reply(t.Context(), accept(`{}`)); !errors.Is(err, elicit.ErrCallEnded) {
		t.Errorf("reply returned %v, want ErrCallEnded", err)
	}
}

func TestStdio_DeathOfTheChildEndsItsCallOnly(t *testing.T) {
	w := newWorld(t, local(t, "raw", ""), nil)
	bobs := w.start(t.Context(), callFor(bob, "s", "script", steps(`{"send":`+ask("1")+`}`, `{"await":1}`)))
	bobsQuestion := w.question()
	done := w.start(t.Context(), callFor(ann, "s", "script", steps(`{"send":`+ask("3")+`}`, `{"send":{"jsonrpc":"2.0","id":"p","method":"ping"}}`, `{"await":1}`, `{"stderr":"disk full"}`, `{"exit":7}`)))
	q := w.question()
	if cause := q.cause(t); !errors.Is(cause, elicit.ErrConnectionLost) {
		t.Errorf("the question ended with %v, want ErrConnectionLost", cause)
	}
	down := wantError[*ServerDownError](t, receiveFrom(t, done, "the end of the call").err)
	wantMention(t, down, "server s", "exit status 7", "disk full")
	bobsQuestion.answer(t, accept(`{}`))
	receiveFrom(t, bobs, "Bob's result").texts(t)
	w.call("s", "script", steps()).texts(t) // a new child
}

func TestStdio_EnvironmentOfTheChildIsShort(t *testing.T) {
	secrets := []string{"SLACK_BOT_TOKEN=xoxb-canary", "SLACKBRIDGE_SEAL_KEYS=canary", "REDIS_URL=redis://canary", "OTHER_API_KEY=canary", "PATHS=canary"}
	harmless := []string{"HOME=/home/x", "LANG=C.UTF-8", "PATH=/bin:/usr/bin", "TMPDIR=/tmp"}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	servers := fmt.Sprintf(`{"mcpServers":{"s":{"command":%q,"env":{%q:"raw","X":"1","LANG":"de","GORACE":"atexit_sleep_ms=0"}}}}`, self, serverVariable)
	w := newWorld(t, servers, func(o *Options) { o.Environ = func() []string { return append(secrets, harmless...) } })
	want := []string{"GORACE=atexit_sleep_ms=0", "HOME=/home/x", "LANG=de", serverVariable + "=raw", "PATH=/bin:/usr/bin", "TMPDIR=/tmp", "X=1"}
	for _, again := range []bool{false, true} {
		if d := cmp.Diff(want, w.call("s", "environ", "").texts(t)); d != "" {
			t.Errorf("environment of the child, restarted %v (-want +got):\n%s", again, d)
		}
		if out := w.call("s", "script", steps(`{"exit":1}`)); out.err == nil {
			t.Error("the child did not end")
		}
	}
}

func TestStdio_GarbageBetweenMessagesIsSkipped(t *testing.T) {
	w := newWorld(t, local(t, "raw", ""), nil)
	done := w.start(t.Context(), callFor(ann, "s", "script", steps(
		`{"send":"banner \u001b[31m text"}`, `{"send":"{\"half\":"}`, `{"send":"[]"}`, `{"send":""}`, `{"send":"{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"ping\"}"}`,
		`{"send":{"jsonrpc":"2.0","id":"nobody","result":{}}}`, `{"send":`+ask("3")+`}`, `{"await":1}`)))
	w.question().answer(t, accept(`{}`))
	receiveFrom(t, done, "the result").texts(t)
	if log := w.logs.String(); strings.Contains(log, "\x1b") {
		t.Error("a control character of the server reached the log as it is")
	}
}

func TestStdio_EndlessLineEndsTheConnectionWithAReason(t *testing.T) {
	w := newWorld(t, local(t, "raw", ""), func(o *Options) { o.After = hurry })
	out := w.call("s", "script", steps(fmt.Sprintf(`{"flood":%d}`, maxMessage+1<<20), `{"await":1}`))
	wantError[*ServerDownError](t, out.err)
	wantMention(t, out.err, "server s sent a message longer than 16 MiB")
}

func TestStdio_OtherRequestsAreRefusedAndPingIsAnswered(t *testing.T) {
	w := newWorld(t, local(t, "raw", ""), nil)
	var all []string
	for i, method := range []string{"ping", "sampling/createMessage", "roots/list", "no/such"} {
		all = append(all, fmt.Sprintf(`{"send":{"jsonrpc":"2.0","id":%d,"method":%q}},{"await":1}`, i, method))
	}
	got := w.call("s", "script", steps(all...)).texts(t)
	want := []string{
		`{"jsonrpc":"2.0","id":0,"result":{}}`,
		`{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"slackbridge does not serve sampling/createMessage"}}`,
		`{"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"slackbridge does not serve roots/list"}}`,
		`{"jsonrpc":"2.0","id":3,"error":{"code":-32601,"message":"slackbridge does not serve no/such"}}`,
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("on the wire (-want +got):\n%s", d)
	}
}

func TestStdio_QuestionWithoutACallIsCancelled(t *testing.T) {
	w := newWorld(t, local(t, "asks-while-listing", ""), nil)
	if _, err := w.host.Tools(t.Context(), "s", ann); err != nil {
		t.Fatal(err)
	}
	heard := w.call("s", "heard", "").texts(t)
	if want := `{"jsonrpc":"2.0","id":7,"result":{"action":"cancel"}}`; !slices.Contains(heard, want) {
		t.Errorf("the server heard\n%s\nwant %s", strings.Join(heard, "\n"), want)
	}
	w.noQuestion()
}

func TestStdio_ServerThatIsNotOfferedElicitationIsRefused(t *testing.T) {
	w := newWorld(t, local(t, "raw", ""), func(o *Options) { o.Elicitation = func(string) bool { return false } })
	got := w.call("s", "script", steps(`{"send":`+ask("3")+`}`, `{"await":1}`)).texts(t)
	if want := `{"jsonrpc":"2.0","id":3,"error":{"code":-32601,"message":"elicitation was not declared"}}`; len(got) != 1 || got[0] != want {
		t.Errorf("on the wire %s, want %s", got, want)
	}
	w.noQuestion()
	for _, line := range w.call("s", "heard", "").texts(t) {
		if strings.Contains(line, `"method":"initialize"`) && strings.Contains(line, "elicitation") {
			t.Errorf("the capability was declared: %s", line)
		}
	}
}

func TestStdio_BothModesAreDeclaredAndNothingElse(t *testing.T) {
	w := newWorld(t, local(t, "raw", ""), nil)
	for _, line := range w.call("s", "heard", "").texts(t) {
		if strings.Contains(line, `"method":"initialize"`) {
			if !strings.Contains(line, `"capabilities":{"elicitation":{"form":{},"url":{}}}`) {
				t.Errorf("initialize declares something else: %s", line)
			}
			return
		}
	}
	t.Error("there was no initialize")
}

func TestStdio_ProgressWhileAQuestionWaits(t *testing.T) {
	ticks := make(chan time.Time)
	w := newWorld(t, local(t, "raw", ""), func(o *Options) {
		o.ProgressInterval = 10 * time.Second
		o.After = func(d time.Duration) <-chan time.Time {
			if d == 10*time.Second {
				return ticks
			}
			return time.After(d)
		}
	})
	withToken := `{"jsonrpc":"2.0","id":3,"method":"elicitation/create","params":{"_meta":{"progressToken":"tok"},"message":"?"}}`
	done := w.start(t.Context(), callFor(ann, "s", "script", steps(`{"send":`+withToken+`}`, `{"await":3}`)))
	q := w.question()
	ticks <- time.Time{}
	ticks <- time.Time{}
	ticks <- time.Time{} // taken only when the second note was sent
	q.answer(t, accept(`{}`))
	got := receiveFrom(t, done, "the result").texts(t)
	want := []string{
		`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"tok","progress":1}}`,
		`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"tok","progress":2}}`,
	}
	if d := cmp.Diff(want, got[:2]); d != "" {
		t.Errorf("on the wire (-want +got):\n%s", d)
	}
}

func TestStdio_StoppedCallAnswersItsQuestionThenTellsTheServer(t *testing.T) {
	wire := t.TempDir() + "/wire"
	t.Setenv(wireVariable, wire)
	w := newWorld(t, local(t, "raw", ""), nil)
	ctx, stop := context.WithCancelCause(t.Context())
	done := w.start(ctx, callFor(ann, "s", "script", steps(`{"send":`+ask("3")+`}`, `{"await":9}`)))
	q := w.question()
	stop(elicit.ErrStopped)
	if cause := q.cause(t); !errors.Is(cause, elicit.ErrStopped) {
		t.Errorf("the question ended with %v, want ErrStopped", cause)
	}
	// Ask is free to return when the context ends; here it does so at once, so
	// the host answers cancel.
	if out := receiveFrom(t, done, "the end of the call"); !errors.Is(out.err, elicit.ErrStopped) {
		t.Errorf("the call ended with %v, want ErrStopped", out.err)
	}
	w.close()
	heard, err := os.ReadFile(wire)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(heard)), "\n")
	var callID string
	for _, line := range lines {
		if m, err := decodeMessage([]byte(line)); err == nil && m.method == "tools/call" {
			callID = string(m.id)
		}
	}
	want := []string{
		`{"jsonrpc":"2.0","id":3,"result":{"action":"cancel"}}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + callID + `,"reason":"stopped"}}`,
	}
	if d := cmp.Diff(want, lines[len(lines)-2:]); d != "" {
		t.Errorf("the last lines on the wire (-want +got):\n%s", d)
	}
}

func TestStdio_DeafChildHoldsUpOnlyItsOwnCall(t *testing.T) {
	w := newWorld(t, local(t, "raw", ""), func(o *Options) { o.After = hurry })
	big := strings.Repeat("x", 4<<20) // more than a pipe holds
	done := w.start(t.Context(), callFor(ann, "s", "script", steps(`{"send":`+ask("3")+`}`, `{"deaf":true}`)))
	q := w.question()
	ctx, cancel := context.WithTimeoutCause(t.Context(), 50*time.Millisecond, errors.New("waited long enough"))
	defer cancel()
	if err := q.reply(ctx, accept(`{"a":"`+big+`"}`)); err == nil {
		t.Error("reply says that a server which does not read has the answer")
	}
	bobs := w.start(t.Context(), callFor(bob, "s", "script", steps()))
	receiveFrom(t, bobs, "Bob's result").texts(t)
	q.done()
	w.close()
	if out := receiveFrom(t, done, "the end of the call"); !errors.Is(out.err, elicit.ErrShutdown) {
		t.Errorf("the call ended with %v, want ErrShutdown", out.err)
	}
}

func TestStdio_WhatAChildStartedEndsWithIt(t *testing.T) {
	w := newWorld(t, local(t, "stubborn", ""), func(o *Options) { o.After = hurry })
	pids := w.call("s", "pid", "").texts(t)
	w.close()
	for _, text := range pids {
		pid, err := strconv.Atoi(text)
		if err != nil {
			t.Fatal(err)
		}
		if !ended(pid) {
			t.Errorf("process %d still runs", pid)
		}
	}
}

// ended waits until a process is gone, or at least dead: nobody may have
// collected what a child of a child left.
func ended(pid int) bool {
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); {
		if syscall.Kill(pid, 0) != nil {
			return true
		}
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil || strings.Contains(string(stat), ") Z ") {
			return true
		}
	}
	return false
}

func TestCheck_SaysWhatIsWrongWithAChild(t *testing.T) {
	tests := map[string]struct {
		servers string
		words   []string
	}{
		"no such program":   {`{"mcpServers":{"s":{"command":"does-not-exist-anywhere"}}}`, []string{"server s", "cannot be started", "does-not-exist-anywhere", "command"}},
		"no such directory": {local(t, "raw", `"cwd":"/does/not/exist"`), []string{"cannot be started", "/does/not/exist", "cwd"}},
		"exits at once":     {local(t, "crash", ""), []string{"exit status 3", `cannot open \u001b[31m/etc/deploy.toml`}},
		"hangs":             {local(t, "hang", ""), []string{"handshake", "1s", "Welcome to the server!"}},
		"closes its output": {local(t, "closed", ""), []string{"closed its output"}},
		"pinned to another": {local(t, "raw", `"protocol":"2026-07-28"`), []string{"2025-11-25", "2026-07-28", "protocol"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, tc.servers, func(o *Options) {
				o.After = hurry
				o.HandshakeTimeout, o.DiscoverTimeout = time.Second, 100*time.Millisecond
				if name != "hangs" {
					o.HandshakeTimeout, o.DiscoverTimeout = patience, patience
				}
			})
			err := w.host.Check(t.Context(), "s")
			wantError[*ServerDownError](t, err)
			wantMention(t, err, tc.words...)
			if state := w.host.Servers()[0]; state.Err == nil || state.Name != "s" || state.Transport != "stdio" {
				t.Errorf("Servers says %+v, want the error", state)
			}
		})
	}
}

func TestCheck_PassesAndOffersNoElicitation(t *testing.T) {
	w := newWorld(t, local(t, "asks-while-listing", ""), nil)
	if err := w.host.Check(t.Context(), "s"); err != nil {
		t.Fatal(err)
	}
	w.noQuestion()
	want := elicit.ServerState{Name: "s", Transport: "stdio", Protocol: "2025-11-25", Era: elicit.EraBlocking}
	if d := cmp.Diff(want, w.host.Servers()[0]); d != "" {
		t.Errorf("Servers (-want +got):\n%s", d)
	}
}

func TestConnect_EachKindOfServerGetsItsEra(t *testing.T) {
	for kind, want := range map[string]string{
		"raw": "2025-11-25", "silent": "2025-11-25", "confused": "2025-11-25", "modern": "2026-07-28", "late": "2026-07-28",
	} {
		t.Run(kind, func(t *testing.T) {
			t.Setenv(wireVariable, t.TempDir()+"/wire")
			w := newWorld(t, local(t, kind, ""), func(o *Options) { o.DiscoverTimeout = 100 * time.Millisecond })
			if kind == "modern" || kind == "raw" || kind == "confused" {
				w.host.o.DiscoverTimeout = patience
			}
			if err := w.host.Check(t.Context(), "s"); err != nil {
				t.Fatal(err)
			}
			if got := w.host.Servers()[0].Protocol; got != want {
				t.Errorf("negotiated %s, want %s", got, want)
			}
		})
	}
}
