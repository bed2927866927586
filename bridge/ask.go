package bridge

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/slackbridge/slackbridge/blockkit"
	"github.com/slackbridge/slackbridge/elicit"
)

// ioTimeout bounds one piece of bookkeeping that must survive its caller:
// recording an end, redrawing a card.
const ioTimeout = 10 * time.Second

// outcome is how a question ended, for whoever has to tell the server.
type outcome struct {
	answer  elicit.Answer
	silent  bool            // withdrawn or connection gone: nothing may be sent
	pending elicit.Pending  // zero when it was never stored
	drawn   <-chan struct{} // closed when the card shows the decision; nil: it was not ours to draw

	trace       string    // of the question; empty when it is not traced
	ready, left time.Time // when the answer could leave and did; zero: at the decision, and now
}

// Ask shows a question of the blocking era to its requester, waits, and sends
// the decision through reply. It returns when the question has ended. ctx ends
// with a cause of package elicit when the question is taken away.
func (b *Bridge) Ask(ctx context.Context, q elicit.Question, reply func(context.Context, elicit.Answer) error) {
	out := b.ask(ctx, q)
	if out.silent {
		return
	}
	// The decision stands and is recorded: it goes out although the context
	// of the question may end meanwhile.
	rctx, cancel := context.WithTimeoutCause(context.WithoutCancel(ctx), ioTimeout, errors.New("answering took too long"))
	defer cancel()
	b.delivered(rctx, out, reply(rctx, out.answer))
}

// delivered records whether the server has the answer, and says so on the card
// when a person's decision did not reach it.
func (b *Bridge) delivered(ctx context.Context, out outcome, sendErr error) {
	p := out.pending
	if p.ID == "" {
		if sendErr != nil {
			b.o.Log.Warn("a refusal did not reach the server", "err", sendErr)
		}
		return
	}
	b.arrived(out, sendErr == nil)
	if sendErr == nil {
		if err := b.o.Ledger.Delivered(ctx, p.ID); err != nil {
			b.o.Log.Warn("delivery could not be recorded", "pending_id", p.ID, "err", err)
		}
		return
	}
	b.o.Log.Warn("the answer did not reach the server", "pending_id", p.ID, "server", p.Server, "err", sendErr)
	if err := b.o.Ledger.Lost(ctx, p.ID, elicit.ReasonConnectionLost); err != nil {
		b.o.Log.Warn("a lost answer could not be recorded", "pending_id", p.ID, "err", err)
	}
	p.State = elicit.StateLost
	if out.drawn != nil {
		select { // the later truth must be drawn last
		case <-out.drawn:
		case <-ctx.Done():
		}
	}
	b.redraw(ctx, p, p.Card)
}

// ask takes one question of the blocking era from the server's words to a
// decision.
func (b *Bridge) ask(ctx context.Context, q elicit.Question) outcome {
	el, p, refused := b.screen(ctx, q)
	if refused != nil {
		return *refused
	}
	said, page := digestOf(el), el
	if el.Link == nil {
		page = nil // a form is large, and nobody needs it while a person thinks
	}
	out := b.askPerson(ctx, q, el, p)
	if staysWithOwner(out.pending) && !out.silent {
		b.linkOpened(ctx, out.pending, page)
	}
	if out.answer.Action != elicit.Accept && !out.silent {
		b.call(q.Call).refused(said)
	}
	return out
}

// screen reads a question and sees whether a person may be asked it at all. If
// not, what the server is told instead is returned.
func (b *Bridge) screen(ctx context.Context, q elicit.Question) (*blockkit.Elicitation, elicit.Pending, *outcome) {
	refused := func(o outcome) (*blockkit.Elicitation, elicit.Pending, *outcome) { return nil, elicit.Pending{}, &o }
	el, err := blockkit.Parse(q.Params, q.Era)
	if err != nil {
		return refused(b.refuse(ctx, q, err))
	}
	if q.Origin.Requester == "" || q.Origin.Channel == "" {
		return refused(b.cancelUnasked(ctx, q, elicit.ReasonNoOrigin))
	}
	if el.Link != nil {
		if v := b.o.Policy.MayOpen(el.Link.Host(), el.Link.Secure()); !v.Allowed {
			b.tell(ctx, q.Origin, blockkit.PageRefused(q.Server, q.Tool, el.Link.Host(), v.Why))
			return refused(b.cancelUnasked(ctx, q, elicit.ReasonURLRefused))
		}
	}
	c := b.call(q.Call)
	if times := c.refusals(el); times > 0 {
		return refused(b.repeated(ctx, q, c, el, times))
	}
	p, err := b.newPending(q, el)
	if err != nil {
		b.o.Log.Error("a question could not be prepared", "call_id", q.Call, "err", err)
		return refused(b.cancelUnasked(ctx, q, elicit.ReasonUndeliverable))
	}
	return el, p, nil
}

func (b *Bridge) logPending(p elicit.Pending) {
	b.o.Meter.Asked(p)
	b.o.Log.Info("question pending", "pending_id", p.ID, "call_id", p.Call, "server", p.Server, "tool", p.Tool,
		"era", p.Era, "channel", p.Origin.Channel, "requester", p.Origin.Requester)
}

func (b *Bridge) newPending(q elicit.Question, el *blockkit.Elicitation) (elicit.Pending, error) {
	id, err := b.newID()
	if err != nil {
		return elicit.Pending{}, err
	}
	stored, err := encodeQuestion(q.Params)
	if err != nil {
		return elicit.Pending{}, err
	}
	now := b.o.Now()
	p := elicit.Pending{
		ID: elicit.PendingID(id), State: elicit.StatePending, Kind: elicit.KindElicitation,
		Era: q.Era, Mode: el.Mode, Owner: b.o.Replica, Call: q.Call, Origin: q.Origin,
		Server: q.Server, Tool: q.Tool, RequestID: q.RequestID,
		Fields: el.Form.FieldNames(), Created: now, Question: stored,
	}
	p.Deadline = now.Add(b.o.Policy.Deadline(facts(p, isConfirm(el.Form))))
	return p, nil
}

// askPerson stores the question, posts it and waits for its end. The record
// comes first, so that the fastest click finds it.
func (b *Bridge) askPerson(ctx context.Context, q elicit.Question, el *blockkit.Elicitation, p elicit.Pending) outcome {
	done := b.wait(p.ID)
	defer b.unwait(p.ID)
	if err := b.insist(ctx, func(ctx context.Context) error { return b.o.Ledger.Create(ctx, p) }); err != nil {
		b.o.Log.Error("a question could not be recorded and is not shown", "pending_id", p.ID, "err", err)
		b.tell(ctx, q.Origin, blockkit.NotRecorded(q.Server))
		return b.cancelUnasked(ctx, q, elicit.ReasonUndeliverable)
	}
	b.logPending(p)
	b.autoOpen(ctx, q, el, p)
	card, reason := b.postCard(ctx, el, p)
	if reason != "" {
		return b.end(ctx, p, reason)
	}
	p.Card = card
	return b.await(ctx, p, done)
}

// await waits for the decision or for the end of the question.
func (b *Bridge) await(ctx context.Context, p elicit.Pending, done <-chan settled) outcome {
	select {
	case s := <-done:
		return b.conclude(ctx, p, s)
	case <-b.stopping:
		return b.end(ctx, p, elicit.ReasonShutdown)
	case <-b.o.After(p.Deadline.Sub(b.o.Now()) + ledgerLate):
		return b.overdue(ctx, p, done)
	case <-ctx.Done():
		return b.end(ctx, p, reasonOf(context.Cause(ctx)))
	}
}

// ledgerLate is how late the ledger may be with an expiry before the question
// looks after itself.
const ledgerLate = 5 * time.Second

// overdue ends a question whose expiry the ledger did not report: it may be out
// of reach, or have lost its memory. As long as it is out of reach nothing is
// answered, for a person's decision may be standing in it.
func (b *Bridge) overdue(ctx context.Context, p elicit.Pending, done <-chan settled) outcome {
	b.o.Log.Warn("the ledger did not report an expiry", "pending_id", p.ID)
	for {
		tctx, cancel := context.WithTimeoutCause(ctx, ioTimeout, errors.New("asking the ledger took too long"))
		_, _, err := b.o.Ledger.Load(tctx, p.ID)
		cancel()
		if err == nil {
			return b.end(ctx, p, elicit.ReasonExpired)
		}
		select {
		case s := <-done:
			return b.conclude(ctx, p, s)
		case <-b.stopping:
			return b.end(ctx, p, elicit.ReasonShutdown)
		case <-ctx.Done():
			return b.end(ctx, p, reasonOf(context.Cause(ctx)))
		case <-b.o.After(ledgerLate):
		}
	}
}

// end decides the question by itself: it was taken away, cannot be shown, or
// this replica stops. If a person was faster, that decision stands.
func (b *Bridge) end(ctx context.Context, p elicit.Pending, reason elicit.Reason) outcome {
	bg, cancel := context.WithTimeoutCause(context.WithoutCancel(ctx), ioTimeout, errors.New("recording an end took too long"))
	defer cancel()
	d := elicit.Decision{Action: elicit.Cancel, Reason: reason}
	s, found, err := b.o.Ledger.Decide(bg, p.ID, d, nil)
	if err != nil || !found {
		// The record cannot be reached or is gone (the store was emptied). The
		// server must not wait for it; no person's decision can be standing
		// unseen, since whoever decides hears only of what was recorded.
		b.o.Log.Error("an end could not be recorded", "pending_id", p.ID, "reason", reason, "found", found, "err", err)
		if err != nil {
			b.recordEndLater(ctx, p, d)
		}
		d.At = b.o.Now()
		p.Decision, p.State = &d, stateAfter(reason)
		b.decided(p)
		b.redraw(bg, p, p.Card)
		return outcome{answer: elicit.Answer{Action: elicit.Cancel}, silent: unanswerable(reason)}
	}
	if s.Won {
		b.logDecision(s.Pending)
	}
	out := b.conclude(bg, p, settled{pending: s.Pending, redraw: s.Won})
	if unanswerable(reason) {
		if !s.Won {
			b.delivered(bg, out, fmt.Errorf("the question was gone before its answer left: %s", reason))
		}
		out.silent = true
	}
	return out
}

// lateRecord is how long an end that could not be recorded is tried again.
const lateRecord = 10 * time.Minute

// recordEndLater records an end that the server knows already, once the ledger
// can be reached: until then somebody could still decide the question there,
// with a form that was left open, and would be told that it counts.
func (b *Bridge) recordEndLater(ctx context.Context, p elicit.Pending, d elicit.Decision) {
	b.laterFor(ctx, lateRecord, func(ctx context.Context) {
		for {
			select {
			case <-b.o.After(time.Second):
			case <-b.base.Done():
				return
			case <-ctx.Done():
				return
			}
			s, found, err := b.o.Ledger.Decide(ctx, p.ID, d, nil)
			if err != nil {
				continue
			}
			if !found || unanswerable(d.Reason) && s.Won {
				return
			}
			var late error
			if s.Pending.Decision.Action != elicit.Cancel {
				late = fmt.Errorf("the server was told cancel before: %s", d.Reason)
			}
			b.delivered(ctx, outcome{pending: s.Pending}, late)
			return
		}
	})
}

// conclude turns a settled question into what goes to the server. The audit
// record is written first: what cannot be recorded does not leave.
func (b *Bridge) conclude(ctx context.Context, mine elicit.Pending, s settled) outcome {
	bg, cancel := context.WithTimeoutCause(context.WithoutCancel(ctx), ioTimeout, errors.New("concluding took too long"))
	defer cancel()
	p := s.pending
	b.closeForms(p.ID)
	switch {
	case p.Card.IsZero(): // decided while the card was on its way
		p.Card, s.redraw = mine.Card, true
	case !mine.Card.IsZero() && mine.Card != p.Card: // it stood twice, and the other one was answered
		b.later(ctx, func(ctx context.Context) { b.redraw(ctx, p, mine.Card) })
	}
	trace := b.decided(p)
	answer, err := b.recordedAnswer(bg, s)
	if err != nil {
		b.arrived(outcome{pending: p, trace: trace}, false)
		b.o.Log.Error("a decision cannot be sent; the server is told cancel", "pending_id", p.ID, "err", err)
		if err := b.o.Ledger.Lost(bg, p.ID, elicit.ReasonUndeliverable); err != nil {
			b.o.Log.Warn("a lost answer could not be recorded", "pending_id", p.ID, "err", err)
		}
		p.State = elicit.StateLost
		b.redraw(bg, p, p.Card)
		return outcome{answer: elicit.Answer{Action: elicit.Cancel}}
	}
	out := outcome{answer: answer, pending: p, trace: trace}
	if s.redraw && !staysWithOwner(p) {
		out.drawn = b.later(ctx, func(ctx context.Context) { b.redraw(ctx, p, p.Card) })
	}
	return out
}

// recordedAnswer audits the decision and joins it with the content that was
// recorded with it.
func (b *Bridge) recordedAnswer(ctx context.Context, s settled) (elicit.Answer, error) {
	p := s.pending
	if err := b.audit(ctx, p); err != nil {
		return elicit.Answer{}, fmt.Errorf("writing the audit record: %w", err)
	}
	answer := elicit.Answer{Action: p.Decision.Action}
	if answer.Action != elicit.Accept || p.Mode == elicit.ModeURL {
		return answer, nil
	}
	if s.answer != nil {
		answer.Content = s.answer
		return answer, nil
	}
	content, err := b.o.Ledger.Answer(ctx, p.ID)
	if err != nil {
		return elicit.Answer{}, fmt.Errorf("reading the recorded answer: %w", err)
	}
	answer.Content = content
	return answer, nil
}

func (b *Bridge) audit(ctx context.Context, p elicit.Pending) error {
	return b.o.Audit.Record(ctx, Record{
		Kind: "decision", Pending: p, Action: p.Decision.Action, Reason: p.Decision.Reason,
		Responder: p.Decision.Responder, RequestedAt: p.Created, RespondedAt: p.Decision.At,
	})
}

func (b *Bridge) logDecision(p elicit.Pending) {
	b.o.Log.Info("question settled", "pending_id", p.ID, "call_id", p.Call, "server", p.Server,
		"decision", p.Decision.Action, "reason", p.Decision.Reason, "responder", p.Decision.Responder.ID)
}

// reasonOf maps the cause with which a question was taken away.
func reasonOf(cause error) elicit.Reason {
	switch {
	case errors.Is(cause, elicit.ErrWithdrawn), errors.Is(cause, elicit.ErrCallEnded):
		return elicit.ReasonWithdrawn
	case errors.Is(cause, elicit.ErrStopped):
		return elicit.ReasonStopped
	case errors.Is(cause, elicit.ErrShutdown):
		return elicit.ReasonShutdown
	default:
		return elicit.ReasonConnectionLost
	}
}

// unanswerable reports whether a question that ended for this reason has no
// request left to answer.
func unanswerable(r elicit.Reason) bool {
	return r == elicit.ReasonWithdrawn || r == elicit.ReasonConnectionLost
}

// stateAfter is the state that the ledger would have given, had it been there.
func stateAfter(r elicit.Reason) elicit.State {
	switch r {
	case elicit.ReasonWithdrawn:
		return elicit.StateWithdrawn
	case elicit.ReasonConnectionLost:
		return elicit.StateLost
	default:
		return elicit.StateDecided
	}
}
