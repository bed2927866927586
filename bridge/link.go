package bridge

import (
	"context"
	"errors"

	"github.com/slackbridge/slackbridge/blockkit"
	"github.com/slackbridge/slackbridge/elicit"
)

// linkKey names a page that a call asked for, as its server calls it.
type linkKey struct {
	call elicit.CallID
	id   string // elicitationId
}

// respondWithLink shows where the page is, to somebody who may open it.
func (b *Bridge) respondWithLink(ctx context.Context, c blockkit.Click) {
	l := b.lookUp(ctx, elicit.PendingID(c.Value), c.User, c.Message)
	if l.refusal != nil {
		b.answerClick(ctx, c, l)
		return
	}
	b.openView(ctx, c, l.pending, b.firstPage(ctx, l.pending, l.el, c.User, c.At))
}

// openLink handles the press that opened the page in the browser: it is the
// consent. A server whose request waits is told at once. One of the durable era
// would only ask again, so it is told when the person says that they are done.
func (b *Bridge) openLink(ctx context.Context, c blockkit.Click) {
	l := b.lookUp(ctx, elicit.PendingID(c.Value), c.User, elicit.MessageRef{})
	if l.refusal == nil && l.el.Link == nil {
		l.refusal = blockkit.StaleButton()
	}
	if l.refusal != nil {
		b.answerClick(ctx, c, l)
		return
	}
	if l.pending.Era == elicit.EraBlocking {
		d := elicit.Decision{Action: elicit.Accept, Reason: elicit.ReasonSubmitted, Responder: c.User}
		s, err := b.decide(ctx, l.pending.ID, d, nil, elicit.MessageRef{})
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
		b.showOpened(ctx, c, l, false)
		return
	}
	p, found, err := b.o.Ledger.Opened(ctx, l.pending.ID, c.User)
	switch {
	case err != nil:
		b.o.Log.Error("an opened page could not be recorded", "pending_id", l.pending.ID, "err", err)
		b.tryAgain(ctx, c)
		return
	case !found:
		b.answerClick(ctx, c, foundNothing())
		return
	case p.Decision != nil:
		l.pending, l.refusal = p, blockkit.AlreadyEnded(p.State, *p.Decision)
		b.answerClick(ctx, c, l)
		return
	}
	l.pending = p
	b.showOpened(ctx, c, l, true)
	b.drawOpened(ctx, p, l.el)
}

// drawOpened shows on the card that the page was opened and is to be finished.
func (b *Bridge) drawOpened(ctx context.Context, p elicit.Pending, el *blockkit.Elicitation) {
	if p.Card.IsZero() {
		return // catchUp does it once there is one
	}
	if err := b.o.Slack.Update(ctx, p.Card, b.card(p, el).Opened(p.OpenedBy, b.o.Now(), true)); err != nil {
		b.o.Log.Warn("a card could not be redrawn", "pending_id", p.ID, "channel", p.Card.Channel, "message_ts", p.Card.TS, "err", err)
	}
}

// catchUp redraws a card that came after its page was opened: the link had
// opened by itself.
func (b *Bridge) catchUp(ctx context.Context, el *blockkit.Elicitation, p elicit.Pending) {
	if el.Link == nil || p.Era != elicit.EraDurable {
		return
	}
	now, known, err := b.o.Ledger.Load(ctx, p.ID)
	if err != nil {
		b.o.Log.Warn("a posted card could not be compared with its record", "pending_id", p.ID, "err", err)
		return
	}
	if known && now.Decision == nil && !now.OpenedBy.IsZero() {
		now.Card = p.Card
		b.drawOpened(ctx, now, el)
	}
}

func foundNothing() found { return found{refusal: blockkit.UnknownQuestion(), ended: true} }

// showOpened puts what comes next in the place of the link.
func (b *Bridge) showOpened(ctx context.Context, c blockkit.Click, l found, done bool) {
	if c.View == nil {
		return
	}
	v := formView(l.pending, l.el, c.User, b.o.Slack.Reader(ctx, c.User.ID))
	b.updateView(ctx, c.View.ID, l.el.Link.OpenedModal(v, done))
}

// opened is a page of a running call that was opened and that its server has
// not finished yet.
type opened struct {
	pending elicit.Pending
	card    elicit.MessageRef
}

// linkOpened remembers a page until its server says that it is finished, or its
// call ends, and shows on the card that it waits.
func (b *Bridge) linkOpened(ctx context.Context, p elicit.Pending, el *blockkit.Elicitation) {
	key := linkKey{p.Call, el.ID}
	b.mu.Lock()
	b.links[key] = opened{pending: p, card: p.Card}
	b.mu.Unlock()
	b.later(ctx, func(ctx context.Context) {
		b.mu.Lock()
		_, waits := b.links[key]
		b.mu.Unlock()
		if p.Card.IsZero() || !waits {
			return
		}
		if err := b.o.Slack.Update(ctx, p.Card, b.card(p, nil).Opened(p.Decision.Responder, p.Decision.At, false)); err != nil {
			b.o.Log.Warn("a card could not be redrawn", "pending_id", p.ID, "channel", p.Card.Channel, "message_ts", p.Card.TS, "err", err)
			return
		}
		b.drawn(ctx, p)
	})
}

// Completed takes a server's word that a page is finished. One that is not
// known is not an error: it may have been opened by nobody.
func (b *Bridge) Completed(ctx context.Context, call elicit.CallID, elicitationID string) {
	b.mu.Lock()
	o, known := b.links[linkKey{call, elicitationID}]
	delete(b.links, linkKey{call, elicitationID})
	b.mu.Unlock()
	if !known {
		b.o.Log.Debug("a server says that an unknown page is finished", "call_id", call)
		return
	}
	b.later(ctx, func(ctx context.Context) {
		if o.card.IsZero() {
			return
		}
		if err := b.o.Slack.Update(ctx, o.card, b.card(o.pending, nil).Completed(*o.pending.Decision)); err != nil {
			b.o.Log.Warn("a card could not be redrawn", "pending_id", o.pending.ID, "err", err)
		}
	})
}

// endLinks draws the pages of a call that has ended as what they are then:
// opened, and no more is known.
func (b *Bridge) endLinks(ctx context.Context, call elicit.CallID) {
	b.mu.Lock()
	var left []opened
	for key, o := range b.links {
		if key.call == call {
			left = append(left, o)
			delete(b.links, key)
		}
	}
	b.mu.Unlock()
	for _, o := range left {
		b.redraw(ctx, o.pending, o.card)
	}
}

// staysWithOwner reports whether the card of a decided question is drawn by the
// replica that holds it: it alone knows how the page goes on.
func staysWithOwner(p elicit.Pending) bool {
	return p.Mode == elicit.ModeURL && p.Era == elicit.EraBlocking && p.Decision != nil && p.Decision.Action == elicit.Accept
}
