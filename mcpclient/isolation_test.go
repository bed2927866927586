package mcpclient

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/slackbridge/slackbridge/elicit"
)

func TestIsolation_TwoUsersOfOneServerAnsweredInReverseOrder(t *testing.T) {
	s := newRawHTTP(t, false, func(x *exchangeHTTP) {
		x.stream()
		x.event("", ask("3"))
		h := s3(x)
		x.event("", x.text(h))
	})
	for name, servers := range map[string]string{"stdio": local(t, "raw", ""), "http": remote(s.srv.URL, "")} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, servers, nil)
			tool := map[string]string{"stdio": "script", "http": "run"}[name]
			anns := w.start(t.Context(), callFor(ann, "s", tool, steps(`{"send":`+ask("3")+`}`, `{"await":1}`)))
			first := w.question()
			bobs := w.start(t.Context(), callFor(bob, "s", tool, steps(`{"send":`+ask("3")+`}`, `{"await":1}`)))
			second := w.question()
			if first.Origin.Requester != "U_ANN" || second.Origin.Requester != "U_BOB" || first.Call == second.Call {
				t.Fatalf("the questions belong to %s and %s", first.Origin.Requester, second.Origin.Requester)
			}
			second.answer(t, accept(`{"who":"bob"}`))
			first.answer(t, accept(`{"who":"ann"}`))
			for who, done := range map[string]<-chan outcome{"ann": anns, "bob": bobs} {
				if got := receiveFrom(t, done, "the result").texts(t); len(got) != 1 || !strings.Contains(got[0], `{"who":"`+who+`"}`) {
					t.Errorf("the call of %s got %s", who, got)
				}
			}
		})
	}
}

// s3 is the response to question 3 in the session of this exchange.
func s3(x *exchangeHTTP) string {
	session := x.header.Get(sessionHeader)
	return x.s.await(x.closed(), func(h heardHTTP) bool {
		return responses(h) && h.header.Get(sessionHeader) == session
	}).body
}

func TestIsolation_OneUserMayRunSeveralCallsAndThenWaits(t *testing.T) {
	w := newWorld(t, local(t, "raw", ""), func(o *Options) { o.PerUser = 2 })
	script := steps(`{"send":`+ask("3")+`}`, `{"await":1}`)
	var done []<-chan outcome
	for range 2 {
		done = append(done, w.start(t.Context(), callFor(ann, "s", "script", script)))
	}
	first, second := w.question(), w.question()
	ctx, cancel := context.WithCancelCause(t.Context())
	givenUp := w.start(ctx, callFor(ann, "s", "script", script))
	third := w.start(t.Context(), callFor(ann, "s", "script", script))
	bobs := w.start(t.Context(), callFor(bob, "s", "script", script))
	if q := w.question(); q.Origin.Requester != "U_BOB" {
		t.Errorf("a third call of Ann's ran although she may have two")
	} else {
		q.answer(t, accept(`{}`))
	}
	receiveFrom(t, bobs, "Bob's result").texts(t)
	cancel(elicit.ErrStopped)
	if out := receiveFrom(t, givenUp, "the end of the call that waits"); !errors.Is(out.err, elicit.ErrStopped) {
		t.Errorf("the call that waited ended with %v, want ErrStopped", out.err)
	}
	first.answer(t, accept(`{}`))
	w.question().answer(t, accept(`{}`)) // the third call has taken the place
	second.answer(t, accept(`{}`))
	for _, d := range append(done, third) {
		receiveFrom(t, d, "the result").texts(t)
	}
}

func TestIsolation_CallAfterAStoppedOneHasANewConnection(t *testing.T) {
	w := newWorld(t, local(t, "raw", ""), nil)
	before := w.call("s", "pid", "").texts(t)
	ctx, stop := context.WithCancelCause(t.Context())
	done := w.start(ctx, callFor(ann, "s", "script", steps(`{"send":`+ask("3")+`}`, `{"await":9}`)))
	w.question()
	stop(elicit.ErrStopped)
	receiveFrom(t, done, "the end of the call")
	after := w.call("s", "pid", "").texts(t)
	if cmp.Equal(before, after) {
		t.Errorf("the same process %s took the next call: what it still asks could reach that one", after)
	}
}

func TestIsolation_ConnectionIsReusedByItsUserOnlyAndClosedWhenIdle(t *testing.T) {
	sweep := make(chan time.Time)
	clock := &manualClock{at: time.Unix(0, 0)}
	w := newWorld(t, local(t, "raw", ""), func(o *Options) {
		o.IdleTime, o.Now = time.Hour, clock.now
		o.After = func(d time.Duration) <-chan time.Time {
			if d == 30*time.Minute {
				return sweep
			}
			return time.After(d)
		}
	})
	anns := w.call("s", "pid", "").texts(t)
	bobs := receiveFrom(t, w.start(t.Context(), callFor(bob, "s", "pid", "")), "Bob's result").texts(t)
	again := w.call("s", "pid", "").texts(t)
	if !cmp.Equal(anns, again) || cmp.Equal(anns, bobs) {
		t.Errorf("Ann had processes %s and %s, Bob %s", anns, again, bobs)
	}
	clock.add(time.Hour)
	sweep <- time.Time{}
	sweep <- time.Time{} // taken only when the first sweep is over
	if after := w.call("s", "pid", "").texts(t); cmp.Equal(anns, after) {
		t.Error("a connection that was idle for an hour is still there")
	}
}

func TestCall_UnknownServerAndToolListWhatIsKnown(t *testing.T) {
	w := newWorld(t, local(t, "raw", ""), nil)
	_, err := w.host.Call(t.Context(), callFor(ann, "deploi", "x", ""))
	wantError[*UnknownServerError](t, err)
	wantMention(t, err, `"deploi"`, "known: s")
	_, err = w.host.Call(t.Context(), callFor(ann, "s", "scrip", ""))
	e := wantError[*UnknownToolError](t, err)
	if e.Known[0] != "script" || len(e.Known) != 4 {
		t.Errorf("known tools are %s, want script first of 4", e.Known)
	}
	wantMention(t, err, "server s", `"scrip"`, "script, ")
	for _, args := range []string{`null`, `[]`, `{`, `"x"`} {
		if _, err := w.host.Call(t.Context(), callFor(ann, "s", "script", args)); err == nil {
			t.Errorf("arguments %s were sent", args)
		}
	}
}

func TestTools_KeepTheSchemaAsItStoodAndAreListedOnce(t *testing.T) {
	clock := &manualClock{at: time.Unix(0, 0)}
	w := newWorld(t, local(t, "raw", ""), func(o *Options) { o.Now = clock.now })
	for range 2 {
		tools, err := w.host.Tools(t.Context(), "s", ann)
		if err != nil {
			t.Fatal(err)
		}
		want := elicit.Tool{
			Server: "s", Name: "script", Title: "Script",
			InputSchema: []byte(`{"type":"object","properties":{"zeta":{"type":"string","maximum":9007199254740993},"alpha":{"type":"string"}}}`),
		}
		if d := cmp.Diff(want, tools[0]); d != "" {
			t.Errorf("tool (-want +got):\n%s", d)
		}
	}
	lists := func() int {
		n := 0
		for _, line := range w.call("s", "heard", "").texts(t) {
			n += strings.Count(line, `"tools/list"`)
		}
		return n
	}
	if n := lists(); n != 1 {
		t.Errorf("the tools were listed %d times, want once", n)
	}
	clock.add(toolsFresh + 1)
	if _, err := w.host.Tools(t.Context(), "s", ann); err != nil {
		t.Fatal(err)
	}
	if n := lists(); n != 2 {
		t.Errorf("after a while the tools were listed %d times, want twice", n)
	}
	w.call("s", "script", steps(`{"send":{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}}`)).texts(t)
	if _, err := w.host.Tools(t.Context(), "s", ann); err != nil {
		t.Fatal(err)
	}
	if n := lists(); n != 3 {
		t.Errorf("after a change the tools were listed %d times, want three", n)
	}
}

func TestAsk_PanicAndSilenceAreAnsweredCancel(t *testing.T) {
	for name, ask := range map[string]func(context.Context, elicit.Question, func(context.Context, elicit.Answer) error){
		"panic":   func(context.Context, elicit.Question, func(context.Context, elicit.Answer) error) { panic("boom") },
		"silence": func(context.Context, elicit.Question, func(context.Context, elicit.Answer) error) {},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, local(t, "raw", ""), func(o *Options) { o.Ask = ask })
			got := w.call("s", "script", steps(`{"send":{"jsonrpc":"2.0","id":3,"method":"elicitation/create","params":{}}}`, `{"await":1}`)).texts(t)
			if want := `{"jsonrpc":"2.0","id":3,"result":{"action":"cancel"}}`; len(got) != 1 || got[0] != want {
				t.Errorf("on the wire %s, want %s", got, want)
			}
		})
	}
}
