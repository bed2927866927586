package bridge

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/slackbridge/slackbridge/blockkit"
	"github.com/slackbridge/slackbridge/elicit"
)

// Click handles a pressed button, on whichever replica it lands. Whatever
// comes of it, the person sees something.
func (b *Bridge) Click(ctx context.Context, c blockkit.Click) {
	switch {
	case c.Action == blockkit.ActionRespond:
		b.respond(ctx, c)
	case c.Action == blockkit.ActionAccept, c.Action == blockkit.ActionDecline, c.Action == blockkit.ActionCancel, c.Action == blockkit.ActionDoneURL,
		strings.HasPrefix(c.Action, blockkit.ActionChoicePrefix):
		b.decideByButton(ctx, c)
	case c.Action == blockkit.ActionReviewURL:
		b.respondWithLink(ctx, c)
	case c.Action == blockkit.ActionOpenURL:
		b.openLink(ctx, c)
	case c.Action == blockkit.ActionRunAgain:
		b.runAgain(ctx, c)
	case c.Action == blockkit.ActionBack:
		b.back(ctx, c)
	case c.Action == blockkit.ActionStop:
		b.stopCall(ctx, c)
	}
	// Anything else is an element inside a form: its value comes with Submit.
}

// decideByButton settles a question right on its card, or from inside its form.
func (b *Bridge) decideByButton(ctx context.Context, c blockkit.Click) {
	l := b.lookUp(ctx, elicit.PendingID(c.Value), c.User, c.Message)
	if l.refusal != nil {
		b.answerClick(ctx, c, l)
		return
	}
	d, content, ok := buttonDecision(c, l.el)
	if !ok {
		b.o.Log.Warn("a button names an answer that its question does not have", "pending_id", c.Value, "action_id", c.Action)
		b.noteClick(ctx, c, blockkit.StaleButton())
		return
	}
	s, err := b.decide(ctx, l.pending.ID, d, content, c.Message)
	switch {
	case errors.Is(err, errNotFound):
		l.ended, l.refusal = true, blockkit.UnknownQuestion()
		b.answerClick(ctx, c, l)
		return
	case err != nil:
		b.tryAgain(ctx, c)
		return
	case !s.Won:
		l.pending, l.refusal = s.Pending, blockkit.AlreadyEnded(s.Pending.State, *s.Pending.Decision)
		b.answerClick(ctx, c, l)
		return
	}
	if c.View != nil {
		// No API closes a view: it shows the end instead.
		b.updateView(ctx, c.View.ID, blockkit.EndedModal(s.Pending.Server, s.Pending.State, *s.Pending.Decision))
	}
}

// buttonDecision says what a button decides. Content comes from the question
// as it is stored, never from the payload.
func buttonDecision(c blockkit.Click, el *blockkit.Elicitation) (d elicit.Decision, content []byte, ok bool) {
	d.Responder = c.User
	switch {
	case c.Action == blockkit.ActionDecline:
		d.Action, d.Reason = elicit.Decline, elicit.ReasonDeclined
		return d, nil, true
	case c.Action == blockkit.ActionCancel:
		d.Action, d.Reason = elicit.Cancel, elicit.ReasonCancelled
		return d, nil, true
	case c.Action == blockkit.ActionAccept:
		d.Action, d.Reason = elicit.Accept, elicit.ReasonSubmitted
		return d, []byte("{}"), el.Link == nil && el.Form.Empty()
	case c.Action == blockkit.ActionDoneURL:
		d.Action, d.Reason = elicit.Accept, elicit.ReasonSubmitted
		return d, nil, el.Link != nil
	}
	n, err := strconv.Atoi(strings.TrimPrefix(c.Action, blockkit.ActionChoicePrefix))
	choices := el.Form.Choices()
	if err != nil || n < 0 || n >= len(choices) {
		return d, nil, false
	}
	d.Action, d.Reason = elicit.Accept, elicit.ReasonSubmitted
	return d, choices[n].Content, true
}

// decide records a decision. When it won, the question is woken if it waits on
// this replica: the fast path, and the stream entry that follows says nothing
// new then. Otherwise its card is redrawn from here; seen is the message that
// was clicked, for a card whose place was not recorded yet.
func (b *Bridge) decide(ctx context.Context, id elicit.PendingID, d elicit.Decision, content []byte, seen elicit.MessageRef) (elicit.Settlement, error) {
	s, found, err := b.o.Ledger.Decide(ctx, id, d, content)
	if err != nil {
		b.o.Log.Error("a decision could not be recorded", "pending_id", id, "err", err)
		return s, err
	}
	if !found {
		return s, errNotFound
	}
	if !s.Won {
		return s, nil
	}
	b.logDecision(s.Pending)
	b.closeForm(d.Responder, id)
	if b.wake(settled{pending: s.Pending, answer: content, redraw: true}) {
		return s, nil
	}
	card := s.Pending.Card
	if card.IsZero() {
		card = seen
	}
	if !staysWithOwner(s.Pending) {
		b.later(ctx, func(ctx context.Context) { b.redrawAsItStands(ctx, s.Pending, card) })
	}
	return s, nil
}

var errNotFound = errors.New("the question is not known any more")

// found is what looking a question up for a person came to: either a question
// that this person may decide now, or what to tell instead.
type found struct {
	pending elicit.Pending
	el      *blockkit.Elicitation
	refusal blockkit.Words // nil: go on
	ended   bool           // the question has ended: repair what was clicked
	unread  bool           // the ledger is out of reach: nothing is known

	elsewhere bool // the question has another card, and the one that was clicked is to go
}

// lookUp loads a question and re-checks, at this moment, that it waits and that
// who may answer it. at is where the button stood: a button counts only on the
// card of its own question.
func (b *Bridge) lookUp(ctx context.Context, id elicit.PendingID, who elicit.User, at elicit.MessageRef) found {
	p, known, err := b.o.Ledger.Load(ctx, id)
	switch {
	case err != nil:
		b.o.Log.Error("a question could not be read", "pending_id", id, "err", err)
		return found{refusal: blockkit.NotRecordedTryAgain(), unread: true}
	case !known:
		return found{refusal: blockkit.UnknownQuestion(), ended: true}
	}
	if !at.IsZero() && p.Card.IsZero() { // the click came before the record of the card, or that was lost
		p.Card = at
		stands, err := b.o.Ledger.Placed(ctx, id, at)
		if err != nil {
			b.o.Log.Warn("the place of a card could not be recorded", "pending_id", id, "err", err)
		} else if !stands.IsZero() {
			p.Card = stands
		}
	}
	if !at.IsZero() && p.Card != at {
		// The card stands twice: Slack did not say that it took the first one, or
		// its replica died before it recorded where it is.
		b.o.Log.Warn("a button was pressed away from its own card", "pending_id", id, "channel", at.Channel, "message_ts", at.TS)
		return found{pending: p, refusal: blockkit.StaleButton(), elsewhere: true}
	}
	el, err := question(p)
	if err != nil {
		b.o.Log.Error("a stored question could not be read", "pending_id", id, "err", err)
		return found{pending: p, refusal: blockkit.UnknownQuestion()}
	}
	if v := b.o.Policy.MayAnswer(facts(p, isConfirm(el.Form)), who); !v.Allowed {
		b.o.Log.Info("an answer was refused", "pending_id", id, "responder", who.ID, "reason", elicit.ReasonNotEntitled)
		b.auditNotEntitled(ctx, p, who, v)
		return found{pending: p, el: el, refusal: blockkit.NotEntitled(p.Origin.Requester)}
	}
	if p.Decision != nil {
		return found{pending: p, el: el, refusal: blockkit.AlreadyEnded(p.State, *p.Decision), ended: true}
	}
	return found{pending: p, el: el}
}

// answerClick tells the person why a click changed nothing, and repairs the
// card that invited it.
func (b *Bridge) answerClick(ctx context.Context, c blockkit.Click, l found) {
	if l.unread {
		b.tryAgain(ctx, c)
		return
	}
	if l.elsewhere {
		b.giveWay(ctx, l.pending.ID, c.Message)
	} else if l.pending.Decision != nil && !c.Message.IsZero() {
		b.redraw(ctx, l.pending, c.Message)
	} else if l.ended && !c.Message.IsZero() {
		if err := b.o.Slack.Update(ctx, c.Message, blockkit.ForgottenCard()); err != nil {
			b.o.Log.Warn("a stale card could not be redrawn", "channel", c.Message.Channel, "message_ts", c.Message.TS, "err", err)
		}
	}
	b.noteClick(ctx, c, l.refusal)
}

// tryAgain tells the person that a click could not be recorded. A form stays as
// it is, under the note.
func (b *Bridge) tryAgain(ctx context.Context, c blockkit.Click) {
	if c.View == nil {
		b.noteClick(ctx, c, blockkit.NotRecordedTryAgain())
		return
	}
	if err := b.o.Slack.PushView(ctx, c.TriggerID, blockkit.NoticeModal(blockkit.NotRecordedTryAgain())); err != nil {
		b.o.Log.Warn("a click could not be answered", "requester", c.User.ID, "err", err)
	}
}

// noteClick makes a click visible to the one who clicked: in the view it was
// made in, or as a note that only this person sees.
func (b *Bridge) noteClick(ctx context.Context, c blockkit.Click, w blockkit.Words) {
	if c.View != nil {
		b.updateView(ctx, c.View.ID, blockkit.NoticeModal(w))
		return
	}
	place := elicit.Place{Channel: c.Message.Channel, Thread: c.Thread}
	err := b.o.Slack.Ephemeral(ctx, place, c.User.ID, blockkit.Note(w))
	if err != nil && c.ResponseURL != "" {
		err = b.o.Slack.Respond(ctx, c.ResponseURL, blockkit.Note(w))
	}
	if err != nil {
		b.o.Log.Warn("a click could not be answered", "channel", c.Message.Channel, "requester", c.User.ID, "err", err)
	}
}

func (b *Bridge) updateView(ctx context.Context, viewID string, m blockkit.Modal) {
	if err := b.o.Slack.UpdateView(ctx, viewID, m); err != nil && !errors.Is(err, elicit.ErrGone) {
		b.o.Log.Warn("a form could not be updated", "err", err)
	}
}

// stopCall ends a call for its requester, on whichever replica it runs.
func (b *Bridge) stopCall(ctx context.Context, c blockkit.Click) {
	id := elicit.CallID(c.Value)
	if running := b.call(id); running != nil && running.Origin.RequesterUser() == c.User {
		b.Stopped(ctx, id)
		return
	}
	requester, found, err := b.o.Ledger.StopCall(ctx, id, c.User)
	switch {
	case err != nil:
		b.o.Log.Error("a call could not be stopped", "call_id", id, "err", err)
		b.noteClick(ctx, c, blockkit.NotRecordedTryAgain())
	case !found:
		b.stopParked(ctx, c, id)
	case requester != c.User:
		b.noteClick(ctx, c, blockkit.NotYourCall(requester.ID))
	}
}
