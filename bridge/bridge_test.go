package bridge_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/big"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/slackbridge/slackbridge/blockkit"
	"github.com/slackbridge/slackbridge/bridge"
	"github.com/slackbridge/slackbridge/elicit"
)

const team = "T_HOME"

var bigLimit = big.NewInt(1 << 62)

var (
	ann = elicit.User{Team: team, ID: "U_ANN"}
	bob = elicit.User{Team: team, ID: "U_BOB"}
)

const formParams = `{"message":"Which cluster?","requestedSchema":{"type":"object","properties":{"cluster":{"type":"string","enum":["prod","stage"]},"window":{"type":"string"}},"required":["cluster","window"]}}`

// rig is a bridge among fakes, inside a synctest bubble.
type rig struct {
	t      *testing.T
	ledger *fakeLedger
	slack  *fakeSlack
	host   *fakeHost
	audit  *fakeAudit
	b      *bridge.Bridge

	mu      sync.Mutex
	answers []elicit.Answer // what went out on the wire
	sendErr error
}

func newRig(t *testing.T, tune func(*bridge.Options)) *rig {
	t.Helper()
	r := &rig{t: t, ledger: newFakeLedger(), slack: newFakeSlack(), host: &fakeHost{}, audit: &fakeAudit{}}
	r.host.tools = []elicit.Tool{{Server: "deploy", Name: "deploy_service", InputSchema: json.RawMessage(`{"type":"object","properties":{"service":{"type":"string"}},"required":["service"]}`)}}
	r.host.call = r.asking(formParams)
	o := bridge.Options{
		Replica: "R1", Team: team, Ledger: r.ledger, Slack: r.slack, Host: r.host, Audit: r.audit,
		Now: time.Now, Rand: rand.Reader, Log: slog.New(slog.DiscardHandler),
	}
	if tune != nil {
		tune(&o)
	}
	b, err := bridge.New(o)
	if err != nil {
		t.Fatal(err)
	}
	r.b = b
	r.ledger.settled = b.Settled
	return r
}

// asking is a tool that asks one question and returns what was answered.
func (r *rig) asking(params string) func(context.Context, elicit.Call) (elicit.Outcome, error) {
	return func(ctx context.Context, c elicit.Call) (elicit.Outcome, error) {
		r.ask(ctx, c, params)
		return elicit.Outcome{Result: &elicit.Result{Content: []json.RawMessage{json.RawMessage(`{"type":"text","text":"done"}`)}}}, nil
	}
}

func (r *rig) ask(ctx context.Context, c elicit.Call, params string) {
	q := elicit.Question{
		Call: c.ID, Server: c.Server, Tool: c.Tool, Origin: c.Origin, Era: elicit.EraBlocking, Protocol: "2025-11-25",
		RequestID: "1", Params: json.RawMessage(params),
	}
	r.b.Ask(ctx, q, func(_ context.Context, a elicit.Answer) error {
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.sendErr != nil {
			return r.sendErr
		}
		r.answers = append(r.answers, a)
		return nil
	})
}

func (r *rig) sent() []elicit.Answer {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]elicit.Answer(nil), r.answers...)
}

// run types the command and returns when everything waits.
func (r *rig) run() {
	r.t.Helper()
	r.command("deploy.deploy_service service=payments")
}

func (r *rig) command(text string) {
	r.t.Helper()
	trigger, err := rand.Int(rand.Reader, bigLimit)
	if err != nil {
		r.t.Fatal(err)
	}
	r.b.Command(r.t.Context(), blockkit.Command{
		User: ann, Channel: "C1", Text: text, TriggerID: trigger.String(), ResponseURL: "https://respond", At: time.Now(),
	})
	synctest.Wait()
}

func (r *rig) pending() elicit.Pending {
	r.t.Helper()
	p, ok := r.ledger.only()
	if !ok {
		r.t.Fatalf("there is not exactly one pending")
	}
	return p
}

func (r *rig) click(who elicit.User, action string) {
	r.t.Helper()
	p := r.pending()
	r.clickOn(who, action, string(p.ID), p.Card)
}

func (r *rig) clickOn(who elicit.User, action, value string, card elicit.MessageRef) {
	r.t.Helper()
	r.b.Click(r.t.Context(), blockkit.Click{
		User: who, Action: action, Value: value, Message: card, Thread: "1.1", TriggerID: "trigger", ResponseURL: "https://respond", At: time.Now(),
	})
	synctest.Wait()
}

func (r *rig) submit(who elicit.User, state string) blockkit.SubmitReply {
	r.t.Helper()
	reply := r.b.Submit(r.t.Context(), blockkit.Submission{
		User: who, View: blockkit.ViewRef{ID: "V1", CallbackID: blockkit.CallbackForm, Metadata: string(r.pending().ID)},
		State: json.RawMessage(state), At: time.Now(),
	})
	synctest.Wait()
	return reply
}

func (r *rig) closeForm(who elicit.User) {
	r.t.Helper()
	r.b.Closed(r.t.Context(), blockkit.Closing{
		User: who, View: blockkit.ViewRef{ID: "V1", CallbackID: blockkit.CallbackForm, Metadata: string(r.pending().ID)}, At: time.Now(),
	})
	synctest.Wait()
}

// filled is the state of the form of formParams, with the first option chosen.
func (r *rig) filled(window string) string {
	r.t.Helper()
	el, err := blockkit.Parse(json.RawMessage(formParams))
	if err != nil {
		r.t.Fatal(err)
	}
	view := el.Form.Modal(blockkit.FormView{ID: "p", User: ann, Server: "deploy", Zone: time.UTC})
	raw, err := json.Marshal(view.View)
	if err != nil {
		r.t.Fatal(err)
	}
	var v struct {
		Blocks []struct {
			Type    string `json:"type"`
			BlockID string `json:"block_id"`
			Element struct {
				ActionID string            `json:"action_id"`
				Options  []json.RawMessage `json:"options"`
			} `json:"element"`
		} `json:"blocks"`
	}
	if err := json.Unmarshal(raw, &v); err != nil {
		r.t.Fatal(err)
	}
	values := map[string]any{}
	for _, b := range v.Blocks {
		if b.Type != "input" {
			continue
		}
		if len(b.Element.Options) > 0 {
			values[b.BlockID] = map[string]any{b.Element.ActionID: map[string]any{"type": "radio_buttons", "selected_option": b.Element.Options[0]}}
		} else {
			values[b.BlockID] = map[string]any{b.Element.ActionID: map[string]any{"type": "plain_text_input", "value": window}}
		}
	}
	state, err := json.Marshal(map[string]any{"values": values})
	if err != nil {
		r.t.Fatal(err)
	}
	return string(state)
}

// wantAnswers compares what went out on the wire.
func (r *rig) wantAnswers(want ...string) {
	r.t.Helper()
	var got []string
	for _, a := range r.sent() {
		s := string(a.Action)
		if a.Content != nil {
			s += " " + string(a.Content)
		}
		if a.Invalid != nil {
			s = "-32602 " + a.Invalid.Path
		}
		got = append(got, s)
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		r.t.Errorf("on the wire: %q, want %q", got, want)
	}
}

// wantCard checks the last redraw of the question's card.
func (r *rig) wantCard(want string) {
	r.t.Helper()
	card := r.pending().Card
	var last *posted
	for _, u := range r.slack.of("update") {
		if u.ts == card.TS {
			last = &u
		}
	}
	if last == nil {
		r.t.Errorf("the card was not redrawn, want %q", want)
		return
	}
	if !strings.Contains(last.message.Text, want) {
		r.t.Errorf("the card says %q, want %q", last.message.Text, want)
	}
	raw, err := json.Marshal(last.message.Blocks)
	if err != nil {
		r.t.Fatal(err)
	}
	if strings.Contains(string(raw), `"button"`) {
		r.t.Errorf("the ended card still has buttons: %s", raw)
	}
}

func (r *rig) wantNote(how, want string) {
	r.t.Helper()
	for _, p := range r.slack.of(how) {
		if strings.Contains(p.message.Text, want) {
			return
		}
	}
	r.t.Errorf("no %s says %q: %v", how, want, texts(r.slack.of(how)))
}

func texts(ps []posted) []string {
	var out []string
	for _, p := range ps {
		out = append(out, p.message.Text)
	}
	return out
}

func bubble(t *testing.T, tune func(*bridge.Options), body func(t *testing.T, r *rig)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, tune)
		defer r.end(t)
		body(t, r)
	})
}

// end drains the bridge and stops the timers, so that the bubble can end.
func (r *rig) end(t *testing.T) {
	t.Helper()
	if err := r.b.Drain(context.WithoutCancel(t.Context()), 0); err != nil {
		t.Errorf("Drain: %v", err)
	}
	for _, timer := range r.ledger.timers {
		timer.Stop()
	}
}

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
		for i := range 150 {
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

func TestQuestion_IsNotShownWhenItCannotBeRecorded(t *testing.T) {
	bubble(t, nil, func(t *testing.T, r *rig) {
		r.host.call = func(ctx context.Context, c elicit.Call) (elicit.Outcome, error) {
			r.ledger.fail(errors.New("redis is down"))
			return r.asking(formParams)(ctx, c)
		}
		r.run()
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

func TestRespond_SlowLookUpKeepsTheTriggerInALoadingView(t *testing.T) {
	bubble(t, nil, func(t *testing.T, r *rig) {
		r.run()
		r.ledger.slow = 2 * time.Second
		began := time.Now()
		r.click(ann, blockkit.ActionRespond)
		if len(r.slack.of("open")) != 1 || len(r.slack.of("view")) != 1 {
			t.Fatalf("%d opened, %d updated; want a loading view that becomes the form", len(r.slack.of("open")), len(r.slack.of("view")))
		}
		if took := time.Since(began); took < 2*time.Second {
			t.Errorf("the form came after %s, before its question was read", took)
		}
		if id := r.slack.of("open")[0].modal.View.CallbackID; id == blockkit.CallbackForm {
			t.Errorf("the loading view can be taken for the form: closing it would cancel")
		}
		if id := r.slack.of("view")[0].modal.View.CallbackID; id != blockkit.CallbackForm {
			t.Errorf("the loading view became %q", id)
		}
	})
}

func TestRespond_ExpiredTriggerLeavesTheQuestionOpen(t *testing.T) {
	bubble(t, nil, func(t *testing.T, r *rig) {
		r.run()
		r.slack.setFail("open", elicit.ErrTriggerExpired)
		r.click(ann, blockkit.ActionRespond)
		r.wantNote("ephemeral", "press the button again")
		r.slack.setFail("open", nil)
		r.click(ann, blockkit.ActionRespond)
		if n := len(r.slack.of("open")); n != 1 {
			t.Errorf("%d forms opened after the second press, want 1", n)
		}
	})
}

func TestRespond_DoubleClickIsToldWhileALaterPressOpensAnew(t *testing.T) {
	bubble(t, nil, func(t *testing.T, r *rig) {
		r.run()
		r.click(ann, blockkit.ActionRespond)
		time.Sleep(time.Minute / 2)
		r.click(ann, blockkit.ActionRespond)
		open := r.slack.of("open")
		if len(open) != 2 || open[0].modal.View.ExternalID == open[1].modal.View.ExternalID {
			t.Errorf("half a minute later the view has the same id, so a form lost on a phone would block it")
		}
		r.slack.setFail("open", elicit.ErrAlreadyOpen)
		r.click(ann, blockkit.ActionRespond)
		r.wantNote("ephemeral", "open already")
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
		if u := r.slack.of("update"); len(u) != 1 || u[0].ts != "9.9" || !strings.Contains(u[0].message.Text, "Lost") {
			t.Errorf("updates: %v, want the card to say Lost", texts(u))
		}
		if rec := r.audit.all(); len(rec) != 1 || rec[0].Reason != elicit.ReasonOwnerLost {
			t.Errorf("audit: %+v, want one owner_lost", rec)
		}
	})
}

func TestAutoOpen_OnlyWhileTheCommandIsFresh(t *testing.T) {
	for _, tt := range []struct {
		name  string
		think time.Duration
		want  int
	}{{"at once", 0, 1}, {"after 2.4 s", 2400 * time.Millisecond, 1}, {"after 2.6 s", 2600 * time.Millisecond, 0}} {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, func(o *bridge.Options) { o.AutoOpen = 2500 * time.Millisecond }, func(t *testing.T, r *rig) {
				r.host.call = func(ctx context.Context, c elicit.Call) (elicit.Outcome, error) {
					time.Sleep(tt.think)
					return r.asking(formParams)(ctx, c)
				}
				r.run()
				time.Sleep(tt.think)
				synctest.Wait()
				if n := len(r.slack.of("open")); n != tt.want {
					t.Errorf("%d forms opened by themselves, want %d", n, tt.want)
				}
			})
		})
	}
}

func TestDrain_OpenQuestionIsCancelledAndShownAsSuch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, nil)
		r.run()
		done := make(chan error, 1)
		go func() { done <- r.b.Drain(t.Context(), 20*time.Second) }()
		synctest.Wait()
		r.command("deploy.deploy_service service=late")
		r.wantNote("respond", "restarting")
		r.wantAnswers()
		if err := <-done; err != nil {
			t.Errorf("Drain: %v", err)
		}
		r.wantAnswers("cancel")
		if p := r.pending(); p.Decision.Reason != elicit.ReasonShutdown {
			t.Errorf("reason %s, want shutdown", p.Decision.Reason)
		}
	})
}

func TestDrain_AnswerGivenMeanwhileStillCounts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, nil)
		r.run()
		done := make(chan error, 1)
		go func() { done <- r.b.Drain(t.Context(), 20*time.Second) }()
		synctest.Wait()
		r.submit(ann, r.filled("x"))
		if err := <-done; err != nil {
			t.Errorf("Drain: %v", err)
		}
		r.wantAnswers(`accept {"cluster":"prod","window":"x"}`)
	})
}

func TestStop_EndsTheCallForItsRequesterOnly(t *testing.T) {
	bubble(t, nil, func(t *testing.T, r *rig) {
		r.run()
		call, heading := string(r.pending().Call), elicit.MessageRef{Channel: "C1", TS: "1.1"}
		r.clickOn(bob, blockkit.ActionStop, call, heading)
		r.wantAnswers()
		r.clickOn(ann, blockkit.ActionStop, call, heading)
		r.wantAnswers("cancel")
		if p := r.pending(); p.Decision.Reason != elicit.ReasonStopped {
			t.Errorf("reason %s, want stopped", p.Decision.Reason)
		}
		r.clickOn(ann, blockkit.ActionStop, call, heading)
		r.wantNote("ephemeral", "not running")
	})
}

func TestStop_ThatLandsOnAnotherReplicaReachesTheOneThatRunsTheCall(t *testing.T) {
	bubble(t, nil, func(t *testing.T, r *rig) {
		r.run()
		other := newRig(t, nil)
		defer other.end(t)
		b, err := bridge.New(bridge.Options{
			Replica: "R2", Team: team, Ledger: r.ledger, Slack: other.slack, Host: other.host, Audit: other.audit,
			Now: time.Now, Rand: rand.Reader, Log: slog.New(slog.DiscardHandler),
		})
		if err != nil {
			t.Fatal(err)
		}
		r.ledger.stopped = r.b.Stopped
		press := func(who elicit.User) {
			b.Click(t.Context(), blockkit.Click{User: who, Action: blockkit.ActionStop, Value: string(r.pending().Call), Message: elicit.MessageRef{Channel: "C1", TS: "1.1"}})
			synctest.Wait()
		}
		press(bob)
		r.wantAnswers()
		other.wantNote("ephemeral", "can stop this call")
		press(ann)
		r.wantAnswers("cancel")
		press(ann)
		other.wantNote("ephemeral", "not running")
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

func TestCommand_EveryMistakeIsAnswered(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"", "/mcp"},
		{"help", "/mcp"},
		{"servers", "deploy"},
		{"deploy", "deploy_service"},
		{"nosuch.tool", "nosuch"},
		{"deploy.nosuch", "nosuch"},
		{"deploy.deploy_service", "missing service"},
		{"deploy.deploy_service servce=x", "servce"},
	} {
		t.Run(tt.text, func(t *testing.T) {
			bubble(t, nil, func(t *testing.T, r *rig) {
				r.command(tt.text)
				r.wantNote("respond", tt.want)
				if n := len(r.slack.of("post")); n != 0 {
					t.Errorf("%d messages were posted for everybody", n)
				}
			})
		})
	}
}

func TestCommand_StrangersRunNothing(t *testing.T) {
	bubble(t, nil, func(t *testing.T, r *rig) {
		r.b.Command(t.Context(), blockkit.Command{User: elicit.User{Team: "T_OTHER", ID: "U_EXT"}, Channel: "C1", Text: "deploy.deploy_service service=x", TriggerID: "t"})
		synctest.Wait()
		r.wantNote("respond", "another workspace")
		if n := len(r.slack.of("post")); n != 0 {
			t.Errorf("%d messages posted", n)
		}
	})
}

func TestCommand_DeliveredTwiceRunsOnce(t *testing.T) {
	bubble(t, nil, func(t *testing.T, r *rig) {
		cmd := blockkit.Command{User: ann, Channel: "C1", Text: "deploy.deploy_service service=x", TriggerID: "same", At: time.Now()}
		r.b.Command(t.Context(), cmd)
		r.b.Command(t.Context(), cmd)
		synctest.Wait()
		r.pending() // exactly one
	})
}

func TestNew_NamesEverythingThatIsMissing(t *testing.T) {
	_, err := bridge.New(bridge.Options{})
	for _, want := range []string{"Replica", "Team", "Ledger", "Slack", "Host", "Audit", "Now", "Rand", "Log"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("New: %v does not name %s", err, want)
		}
	}
}
