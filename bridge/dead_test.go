package bridge_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/slackbridge/slackbridge/blockkit"
	"github.com/slackbridge/slackbridge/elicit"
)

var errSlackDown = fmt.Errorf("chat.update: %w", elicit.ErrSlackUnreachable)

// onlyRun is the record of the one call that runs.
func (l *fakeLedger) onlyRun(t *testing.T) (elicit.CallID, []byte) {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.runs) != 1 {
		t.Fatalf("%d calls are recorded, want one", len(l.runs))
	}
	for id, record := range l.runs {
		return id, record
	}
	return "", nil
}

func (s *fakeSlack) lastUpdate(ts string) string {
	text := ""
	for _, u := range s.of("update") {
		if u.ts == ts {
			text = u.message.Text
		}
	}
	return text
}

func TestCallLost_ItsThreadIsToldAndItsRequesterMayRunItAgain(t *testing.T) {
	bubble(t, nil, func(t *testing.T, r *rig) {
		r.run()
		id, record := r.ledger.onlyRun(t)
		heir := newRig(t, nil)
		heir.ledger.runs[id], heir.ledger.running[id] = record, ann
		heir.b.CallLost(t.Context(), id, record)
		synctest.Wait()
		heir.wantNote("post", "Whether it has done anything is not known")
		if got := heir.slack.lastUpdate("1.1"); !strings.Contains(got, "failed") {
			t.Errorf("the heading says %q, want that the call failed", got)
		}
		if len(heir.ledger.running) != 0 {
			t.Error("the call is still recorded as running")
		}
		heir.clickOn(bob, blockkit.ActionRunAgain, string(id), elicit.MessageRef{Channel: "C1", TS: "1.1"})
		if n := len(heir.sent()); n != 0 {
			t.Error("Bob ran Ann's call again")
		}
		var again []byte
		heir.host.call = func(_ context.Context, c elicit.Call) (elicit.Outcome, error) {
			again = c.Arguments
			return elicit.Outcome{Result: &elicit.Result{}}, nil
		}
		heir.clickOn(ann, blockkit.ActionRunAgain, string(id), elicit.MessageRef{Channel: "C1", TS: "7.7"})
		if string(again) != `{"service":"payments"}` {
			t.Errorf("ran again with %s", again)
		}
		if got := heir.slack.lastUpdate("7.7"); !strings.Contains(got, "again") {
			t.Errorf("the offer says %q after it was taken", got)
		}
		r.click(ann, blockkit.ActionDecline) // the first bridge must end
	})
}

func TestRunning_IsRecordedOnceTheLedgerIsBack(t *testing.T) {
	bubble(t, nil, func(t *testing.T, r *rig) {
		r.slack.then = func(p posted) {
			if p.how == "post" && p.ts == "1.1" {
				r.ledger.fail(errors.New("redis fails over"))
			}
		}
		r.host.call = func(ctx context.Context, c elicit.Call) (elicit.Outcome, error) {
			<-ctx.Done() // it works without asking
			return elicit.Outcome{}, context.Cause(ctx)
		}
		r.run()
		r.ledger.fail(nil)
		time.Sleep(3 * time.Second)
		synctest.Wait()
		id, _ := r.ledger.onlyRun(t)
		r.clickOn(ann, blockkit.ActionStop, string(id), elicit.MessageRef{Channel: "C1", TS: "1.1"})
		time.Sleep(3 * time.Second)
		synctest.Wait()
		if len(r.ledger.runs) != 0 {
			t.Error("an ended call is still recorded as running")
		}
	})
}

func TestHeading_IsDrawnOnceSlackCanBeReached(t *testing.T) {
	bubble(t, nil, func(t *testing.T, r *rig) {
		r.host.call = func(context.Context, elicit.Call) (elicit.Outcome, error) {
			return elicit.Outcome{Result: &elicit.Result{}}, nil
		}
		r.slack.setFail("update", errSlackDown)
		r.run()
		_, record := r.ledger.onlyRun(t)
		var rec struct {
			End blockkit.CallEnd `json:"end"`
		}
		if err := json.Unmarshal(record, &rec); err != nil || rec.End != blockkit.CallFinished {
			t.Errorf("the record %s, %v; want the end that is owed", record, err)
		}
		time.Sleep(10 * time.Minute) // the bubble's
		r.slack.setFail("update", nil)
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		if got := r.slack.lastUpdate("1.1"); !strings.Contains(got, "finished") {
			t.Errorf("the heading says %q", got)
		}
		if len(r.ledger.runs) != 0 {
			t.Error("the call is still recorded")
		}
	})
}

func TestHeading_OwedByADeadReplicaIsDrawnByItsHeir(t *testing.T) {
	bubble(t, nil, func(t *testing.T, r *rig) {
		r.host.call = func(context.Context, elicit.Call) (elicit.Outcome, error) {
			return elicit.Outcome{Result: &elicit.Result{}}, nil
		}
		r.slack.setFail("update", errSlackDown)
		r.run()
		id, record := r.ledger.onlyRun(t)
		heir := newRig(t, nil)
		heir.b.CallLost(t.Context(), id, record)
		synctest.Wait()
		if got := heir.slack.lastUpdate("1.1"); !strings.Contains(got, "finished") {
			t.Errorf("the heading says %q", got)
		}
		if n := len(heir.slack.of("post")); n != 0 {
			t.Errorf("%d messages were posted, want none: the result stands", n)
		}
	})
}

func TestCard_IsDrawnAgainUntilItStands(t *testing.T) {
	bubble(t, nil, func(t *testing.T, r *rig) {
		r.run()
		r.slack.setFail("update", errSlackDown)
		r.click(ann, blockkit.ActionDecline)
		r.wantAnswers("decline")
		p := r.pending()
		if _, drawn := r.ledger.drawn[p.ID]; drawn {
			t.Error("the card counts as drawn")
		}
		r.slack.setFail("update", nil)
		r.b.Undrawn(t.Context(), p)
		synctest.Wait()
		r.wantCard("Declined by")
		if shown := r.ledger.drawn[p.ID]; shown != p.State {
			t.Errorf("drawn as %q, want %q", shown, p.State)
		}
	})
}

func TestUnplaced_QuestionIsPosted(t *testing.T) {
	bubble(t, nil, func(t *testing.T, r *rig) {
		r.run()
		p := r.pending()
		r.ledger.records[p.ID].Card = elicit.MessageRef{}
		p.Card = elicit.MessageRef{}
		before := len(r.slack.of("post"))
		r.b.Unplaced(t.Context(), p)
		synctest.Wait()
		if n := len(r.slack.of("post")); n != before+1 {
			t.Errorf("%d messages were posted, want one", n-before)
		}
		r.click(ann, blockkit.ActionDecline)
		r.wantAnswers("decline")
	})
}

// durableOnce is a tool of the durable era that asks one question.
func durableOnce(_ context.Context, c elicit.Call) (elicit.Outcome, error) {
	return elicit.Outcome{Parked: &elicit.Parked{Call: c, Round: 1, Questions: []elicit.Question{{
		Call: c.ID, Server: c.Server, Tool: c.Tool, Origin: c.Origin, Era: elicit.EraDurable, RequestID: "ask", Params: json.RawMessage(formParams),
	}}}}, nil
}

func TestStop_EndsADurableCallWheneverItComes(t *testing.T) {
	for name, when := range map[string]func(posted) bool{
		"as the card is posted": func(p posted) bool { return strings.Contains(p.message.Text, "asks") },
		"afterwards":            func(posted) bool { return false },
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, nil, func(t *testing.T, r *rig) {
				r.host.call = durableOnce
				r.host.resume = func(context.Context, elicit.Parked, map[string]elicit.Answer) (elicit.Outcome, error) {
					t.Error("a stopped call was repeated")
					return elicit.Outcome{}, nil
				}
				r.ledger.stopped = r.b.Stopped
				r.slack.then = func(p posted) {
					if p.how == "post" && when(p) {
						time.Sleep(time.Millisecond) // the bubble's: the call is recorded
						if id := r.ledger.firstParkedOrRunning(); id != "" {
							r.b.Stopped(context.Background(), id)
						}
					}
				}
				r.run()
				time.Sleep(time.Second)
				if name == "afterwards" {
					r.b.Stopped(t.Context(), r.ledger.firstParkedOrRunning())
				}
				synctest.Wait()
				if p := r.pending(); p.Decision == nil || p.Decision.Reason != elicit.ReasonStopped {
					t.Errorf("the question: %+v, want it stopped", p.Decision)
				}
				r.wantCard("Cancelled")
				if got := r.slack.lastUpdate("1.1"); !strings.Contains(got, "failed") {
					t.Errorf("the heading says %q", got)
				}
			})
		})
	}
}

func (l *fakeLedger) firstParkedOrRunning() elicit.CallID {
	l.mu.Lock()
	defer l.mu.Unlock()
	for id := range l.parked {
		return id
	}
	for id := range l.runs {
		return id
	}
	return ""
}

func TestEnd_ThatCouldNotBeRecordedIsRecordedLater(t *testing.T) {
	bubble(t, nil, func(t *testing.T, r *rig) {
		r.run()
		id, _ := r.ledger.onlyRun(t)
		r.ledger.stall() // the sweep of another replica must not be what ends it
		r.ledger.fail(errors.New("Redis is away"))
		r.b.Stopped(t.Context(), id)
		synctest.Wait()
		r.wantAnswers("cancel")
		r.ledger.fail(nil)
		time.Sleep(2 * time.Second)
		synctest.Wait()
		got := r.pending()
		if got.Decision == nil || got.Decision.Reason != elicit.ReasonStopped || got.State != elicit.StateDelivered {
			t.Errorf("the record: %s %+v; want it stopped and delivered", got.State, got.Decision)
		}
		reply := r.submit(ann, r.filled("tonight")) // from a form that was left open
		if reply.Replace == nil {
			t.Errorf("the form was answered %+v, want it replaced by what happened", reply)
		}
		r.wantAnswers("cancel")
	})
}

func TestUndrawn_LostAnswerWithoutACardIsToldInTheThread(t *testing.T) {
	bubble(t, nil, func(t *testing.T, r *rig) {
		p := elicit.Pending{
			ID: "p9", Owner: "R0", State: elicit.StateLost, Server: "deploy", Tool: "deploy_service",
			Origin:   elicit.Origin{Team: team, Channel: "C1", Thread: "1.1", Requester: ann.ID},
			Decision: &elicit.Decision{Action: elicit.Accept, Reason: elicit.ReasonSubmitted, Responder: ann, At: time.Now()},
		}
		r.b.Undrawn(t.Context(), p)
		synctest.Wait()
		r.wantNote("post", "did not reach the server")
		if r.ledger.drawn[p.ID] != elicit.StateLost {
			t.Error("it would be told again")
		}
	})
}
