package bridge

import (
	"context"
	"errors"
	"time"

	"github.com/slackbridge/slackbridge/blockkit"
	"github.com/slackbridge/slackbridge/elicit"
)

// postCard posts the question in its thread, or else in the requester's DM
// with the reason. A reason is returned when nobody could be asked.
func (b *Bridge) postCard(ctx context.Context, el *blockkit.Elicitation, p elicit.Pending) (elicit.MessageRef, elicit.Reason) {
	// A second before the deadline there is nobody left to ask in time.
	pctx, cancel := context.WithTimeoutCause(ctx, max(p.Deadline.Sub(b.o.Now())-time.Second, time.Second/2), elicit.ErrSlackUnreachable)
	defer cancel()
	card := b.card(p, el).Open()
	ref, err := b.post(pctx, elicit.Place{Channel: p.Origin.Channel, Thread: p.Origin.Thread}, card)
	if errors.Is(err, elicit.ErrCannotPost) {
		ref, err = b.postCardInDM(pctx, p, card)
	}
	switch {
	case err == nil:
	case ctx.Err() != nil:
		return elicit.MessageRef{}, reasonOf(context.Cause(ctx))
	case errors.Is(err, elicit.ErrSlackUnreachable), pctx.Err() != nil:
		b.o.Log.Warn("the question could not be posted: Slack is unreachable", "pending_id", p.ID, "err", err)
		return elicit.MessageRef{}, elicit.ReasonSlackUnreachable
	default:
		b.o.Log.Error("the question could not be posted", "pending_id", p.ID, "err", err)
		b.tell(ctx, p.Origin, blockkit.NotShown(p.Server, p.Tool, blockkit.WhyRefusedBySlack))
		return elicit.MessageRef{}, elicit.ReasonUndeliverable
	}
	stands, err := b.o.Ledger.Placed(ctx, p.ID, ref)
	switch {
	case err != nil:
		// The card works without it: a click says where it was made. Only a
		// redraw by another replica would miss it.
		b.o.Log.Warn("the place of a card could not be recorded", "pending_id", p.ID, "err", err)
	case !stands.IsZero() && stands != ref:
		// It stood twice after an unknown outcome (post), and was clicked on the
		// other one already.
		b.later(ctx, func(ctx context.Context) { b.giveWay(ctx, p.ID, ref) })
		return stands, ""
	}
	return ref, ""
}

// giveWay takes the buttons off a card whose question has another one.
func (b *Bridge) giveWay(ctx context.Context, id elicit.PendingID, card elicit.MessageRef) {
	if err := b.o.Slack.Update(ctx, card, blockkit.MovedCard()); err != nil && !errors.Is(err, elicit.ErrGone) {
		b.o.Log.Warn("a second card could not be redrawn", "pending_id", id, "channel", card.Channel, "message_ts", card.TS, "err", err)
	}
}

func (b *Bridge) postCardInDM(ctx context.Context, p elicit.Pending, card blockkit.Message) (elicit.MessageRef, error) {
	dm, err := b.o.Slack.DirectMessage(ctx, p.Origin.Requester)
	if err != nil {
		return elicit.MessageRef{}, err
	}
	why := blockkit.AskedInDM(p.Origin.Channel)
	if _, err := b.post(ctx, elicit.Place{Channel: dm}, why); err != nil {
		return elicit.MessageRef{}, err
	}
	return b.post(ctx, elicit.Place{Channel: dm}, card)
}

func (b *Bridge) card(p elicit.Pending, el *blockkit.Elicitation) blockkit.Card {
	c := blockkit.Card{
		ID: p.ID, Server: p.Server, Tool: p.Tool, Requester: p.Origin.Requester, Deadline: p.Deadline,
	}
	if el != nil {
		c.Message, c.Form, c.Link = el.Message, el.Form, el.Link
		for _, u := range b.o.Policy.Responders(facts(p, isConfirm(el.Form))) {
			c.Responders = append(c.Responders, u.ID)
		}
	}
	return c
}

// redraw shows the end of a question on its card: who and when, no buttons, no
// values. The decision stands whatever becomes of the card; a card that could
// not be drawn is tried again until it is, by whichever replica lives then
// (Undrawn).
func (b *Bridge) redraw(ctx context.Context, p elicit.Pending, card elicit.MessageRef) {
	if card.IsZero() || p.Decision == nil {
		return
	}
	ended := b.card(p, nil).Ended(p.State, *p.Decision)
	err := b.o.Slack.Update(ctx, card, ended)
	if errors.Is(err, elicit.ErrGone) {
		// Somebody deleted the card. The outcome must still be readable.
		_, err = b.post(ctx, elicit.Place{Channel: p.Origin.Channel, Thread: p.Origin.Thread}, ended)
	}
	if err != nil {
		b.o.Log.Warn("a card could not be redrawn", "pending_id", p.ID, "channel", card.Channel, "message_ts", card.TS, "err", err)
		return
	}
	b.drawn(ctx, p)
}

// drawn records that the card of p needs nobody's attention any more.
func (b *Bridge) drawn(ctx context.Context, p elicit.Pending) {
	if err := b.o.Ledger.Drawn(ctx, p.ID, p.State); err != nil {
		b.o.Log.Debug("a drawn card could not be recorded and will be drawn again", "pending_id", p.ID, "err", err)
	}
}

// Undrawn takes an ended question of whose card nobody has said that it shows
// the end: Slack was out of reach, or the replica that should have drawn it is
// gone.
func (b *Bridge) Undrawn(ctx context.Context, p elicit.Pending) {
	b.later(ctx, func(ctx context.Context) {
		switch {
		case !p.Card.IsZero():
			b.redraw(ctx, p, p.Card)
			return
		case p.State == elicit.StateLost && !p.Decision.Responder.IsZero():
			// It was answered in a form that had opened by itself, and its replica
			// died before the card stood: that is to be told all the same.
			if err := b.postInThread(ctx, p.Origin, b.card(p, nil).Ended(p.State, *p.Decision)); err != nil {
				b.o.Log.Warn("the end of a question without a card could not be told", "pending_id", p.ID, "err", err)
				return
			}
		}
		b.drawn(ctx, p)
	})
}

// Unplaced takes a question of the durable era whose replica died between
// recording and posting it: nobody may have seen it.
func (b *Bridge) Unplaced(ctx context.Context, p elicit.Pending) {
	el, err := question(p)
	if err != nil {
		b.o.Log.Error("a stored question could not be read and is left to expire", "pending_id", p.ID, "err", err)
		return
	}
	b.later(ctx, func(ctx context.Context) {
		if _, reason := b.postCard(ctx, el, p); reason != "" {
			b.endParked(ctx, p, reason)
		}
	})
}

// redrawAsItStands redraws a card for a question that another replica holds,
// and once more if that one has found out meanwhile that the decision did not
// reach the server: whichever of the two is drawn last, it is the truth.
func (b *Bridge) redrawAsItStands(ctx context.Context, p elicit.Pending, card elicit.MessageRef) {
	b.redraw(ctx, p, card)
	now, known, err := b.o.Ledger.Load(ctx, p.ID)
	if err != nil {
		b.o.Log.Warn("a redrawn card could not be compared with its record", "pending_id", p.ID, "err", err)
		return
	}
	if known && now.State == elicit.StateLost && p.State != elicit.StateLost {
		b.redraw(ctx, now, card)
	}
}

// tell posts a note in the thread of a call, or in the requester's DM.
func (b *Bridge) tell(ctx context.Context, o elicit.Origin, m blockkit.Message) {
	if o.Channel == "" || o.Requester == "" {
		return
	}
	bg, cancel := context.WithTimeoutCause(context.WithoutCancel(ctx), ioTimeout, elicit.ErrSlackUnreachable)
	defer cancel()
	if err := b.postInThread(bg, o, m); err != nil {
		b.o.Log.Warn("a note could not be posted", "channel", o.Channel, "err", err)
	}
}
