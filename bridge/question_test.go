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

func TestQuestion_SubmitSendsExactlyWhatWasTypedOnce(t *testing.T) {
	bubble(t, nil, func(t *testing.T, r *rig) {
		r.run()
		r.click(ann, blockkit.ActionRespond)
		if n := len(r.slack.of("open")); n != 1 {
			t.Fatalf("%d forms opened, want 1", n)
		}
		if reply := r.submit(ann, r.filled("22:00 <UTC>")); reply.Errors != nil || reply.Replace != nil {
			t.Fatalf("Submit: %+v, want the form closed", reply)
		}
		r.wantAnswers(`accept {"cluster":"prod","window":"22:00 <UTC>"}`)
		r.wantCard("Accepted by")
		if p := r.pending(); p.State != elicit.StateDelivered {
			t.Errorf("state %s, want delivered", p.State)
		}
		if rec := r.audit.all(); len(rec) != 1 || rec[0].Reason != elicit.ReasonSubmitted || rec[0].Responder != ann {
			t.Errorf("audit: %+v, want one submitted by Ann", rec)
		}
	})
}

func TestQuestion_EachEndIsItsOwnAction(t *testing.T) {
	for _, tt := range []struct {
		name   string
		do     func(r *rig)
		wire   string
		card   string
		reason elicit.Reason
	}{
		{"Decline", func(r *rig) { r.click(ann, blockkit.ActionDecline) }, "decline", "Declined by", elicit.ReasonDeclined},
		{"Cancel", func(r *rig) { r.click(ann, blockkit.ActionCancel) }, "cancel", "Cancelled by", elicit.ReasonCancelled},
		{"closed form", func(r *rig) { r.closeForm(ann) }, "cancel", "Dismissed by", elicit.ReasonDismissed},
		{"deadline", func(r *rig) { time.Sleep(time.Hour); synctest.Wait() }, "cancel", "Expired", elicit.ReasonExpired},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, nil, func(t *testing.T, r *rig) {
				r.run()
				tt.do(r)
				r.wantAnswers(tt.wire)
				r.wantCard(tt.card)
				if rec := r.audit.all(); len(rec) != 1 || rec[0].Reason != tt.reason {
					t.Errorf("audit: %+v, want one with reason %s", rec, tt.reason)
				}
			})
		})
	}
}

func TestQuestion_EndsByItselfWhenTheLedgerHasForgottenIt(t *testing.T) {
	bubble(t, nil, func(t *testing.T, r *rig) {
		r.run()
		card := r.pending().Card
		r.ledger.forget()
		time.Sleep(time.Hour)
		synctest.Wait()
		r.wantAnswers("cancel")
		if u := r.slack.of("update"); len(u) == 0 || u[0].ts != card.TS || !strings.Contains(u[0].message.Text, "Expired") {
			t.Errorf("updates: %v, want the card to say Expired", texts(u))
		}
	})
}

func TestQuestion_IsNotAnsweredWhileTheLedgerIsOutOfReach(t *testing.T) {
	bubble(t, nil, func(t *testing.T, r *rig) {
		r.run()
		r.ledger.stall()
		r.ledger.fail(errors.New("redis is down"))
		time.Sleep(time.Hour)
		synctest.Wait()
		r.wantAnswers()
		r.ledger.fail(nil)
		time.Sleep(time.Minute)
		synctest.Wait()
		r.wantAnswers("cancel")
	})
}

func TestQuestion_LegalFormThatSlackCannotShowIsCancelledWithTheReason(t *testing.T) {
	bubble(t, nil, func(t *testing.T, r *rig) {
		var props []string
		for i := range 1500 {
			props = append(props, fmt.Sprintf(`"p%d":{"type":"string"}`, i))
		}
		r.host.call = r.asking(`{"message":"?","requestedSchema":{"type":"object","properties":{` + strings.Join(props, ",") + `}}}`)
		r.run()
		r.wantAnswers("cancel")
		r.wantNote("post", "Not shown")
		if rec := r.audit.all(); len(rec) != 1 || rec[0].Reason != elicit.ReasonUnrenderable || rec[0].Kind != "refusal" {
			t.Errorf("audit: %+v, want a refusal: unrenderable", rec)
		}
	})
}

func TestQuestion_LoserIsToldWhoWon(t *testing.T) {
	bubble(t, nil, func(t *testing.T, r *rig) {
		r.run()
		r.click(ann, blockkit.ActionDecline)
		card := r.pending().Card
		r.clickOn(ann, blockkit.ActionRespond, string(r.pending().ID), card)
		r.wantNote("ephemeral", "Declined")
		reply := r.submit(ann, r.filled("x"))
		if reply.Replace == nil {
			t.Errorf("Submit on an ended question: %+v, want the view replaced", reply)
		}
		r.wantAnswers("decline")
	})
}

func TestQuestion_NobodyButTheRequesterChangesAnything(t *testing.T) {
	stranger := elicit.User{Team: "T_OTHER", ID: ann.ID}
	for name, who := range map[string]elicit.User{"Bob": bob, "the same id of another workspace": stranger} {
		t.Run(name, func(t *testing.T) {
			bubble(t, nil, func(t *testing.T, r *rig) {
				r.run()
				for _, action := range []string{blockkit.ActionRespond, blockkit.ActionDecline, blockkit.ActionCancel} {
					r.click(who, action)
				}
				if reply := r.submit(who, r.filled("x")); reply.Replace == nil {
					t.Errorf("Submit by %s: %+v, want the view replaced", name, reply)
				}
				r.closeForm(who)
				r.wantAnswers()
				r.wantNote("ephemeral", "can answer this question")
				if n := len(r.slack.of("open")); n != 0 {
					t.Errorf("%d forms opened for %s", n, name)
				}
				if p := r.pending(); p.Decision != nil {
					t.Errorf("%s decided: %+v", name, p.Decision)
				}
			})
		})
	}
}

func TestQuestion_ButtonCountsOnlyOnItsOwnCard(t *testing.T) {
	bubble(t, nil, func(t *testing.T, r *rig) {
		r.run()
		r.clickOn(ann, blockkit.ActionDecline, string(r.pending().ID), elicit.MessageRef{Channel: "C1", TS: "9.9"})
		r.wantAnswers()
		r.wantNote("ephemeral", "does not belong")
	})
}

func TestQuestion_ForgottenQuestionIsToldAndItsCardRepaired(t *testing.T) {
	bubble(t, nil, func(t *testing.T, r *rig) {
		r.clickOn(ann, blockkit.ActionRespond, "nosuch", elicit.MessageRef{Channel: "C1", TS: "5.5"})
		r.wantNote("ephemeral", "not known any more")
		if u := r.slack.of("update"); len(u) != 1 || u[0].ts != "5.5" {
			t.Errorf("updates: %v, want the clicked card redrawn", texts(u))
		}
	})
}

func TestQuestion_MalformedIsToldToServerAndThread(t *testing.T) {
	bubble(t, nil, func(t *testing.T, r *rig) {
		r.host.call = r.asking(`{"message":"?","requestedSchema":{"type":"object","properties":{"limit":{"type":"object","properties":{}}}}}`)
		r.run()
		r.wantAnswers("-32602 requestedSchema.properties.limit")
		r.wantNote("post", "requestedSchema.properties.limit")
	})
}

func TestQuestion_GoesToADirectMessageWhereTheChannelIsClosed(t *testing.T) {
	bubble(t, nil, func(t *testing.T, r *rig) {
		r.slack.setFail("post C1", elicit.ErrCannotPost)
		r.run()
		if p := r.pending(); p.Card.Channel != "D_U_ANN" {
			t.Errorf("the card stands in %s, want Ann's DM", p.Card.Channel)
		}
		r.wantNote("post", "cannot post in")
	})
}

func TestQuestion_ThatReachesNobodyIsCancelledNeverDeclined(t *testing.T) {
	bubble(t, nil, func(t *testing.T, r *rig) {
		r.host.call = func(ctx context.Context, c elicit.Call) (elicit.Outcome, error) {
			r.slack.setFail("post", elicit.ErrCannotPost) // after the call was announced
			return r.asking(formParams)(ctx, c)
		}
		r.run()
		r.wantAnswers("cancel")
		if rec := r.audit.all(); len(rec) != 1 || rec[0].Reason != elicit.ReasonUndeliverable || !rec[0].Responder.IsZero() {
			t.Errorf("audit: %+v, want undeliverable by nobody", rec)
		}
	})
}

func TestQuestion_IsAskedOnceTheLedgerIsBack(t *testing.T) {
	bubble(t, nil, func(t *testing.T, r *rig) {
		r.host.call = func(ctx context.Context, c elicit.Call) (elicit.Outcome, error) {
			r.ledger.fail(errors.New("redis fails over"))
			return r.asking(formParams)(ctx, c)
		}
		r.run()
		r.ledger.fail(nil)
		time.Sleep(3 * time.Second)
		synctest.Wait()
		r.click(ann, blockkit.ActionDecline)
		r.wantAnswers("decline")
	})
}

func TestQuestion_IsNotShownWhenItCannotBeRecorded(t *testing.T) {
	bubble(t, nil, func(t *testing.T, r *rig) {
		r.host.call = func(ctx context.Context, c elicit.Call) (elicit.Outcome, error) {
			r.ledger.fail(errors.New("redis is down"))
			return r.asking(formParams)(ctx, c)
		}
		r.run()
		r.wantAnswers() // a moment without Redis costs no question
		time.Sleep(time.Minute)
		synctest.Wait()
		r.wantAnswers("cancel")
		if n := len(r.slack.of("open")); n != 0 {
			t.Errorf("a form was opened")
		}
		for _, p := range r.slack.of("post") {
			if strings.Contains(p.message.Text, "Which cluster?") {
				t.Errorf("the question was posted: %q", p.message.Text)
			}
		}
	})
}

func TestQuestion_WhatCannotBeRecordedIsNotAnsweredAndNotLost(t *testing.T) {
	bubble(t, nil, func(t *testing.T, r *rig) {
		r.run()
		id := r.pending()
		r.ledger.fail(errors.New("redis is down"))
		reply := r.b.Submit(t.Context(), blockkit.Submission{
			User: ann, View: blockkit.ViewRef{ID: "V1", CallbackID: blockkit.CallbackForm, Metadata: string(id.ID)}, State: json.RawMessage(r.filled("x")),
		})
		if len(reply.Errors) != 1 {
			t.Errorf("Submit: %+v, want one error at a field", reply)
		}
		r.clickOn(ann, blockkit.ActionDecline, string(id.ID), id.Card)
		r.wantNote("ephemeral", "could not be recorded")
		r.wantAnswers()
		r.ledger.fail(nil)
		r.submit(ann, r.filled("x"))
		r.wantAnswers(`accept {"cluster":"prod","window":"x"}`)
	})
}

func TestQuestion_WithdrawnIsNotAnsweredAndLaterSubmitsAreRefused(t *testing.T) {
	bubble(t, nil, func(t *testing.T, r *rig) {
		r.host.call = func(ctx context.Context, c elicit.Call) (elicit.Outcome, error) {
			qctx, withdraw := context.WithCancelCause(ctx)
			time.AfterFunc(time.Second, func() { withdraw(elicit.ErrWithdrawn) })
			r.ask(qctx, c, formParams)
			return elicit.Outcome{Result: &elicit.Result{}}, nil
		}
		r.run()
		time.Sleep(2 * time.Second)
		synctest.Wait()
		r.wantAnswers()
		r.wantCard("Withdrawn by the server")
		if reply := r.submit(ann, r.filled("x")); reply.Replace == nil {
			t.Errorf("Submit: %+v, want the view replaced", reply)
		}
	})
}

func TestQuestion_AnswerThatCannotLeaveIsShownAsLost(t *testing.T) {
	bubble(t, nil, func(t *testing.T, r *rig) {
		r.sendErr = errors.New("connection reset")
		r.run()
		r.submit(ann, r.filled("x"))
		r.wantAnswers()
		r.wantCard("Lost")
		if p := r.pending(); p.State != elicit.StateLost {
			t.Errorf("state %s, want lost", p.State)
		}
	})
}

func TestQuestion_UnauditedAnswerDoesNotLeave(t *testing.T) {
	bubble(t, nil, func(t *testing.T, r *rig) {
		r.audit.err = errors.New("disk full")
		r.run()
		r.submit(ann, r.filled("x"))
		r.wantAnswers("cancel")
		r.wantCard("Lost")
	})
}

func TestQuestion_RepeatedAfterANoIsNotShownAgainAndEndsTheCall(t *testing.T) {
	bubble(t, nil, func(t *testing.T, r *rig) {
		r.host.call = func(ctx context.Context, c elicit.Call) (elicit.Outcome, error) {
			for ctx.Err() == nil {
				r.ask(ctx, c, formParams)
			}
			return elicit.Outcome{}, ctx.Err()
		}
		r.run()
		r.click(ann, blockkit.ActionDecline)
		r.wantAnswers("decline", "cancel", "cancel")
		r.wantNote("post", "asked again")
		if n := len(r.slack.of("open")); n != 0 {
			t.Errorf("%d forms opened", n)
		}
	})
}

func TestSettled_QuestionOfADeadReplicaIsRedrawnAndAudited(t *testing.T) {
	bubble(t, nil, func(t *testing.T, r *rig) {
		p := elicit.Pending{
			ID: "p9", Owner: "R0", State: elicit.StateLost, Server: "deploy", Tool: "deploy_service", Card: elicit.MessageRef{Channel: "C1", TS: "9.9"},
			Origin:   elicit.Origin{Team: team, Channel: "C1", Thread: "1.1", Requester: ann.ID},
			Decision: &elicit.Decision{Action: elicit.Cancel, Reason: elicit.ReasonOwnerLost, At: time.Now()},
		}
		r.b.Settled(t.Context(), p)
		synctest.Wait()
		if u := r.slack.of("update"); len(u) != 1 || u[0].ts != "9.9" || !strings.Contains(u[0].message.Text, "Lost") {
			t.Errorf("updates: %v, want the card to say Lost", texts(u))
		}
		if rec := r.audit.all(); len(rec) != 1 || rec[0].Reason != elicit.ReasonOwnerLost {
			t.Errorf("audit: %+v, want one owner_lost", rec)
		}
	})
}

func TestDurable_RoundIsRepeatedWithItsAnswers(t *testing.T) {
	bubble(t, nil, func(t *testing.T, r *rig) {
		r.host.call = func(_ context.Context, c elicit.Call) (elicit.Outcome, error) {
			return elicit.Outcome{Parked: &elicit.Parked{Call: c, Round: 1, Questions: []elicit.Question{{
				Call: c.ID, Server: c.Server, Tool: c.Tool, Origin: c.Origin, Era: elicit.EraDurable, RequestID: "ask",
				Params: json.RawMessage(formParams),
			}}}}, nil
		}
		var got map[string]elicit.Answer
		r.host.resume = func(_ context.Context, _ elicit.Parked, a map[string]elicit.Answer) (elicit.Outcome, error) {
			got = a
			return elicit.Outcome{Result: &elicit.Result{Content: []json.RawMessage{json.RawMessage(`{"type":"text","text":"deployed"}`)}}}, nil
		}
		r.run()
		r.submit(ann, r.filled("x"))
		if a := got["ask"]; a.Action != elicit.Accept || string(a.Content) != `{"cluster":"prod","window":"x"}` {
			t.Errorf("the call was repeated with %+v", got)
		}
		r.wantNote("post", "deployed")
	})
}

func TestDurable_MalformedQuestionShowsNothingOfItsRound(t *testing.T) {
	bubble(t, nil, func(t *testing.T, r *rig) {
		r.host.call = func(_ context.Context, c elicit.Call) (elicit.Outcome, error) {
			q := elicit.Question{Call: c.ID, Server: c.Server, Tool: c.Tool, Origin: c.Origin, Era: elicit.EraDurable}
			good, bad := q, q
			good.RequestID, good.Params = "good", json.RawMessage(formParams)
			bad.RequestID, bad.Params = "bad", json.RawMessage(`{"message":"?","requestedSchema":{"type":"array"}}`)
			return elicit.Outcome{Parked: &elicit.Parked{Call: c, Round: 1, Questions: []elicit.Question{good, bad}}}, nil
		}
		r.run()
		if _, ok := r.ledger.only(); ok {
			t.Errorf("a question of the round was asked")
		}
		r.wantNote("post", "inputRequests.bad.params.requestedSchema")
	})
}
