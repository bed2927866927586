package mcpclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slackbridge/slackbridge/elicit"
)

func TestFault_ServerThatIsKilledWhileAQuestionWaits(t *testing.T) {
	w := newWorld(t, local(t, "raw", ""), nil)
	pid, err := strconv.Atoi(w.call("s", "pid", "").texts(t)[0])
	if err != nil {
		t.Fatal(err)
	}
	done := w.start(t.Context(), callFor(ann, "s", "script", steps(`{"send":`+ask("3")+`}`, `{"await":1}`)))
	q := w.question()
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if cause := q.cause(t); !errors.Is(cause, elicit.ErrConnectionLost) {
		t.Errorf("the question ended with %v, want ErrConnectionLost", cause)
	}
	if err := q.reply(t.Context(), accept(`{}`)); !errors.Is(err, elicit.ErrConnectionLost) {
		t.Errorf("reply returned %v, want ErrConnectionLost", err)
	}
	out := receiveFrom(t, done, "the end of the call")
	wantError[*ServerDownError](t, out.err)
	wantMention(t, out.err, "server s", "killed")
	if again := w.call("s", "pid", "").texts(t)[0]; again == strconv.Itoa(pid) {
		t.Error("the next call ran on the dead process")
	}
}

func TestFault_ServerThatClosesItsOutputWhileAQuestionWaits(t *testing.T) {
	w := newWorld(t, local(t, "raw", ""), func(o *Options) { o.After = hurry })
	done := w.start(t.Context(), callFor(ann, "s", "script", steps(`{"send":`+ask("3")+`}`, `{"mute":true}`, `{"deaf":true}`)))
	if cause := w.question().cause(t); !errors.Is(cause, elicit.ErrConnectionLost) {
		t.Errorf("the question ended with %v, want ErrConnectionLost", cause)
	}
	out := receiveFrom(t, done, "the end of the call")
	wantError[*ServerDownError](t, out.err)
	wantMention(t, out.err, "closed its output")
}

func TestFault_ServerThatDoesNotReadHoldsUpOnlyItsOwnLargeCall(t *testing.T) {
	w := newWorld(t, local(t, "raw", ""), func(o *Options) { o.After = hurry })
	pid, err := strconv.Atoi(w.call("s", "pid", "").texts(t)[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancelCause(t.Context())
	done := w.start(ctx, callFor(ann, "s", "script", `{"steps":[],"more than a pipe holds":"`+strings.Repeat("x", 1<<20)+`"}`))
	receiveFrom(t, w.start(t.Context(), callFor(bob, "s", "script", steps())), "Bob's result").texts(t)
	stop(elicit.ErrStopped)
	if out := receiveFrom(t, done, "the end of the call"); !errors.Is(out.err, elicit.ErrStopped) {
		t.Errorf("the call ended with %v, want ErrStopped", out.err)
	}
	w.close()
	if !ended(pid) {
		t.Errorf("process %d still stands", pid)
	}
}

func TestFault_ResponsesWithWrongIDsAreNobodysAnswer(t *testing.T) {
	w := newWorld(t, local(t, "raw", ""), nil)
	wrong := []string{`"nobody"`, `1`, `0`, `-1`, `9007199254740993`, `""`, `null`, `"sb-"`}
	var all []string
	for _, id := range wrong {
		all = append(all, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"forged"}]}}`, id),
			fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-1,"message":"forged"}}`, id))
	}
	done := w.start(t.Context(), callFor(ann, "s", "script", steps(sends(all), `{"send":`+ask("3")+`}`, `{"await":1}`)))
	q := w.question() // which came after all of them
	select {
	case out := <-done:
		t.Errorf("the call took a response for its own that was not: %+v, %v", out.Outcome, out.err)
	default:
	}
	q.answer(t, accept(`{}`))
	if got := receiveFrom(t, done, "the result").texts(t); len(got) != 1 || strings.Contains(got[0], "forged") {
		t.Errorf("the result is %s", got)
	}
}

func TestFault_FloodOfQuestionsIsBoundedAndTheRestCancelled(t *testing.T) {
	const tooMany = 50
	var all, want []string
	for n := range maxOpen + tooMany {
		all = append(all, ask(strconv.Itoa(n)))
		result := `{"action":"accept","content":{}}`
		if n >= maxOpen {
			result = `{"action":"cancel"}`
		}
		want = append(want, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":%s}`, n, result))
	}
	w := newWorld(t, local(t, "raw", ""), nil)
	done := w.start(t.Context(), callFor(ann, "s", "script", steps(sends(all), fmt.Sprintf(`{"await":%d}`, tooMany),
		`{"send":{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":0}}}`, `{"send":`+ask(`"later"`)+`}`, fmt.Sprintf(`{"await":%d}`, maxOpen))))
	var open []*asked
	for range maxOpen {
		open = append(open, w.question())
	}
	i := slices.IndexFunc(open, func(q *asked) bool { return q.RequestID == "0" })
	if cause := open[i].cause(t); !errors.Is(cause, elicit.ErrWithdrawn) { // by which the rest is refused
		t.Errorf("the question ended with %v, want ErrWithdrawn", cause)
	}
	open[i] = w.question() // in whose place another one fits
	for _, q := range open {
		q.answer(t, accept(`{}`))
	}
	want[0] = `{"jsonrpc":"2.0","id":"later","result":{"action":"accept","content":{}}}`
	got := receiveFrom(t, done, "the result").texts(t)
	w.noQuestion()
	slices.Sort(got) // they may overtake each other
	slices.Sort(want)
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("on the wire (-want +got):\n%s", d)
	}
}

func TestFault_MessageOfTenMegabytesPassesAndOfTwentyDoesNot(t *testing.T) {
	question := func(size int) string {
		return fmt.Sprintf(`{"message":%q,"requestedSchema":{"type":"object"}}`, strings.Repeat("x", size))
	}
	w := newWorld(t, local(t, "raw", ""), func(o *Options) { o.After = hurry })
	send := func(params string) <-chan outcome {
		return w.start(t.Context(), callFor(ann, "s", "script", steps(`{"send":{"jsonrpc":"2.0","id":3,"method":"elicitation/create","params":`+params+`}}`, `{"await":1}`)))
	}
	done := send(question(10_000_000))
	q := w.question()
	if string(q.Params) != question(10_000_000) {
		t.Errorf("a question of 10 MB arrived with %d bytes that are not the same", len(q.Params))
	}
	q.answer(t, accept(`{"a":"`+strings.Repeat("y", 10_000_000)+`"}`))
	if got := receiveFrom(t, done, "the result").texts(t); len(got[0]) < 10_000_000 {
		t.Errorf("an answer of 10 MB arrived with %d bytes", len(got[0]))
	}
	out := receiveFrom(t, send(question(20_000_000)), "the end of the call")
	wantError[*ServerDownError](t, out.err)
	wantMention(t, out.err, "server s sent a message longer than 16 MiB")
	w.noQuestion()
	w.call("s", "script", steps()).texts(t) // on a new process
}

func TestFault_MalformedParamsReachAskAsTheyStand(t *testing.T) {
	w := newWorld(t, local(t, "raw", ""), nil)
	for _, params := range []string{
		`{}`, `[]`, `7`, `"text"`, `true`, `{"message":7}`, `{"message":"?","message":"!"}`, `{ "requestedSchema" : null }`,
		`{"mode":"telepathy","message":"\ud800"}`, `{"_meta":7}`, `{"_meta":{"progressToken":{}}}`, `[{"message":"?"}]`, "", "null",
	} {
		t.Run(params, func(t *testing.T) {
			rest := `,"params":` + params
			want := json.RawMessage(params)
			if params == "" {
				rest = ""
			}
			if params == "" || params == "null" {
				want = nil
			}
			done := w.start(t.Context(), callFor(ann, "s", "script", steps(`{"send":{"jsonrpc":"2.0","id":3,"method":"elicitation/create"`+rest+`}}`, `{"await":1}`)))
			q := w.question()
			if d := cmp.Diff(want, q.Params); d != "" {
				t.Errorf("params (-want +got):\n%s", d)
			}
			q.answer(t, elicit.Answer{Invalid: &elicit.InvalidParamsError{Path: "params", Problem: "is odd"}})
			wire := `{"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"Invalid params: params: is odd"}}`
			if got := receiveFrom(t, done, "the result").texts(t); len(got) != 1 || got[0] != wire {
				t.Errorf("on the wire %s, want %s", got, wire)
			}
		})
	}
}
