package bridge

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/slackbridge/slackbridge/blockkit"
	"github.com/slackbridge/slackbridge/elicit"
)

// parkedCall is a call that waits for people. It is kept in the ledger, so that
// no replica holds it: whichever hears of the last decision goes on with it.
// Members may be added; none may change its meaning while records live (days).
type parkedCall struct {
	Version    int               `json:"v"`
	Parked     elicit.Parked     `json:"parked"`
	Pages      bool              `json:"pages,omitempty"` // the pages of a -32042 error: the call is offered again
	Top        elicit.MessageRef `json:"top"`
	Idempotent bool              `json:"idempotent,omitempty"`
	Asked      []askedQuestion   `json:"asked"`
	Refused    map[string]int    `json:"refused,omitempty"` // by the digest of the question
}

// askedQuestion is one question of a parked call: answered already, because
// nobody could be asked, or waiting as a pending.
type askedQuestion struct {
	Key     string           `json:"key"`
	Pending elicit.PendingID `json:"pending,omitempty"`
	Digest  string           `json:"digest,omitempty"`
}

const parkedVersion = 1

// park asks the questions of a call and leaves it to the ledger. It reports
// false when nobody could be asked: then the answers are there already.
func (b *Bridge) park(ctx context.Context, c *call, p *elicit.Parked, pages bool) (parked bool, answers map[string]elicit.Answer, err error) {
	rec := parkedCall{Version: parkedVersion, Parked: *p, Pages: pages, Top: c.top, Idempotent: c.idempotent}
	answers = map[string]elicit.Answer{}
	type shown struct {
		q  elicit.Question
		el *blockkit.Elicitation
		p  elicit.Pending
	}
	var ask []shown
	latest := b.o.Now()
	for _, q := range p.Questions {
		el, pending, refused := b.screen(ctx, q)
		if refused != nil {
			answers[q.RequestID] = refused.answer
			rec.Asked = append(rec.Asked, askedQuestion{Key: q.RequestID})
			continue
		}
		d := digestOf(el)
		rec.Asked = append(rec.Asked, askedQuestion{Key: q.RequestID, Pending: pending.ID, Digest: hex.EncodeToString(d[:])})
		ask = append(ask, shown{q, el, pending})
		if pending.Deadline.After(latest) {
			latest = pending.Deadline
		}
	}
	if len(ask) == 0 {
		return false, answers, context.Cause(ctx)
	}
	rec.Refused = c.refusedSoFar()
	if err := b.keepPark(ctx, c.ID, rec, latest); err != nil {
		b.o.Log.Error("a call that has to wait could not be recorded", "call_id", c.ID, "err", err)
		return false, nil, errNotParked
	}
	for _, s := range ask { // all of them before the first can be answered
		if err := b.insist(ctx, func(ctx context.Context) error { return b.o.Ledger.Create(ctx, s.p) }); err != nil {
			b.o.Log.Error("a question could not be recorded and is not shown", "pending_id", s.p.ID, "err", err)
			return false, nil, errNotParked
		}
	}
	for _, s := range ask {
		b.logPending(s.p)
		b.autoOpen(ctx, s.q, s.el, s.p)
		card, reason := b.postCard(ctx, s.el, s.p)
		if reason != "" {
			b.endParked(ctx, s.p, reason)
			continue
		}
		s.p.Card = card
		b.catchUp(ctx, s.el, s.p)
	}
	b.untrack(c.ID)
	if errors.Is(context.Cause(ctx), elicit.ErrStopped) { // while it was being parked
		b.Stopped(context.WithoutCancel(ctx), c.ID)
	}
	return true, nil, nil
}

// errNotParked ends a call in the words of its thread.
var errNotParked = errors.New("it has a question, but the question could not be recorded, so nobody was asked and the call was given up; run it again in a moment")

func (b *Bridge) keepPark(ctx context.Context, id elicit.CallID, rec parkedCall, until time.Time) error {
	raw, err := json.Marshal(rec)
	if err != nil {
		return fmt.Errorf("writing a parked call: %w", err)
	}
	return b.insist(ctx, func(ctx context.Context) error { return b.o.Ledger.Park(ctx, id, raw, until.Sub(b.o.Now())) })
}

func (b *Bridge) parkedCall(ctx context.Context, id elicit.CallID) (*parkedCall, error) {
	raw, err := b.o.Ledger.Parked(ctx, id)
	if err != nil || raw == nil {
		return nil, err
	}
	rec := &parkedCall{}
	if err := json.Unmarshal(raw, rec); err != nil {
		return nil, fmt.Errorf("reading parked call %s: %w", id, err)
	}
	if rec.Version != parkedVersion {
		return nil, fmt.Errorf("reading parked call %s: version %d is not known to this build", id, rec.Version)
	}
	return rec, nil
}

// endParked decides a question that nobody could be asked. The ledger's word of
// it makes the call go on, as every decision does.
func (b *Bridge) endParked(ctx context.Context, p elicit.Pending, reason elicit.Reason) {
	bg, cancel := context.WithTimeoutCause(context.WithoutCancel(ctx), ioTimeout, errors.New("recording an end took too long"))
	defer cancel()
	s, found, err := b.o.Ledger.Decide(bg, p.ID, elicit.Decision{Action: elicit.Cancel, Reason: reason}, nil)
	if err != nil || !found {
		b.o.Log.Error("an end could not be recorded; the question expires by itself", "pending_id", p.ID, "reason", reason, "found", found, "err", err)
		return
	}
	if s.Won {
		b.logDecision(s.Pending)
		b.redraw(bg, s.Pending, s.Pending.Card)
	}
}

// goOn takes the word of a decision on a question of a parked call. When it was
// the last one, this replica goes on with the call, unless another one does. An
// error keeps the word for somebody else.
func (b *Bridge) goOn(ctx context.Context, id elicit.CallID) error {
	rec, err := b.parkedCall(ctx, id)
	if err != nil || rec == nil {
		return err
	}
	decided, open, err := b.decisionsOf(ctx, rec)
	if err != nil || open {
		return err
	}
	if !b.work.enter() {
		return errDraining
	}
	won, err := b.o.Ledger.ClaimPark(ctx, id)
	if err != nil || !won {
		b.work.leave()
		return err
	}
	b.resume(rec, decided)
	return nil
}

// decisionsOf loads the questions of a parked call. open reports that one of
// them still waits.
func (b *Bridge) decisionsOf(ctx context.Context, rec *parkedCall) (decided map[elicit.PendingID]elicit.Pending, open bool, err error) {
	decided = map[elicit.PendingID]elicit.Pending{}
	for _, a := range rec.Asked {
		if a.Pending == "" {
			continue
		}
		p, known, err := b.o.Ledger.Load(ctx, a.Pending)
		switch {
		case err != nil:
			return nil, false, err
		case !known: // the ledger forgets a question only long after its end
			p = elicit.Pending{ID: a.Pending, Decision: &elicit.Decision{Action: elicit.Cancel, Reason: elicit.ReasonExpired}}
		case p.Decision == nil:
			return nil, true, nil
		}
		decided[a.Pending] = p
	}
	return decided, false, nil
}

// revive makes the call of a record run on this replica again.
func (b *Bridge) revive(rec *parkedCall) (context.Context, *call, func()) {
	c := &call{Call: rec.Parked.Call, top: rec.Top, idempotent: rec.Idempotent, refusal: map[digest]int{}}
	for text, n := range rec.Refused {
		if raw, err := hex.DecodeString(text); err == nil && len(raw) == len(digest{}) {
			c.refusal[digest(raw)] = n
		}
	}
	ctx, cancel := context.WithCancelCause(b.base)
	c.cancel = cancel
	b.track(c)
	b.recordRunning(ctx, c)
	return ctx, c, func() { cancel(nil); b.forget(c) }
}

// resume goes on with a claimed call in the background. b.work was entered.
func (b *Bridge) resume(rec *parkedCall, decided map[elicit.PendingID]elicit.Pending) {
	go func() {
		defer b.work.leave()
		ctx, c, end := b.revive(rec)
		defer end()
		answers := map[string]elicit.Answer{}
		var outs []outcome
		for _, a := range rec.Asked {
			if a.Pending == "" {
				answers[a.Key] = elicit.Answer{Action: elicit.Cancel}
				continue
			}
			out := b.conclude(ctx, decided[a.Pending], settled{pending: decided[a.Pending]})
			answers[a.Key] = out.answer
			outs = append(outs, out)
			if raw, err := hex.DecodeString(a.Digest); err == nil && len(raw) == len(digest{}) && out.answer.Action != elicit.Accept {
				c.refusal[digest(raw)]++
			}
		}
		b.continueWith(ctx, c, rec, answers, outs)
	}()
}

// continueWith repeats the call with the answers, or offers it again when it
// only waited for pages to be opened.
func (b *Bridge) continueWith(ctx context.Context, c *call, rec *parkedCall, answers map[string]elicit.Answer, outs []outcome) {
	bg, cancel := context.WithTimeoutCause(context.WithoutCancel(ctx), ioTimeout, errors.New("recording a delivery took too long"))
	defer cancel()
	if rec.Pages {
		for _, out := range outs {
			b.delivered(bg, out, nil)
		}
		b.afterPages(bg, c, answers)
		b.dropPark(bg, c.ID)
		return
	}
	b.leaving(outs)
	next, err := b.resumeHost(ctx, rec.Parked, answers)
	after, cancelAfter := context.WithTimeoutCause(context.WithoutCancel(ctx), ioTimeout, errors.New("recording a delivery took too long"))
	defer cancelAfter()
	for _, out := range outs {
		b.delivered(after, out, err)
	}
	b.proceed(ctx, c, next, err)
}

func (b *Bridge) dropPark(ctx context.Context, id elicit.CallID) {
	if err := b.o.Ledger.DropPark(ctx, id); err != nil {
		b.o.Log.Warn("an ended call could not be forgotten; it ends by itself", "call_id", id, "err", err)
	}
}

// Orphaned takes a call with which a replica was going on when it died. Whether
// the server had it already is not known, so it is repeated only when that does
// no harm.
func (b *Bridge) Orphaned(ctx context.Context, id elicit.CallID) {
	rec, err := b.parkedCall(ctx, id)
	if err != nil || rec == nil {
		b.o.Log.Error("a call of a dead replica could not be read", "call_id", id, "err", err)
		return
	}
	decided, open, err := b.decisionsOf(ctx, rec)
	if err != nil || open || !b.work.enter() {
		b.o.Log.Error("a call of a dead replica could not be gone on with", "call_id", id, "open", open, "err", err)
		return
	}
	if rec.Idempotent || rec.Pages {
		b.o.Log.Info("a call of a dead replica is repeated", "call_id", id, "server", rec.Parked.Call.Server)
		b.resume(rec, decided)
		return
	}
	defer b.work.leave()
	bg, cancel := context.WithTimeoutCause(context.WithoutCancel(ctx), time.Minute, elicit.ErrSlackUnreachable)
	defer cancel()
	_, c, end := b.revive(rec)
	defer end()
	for _, p := range decided {
		if p.State == elicit.StateDecided {
			b.delivered(bg, outcome{pending: p}, errUnknownOutcome)
		}
	}
	b.offerAgain(bg, c, blockkit.UnknownOutcome(c.ID, c.Server, c.Tool), blockkit.CallFailed)
	b.dropPark(bg, id)
}

var errUnknownOutcome = errors.New("the replica that was sending it is gone; whether it arrived is not known")

// stopParked ends a parked call for its requester.
func (b *Bridge) stopParked(ctx context.Context, c blockkit.Click, id elicit.CallID) {
	rec, err := b.parkedCall(ctx, id)
	switch {
	case err != nil:
		b.o.Log.Error("a parked call could not be stopped", "call_id", id, "err", err)
		b.tryAgain(ctx, c)
		return
	case rec == nil:
		b.noteClick(ctx, c, blockkit.CallNotRunning())
		return
	case rec.Parked.Call.Origin.RequesterUser() != c.User:
		b.noteClick(ctx, c, blockkit.NotYourCall(rec.Parked.Call.Origin.Requester))
		return
	}
	stopped, err := b.stopParkedCall(ctx, id)
	switch {
	case err != nil:
		b.o.Log.Error("a parked call could not be stopped", "call_id", id, "err", err)
		b.tryAgain(ctx, c)
	case !stopped:
		b.noteClick(ctx, c, blockkit.CallNotRunning())
	}
}

// stopParkedCall ends a parked call, unless somebody is going on with it. It
// reports whether it did.
func (b *Bridge) stopParkedCall(ctx context.Context, id elicit.CallID) (bool, error) {
	rec, err := b.parkedCall(ctx, id)
	if err != nil || rec == nil {
		return false, err
	}
	won, err := b.o.Ledger.ClaimPark(ctx, id)
	if err != nil || !won {
		return false, err
	}
	b.o.Log.Info("call stopped", "call_id", id, "requester", rec.Parked.Call.Origin.Requester)
	_, running, end := b.revive(rec)
	defer end()
	for _, a := range slices.Backward(rec.Asked) {
		if a.Pending == "" {
			continue
		}
		s, found, err := b.o.Ledger.Decide(ctx, a.Pending, elicit.Decision{Action: elicit.Cancel, Reason: elicit.ReasonStopped}, nil)
		if err != nil || !found {
			b.o.Log.Warn("an end could not be recorded", "pending_id", a.Pending, "found", found, "err", err)
			continue
		}
		b.conclude(ctx, s.Pending, settled{pending: s.Pending, redraw: s.Won})
	}
	b.report(ctx, running, nil, elicit.ErrStopped)
	b.dropPark(ctx, id)
	return true, nil
}
