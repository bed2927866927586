package bridge

import (
	"context"

	"github.com/slackbridge/slackbridge/elicit"
)

// settled is what wakes a question that waits: the record with its decision
// and, on the replica where it was made, the answer that goes with it.
type settled struct {
	pending elicit.Pending
	answer  []byte // nil: there is none, or it has to be read from the ledger
	redraw  bool   // whoever decided leaves the card to the question
}

// wait registers the question before anybody can decide it.
func (b *Bridge) wait(id elicit.PendingID) <-chan settled {
	c := make(chan settled, 1)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.waiters[id] = c
	return c
}

func (b *Bridge) unwait(id elicit.PendingID) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.waiters, id)
}

// wake hands s to the question if it waits on this replica, and reports
// whether it did. The first one to wake it is the only one; a decision does not
// change afterwards.
func (b *Bridge) wake(s settled) bool {
	b.mu.Lock()
	c := b.waiters[s.pending.ID]
	delete(b.waiters, s.pending.ID)
	b.mu.Unlock()
	if c == nil {
		return false
	}
	c <- s // it has room: nobody else writes to it
	return true
}

// Decided takes a decision that another replica, or the ledger itself,
// recorded for a question that this replica holds. A question that does not
// wait here any more was answered already: both ways of hearing of a decision
// may arrive, and the second one says nothing new. The card is left to whoever
// recorded the decision.
func (b *Bridge) Decided(ctx context.Context, p elicit.Pending) error {
	if p.Era == elicit.EraDurable {
		return b.goOn(ctx, p.Call)
	}
	b.wake(settled{pending: p})
	return nil
}

// Settled takes a question that the ledger ended by itself on this replica:
// nobody answered in time, or its owner is gone.
func (b *Bridge) Settled(ctx context.Context, p elicit.Pending) {
	if b.wake(settled{pending: p, redraw: true}) {
		return
	}
	if p.Decision.Reason == elicit.ReasonOwnerLost {
		// Its owner, who would have written the record, is gone.
		b.decided(p)
		if err := b.audit(ctx, p); err != nil {
			b.o.Log.Error("a lost question could not be written to the audit record", "pending_id", p.ID, "err", err)
		}
	}
	b.later(ctx, func(ctx context.Context) { b.redrawAsItStands(ctx, p, p.Card) })
}
