package bridge_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/slackbridge/slackbridge/blockkit"
	"github.com/slackbridge/slackbridge/bridge"
	"github.com/slackbridge/slackbridge/elicit"
)

// watcher writes down what a Meter and a Tracer are told.
type watcher struct {
	mu      sync.Mutex
	counted []string
	traced  []string
	n       int
}

func (w *watcher) count(format string, v ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.counted = append(w.counted, fmt.Sprintf(format, v...))
}

func (w *watcher) trace(name, parent, more string) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.n++
	id := fmt.Sprintf("%s%d", name, w.n)
	w.traced = append(w.traced, strings.TrimSpace(fmt.Sprintf("%s under %q %s", id, parent, more)))
	return id
}

func (w *watcher) said() (counted, traced string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return strings.Join(w.counted, "\n"), strings.Join(w.traced, "\n")
}

func (w *watcher) Asked(p elicit.Pending) { w.count("asked %s", p.Era) }

func (w *watcher) Refused(server string, why elicit.Reason) { w.count("refused %s %s", server, why) }

func (w *watcher) Decided(p elicit.Pending) {
	w.count("decided %s %s %s", p.Decision.Action, p.Decision.Reason, p.State)
}

func (w *watcher) Delivered(_ elicit.Pending, took time.Duration, ok bool) {
	w.count("delivered %s %t", took, ok)
}

func (w *watcher) Request(c elicit.Call, again bool) (string, func(elicit.Outcome, error)) {
	name := "call"
	if again {
		name = "resume"
	}
	return w.trace(name, c.Trace, ""), func(elicit.Outcome, error) {}
}

func (w *watcher) Question(call, server string, p elicit.Pending) string {
	return w.trace("question", call, strings.TrimSpace(server+" "+string(p.Decision.Reason)))
}

func (w *watcher) Delivery(question string, _ elicit.Pending, _, _ time.Time, ok bool) {
	w.trace("delivery", question, fmt.Sprint(ok))
}

func (w *watcher) tune(o *bridge.Options) { o.Meter, o.Tracer = w, w }

// withMeta puts a traceparent of the server into the params of a question.
func withMeta(params, traceparent string) string {
	return strings.TrimSuffix(params, "}") + fmt.Sprintf(`,"_meta":{"traceparent":%q}}`, traceparent)
}

func TestWatch_EachEndOfAQuestionIsCountedAndTracedOnce(t *testing.T) {
	withdrawn := func(r *rig) {
		r.host.call = func(ctx context.Context, c elicit.Call) (elicit.Outcome, error) {
			qctx, withdraw := context.WithCancelCause(ctx)
			time.AfterFunc(time.Second, func() { withdraw(elicit.ErrWithdrawn) })
			r.ask(qctx, c, formParams)
			return elicit.Outcome{Result: &elicit.Result{}}, nil
		}
	}
	for _, tt := range []struct {
		name    string
		before  func(r *rig)
		do      func(r *rig)
		counted string
		traced  string
	}{
		{"submit", nil, func(r *rig) { r.submit(ann, r.filled("x")) },
			"asked blocking\ndecided accept submitted decided\ndelivered 0s true",
			"call1 under \"\"\nquestion2 under \"call1\" submitted\ndelivery3 under \"question2\" true"},
		{"the server has a span", func(r *rig) { r.host.call = r.asking(withMeta(formParams, "theirs")) }, func(r *rig) { r.click(ann, blockkit.ActionDecline) },
			"asked blocking\ndecided decline declined decided\ndelivered 0s true",
			"call1 under \"\"\nquestion2 under \"call1\" theirs declined\ndelivery3 under \"question2\" true"},
		{"stranger, then expiry", nil, func(r *rig) { r.click(bob, blockkit.ActionDecline); time.Sleep(time.Hour); synctest.Wait() },
			"asked blocking\nrefused deploy not_entitled\ndecided cancel expired decided\ndelivered 0s true",
			"call1 under \"\"\nquestion2 under \"call1\" expired\ndelivery3 under \"question2\" true"},
		{"the answer cannot leave", func(r *rig) { r.sendErr = errors.New("connection reset") }, func(r *rig) { r.submit(ann, r.filled("x")) },
			"asked blocking\ndecided accept submitted decided\ndelivered 0s false",
			"call1 under \"\"\nquestion2 under \"call1\" submitted\ndelivery3 under \"question2\" false"},
		{"the answer cannot be audited", func(r *rig) { r.audit.err = errors.New("disk full") }, func(r *rig) { r.submit(ann, r.filled("x")) },
			"asked blocking\ndecided accept submitted decided\ndelivered 0s false",
			"call1 under \"\"\nquestion2 under \"call1\" submitted\ndelivery3 under \"question2\" false"},
		{"withdrawn", withdrawn, func(*rig) { time.Sleep(2 * time.Second); synctest.Wait() },
			"asked blocking\ndecided cancel withdrawn withdrawn",
			"call1 under \"\"\nquestion2 under \"call1\" withdrawn"},
		{"malformed", func(r *rig) { r.host.call = r.asking(`{"message":1}`) }, func(*rig) {},
			"refused deploy malformed", "call1 under \"\""},
		{"forgotten by the ledger", nil, func(r *rig) { r.ledger.forget(); time.Sleep(time.Hour); synctest.Wait() },
			"asked blocking\ndecided cancel expired decided",
			"call1 under \"\"\nquestion2 under \"call1\" expired"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := &watcher{}
			bubble(t, w.tune, func(t *testing.T, r *rig) {
				if tt.before != nil {
					tt.before(r)
				}
				r.run()
				tt.do(r)
				counted, traced := w.said()
				if counted != tt.counted {
					t.Errorf("counted:\n%s\nwant:\n%s", counted, tt.counted)
				}
				if traced != tt.traced {
					t.Errorf("traced:\n%s\nwant:\n%s", traced, tt.traced)
				}
			})
		})
	}
}

// TestWatch_RoundsOfADurableCallAreTracedUnderTheRequestThatAsked: the trace is
// kept with the parked call, as another replica reads it.
func TestWatch_RoundsOfADurableCallAreTracedUnderTheRequestThatAsked(t *testing.T) {
	w := &watcher{}
	bubble(t, w.tune, func(t *testing.T, r *rig) {
		var sent []string // the trace that each request carries
		asks := func(c elicit.Call, round int) (elicit.Outcome, error) {
			sent = append(sent, c.Trace)
			if round == 3 {
				return elicit.Outcome{Result: &elicit.Result{}}, nil
			}
			return elicit.Outcome{Parked: &elicit.Parked{Call: c, Round: round, Questions: []elicit.Question{{
				Call: c.ID, Server: c.Server, Tool: c.Tool, Origin: c.Origin, Era: elicit.EraDurable, RequestID: "ask",
				Params: json.RawMessage(strings.Replace(formParams, "Which", fmt.Sprintf("%d: which", round), 1)),
			}}}}, nil
		}
		r.host.call = func(_ context.Context, c elicit.Call) (elicit.Outcome, error) { return asks(c, 1) }
		r.host.resume = func(_ context.Context, p elicit.Parked, _ map[string]elicit.Answer) (elicit.Outcome, error) {
			time.Sleep(time.Minute) // the tool works: that is no time of delivery
			return asks(p.Call, p.Round+1)
		}
		r.run()
		r.submit(ann, r.filled("x"))
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		r.ledger.mu.Lock()
		for id, p := range r.ledger.records { // the rig's helpers act on the only one
			if p.Decision != nil {
				delete(r.ledger.records, id)
			}
		}
		r.ledger.mu.Unlock()
		r.click(ann, blockkit.ActionDecline)
		time.Sleep(2 * time.Minute)
		synctest.Wait()

		counted, traced := w.said()
		if want := "call1,resume3,resume6"; strings.Join(sent, ",") != want {
			t.Errorf("the requests carried %q, want %s", sent, want)
		}
		for _, want := range []string{
			`call1 under ""`, `question2 under "call1" submitted`, `resume3 under "call1"`, `delivery4 under "question2" true`,
			`question5 under "resume3" declined`, `resume6 under "resume3"`, `delivery7 under "question5" true`,
		} {
			if !strings.Contains(traced+"\n", want+"\n") {
				t.Errorf("nothing says %s:\n%s", want, traced)
			}
		}
		if n := strings.Count(counted, "delivered 0s true"); n != 2 {
			t.Errorf("counted:\n%s\nwant 2 deliveries that took no time", counted)
		}
	})
}
