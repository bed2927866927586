package bridge

import (
	"context"

	"github.com/slackbridge/slackbridge/elicit"
)

// Nudge takes a pending that has waited so long that somebody is to be reminded
// or further people are to be asked.
func (b *Bridge) Nudge(ctx context.Context, p elicit.Pending, kind elicit.Nudge) {
	if err := b.o.Ledger.Nudged(ctx, p.ID, kind); err != nil {
		b.o.Log.Warn("a nudge could not be recorded and will be given again", "pending_id", p.ID, "err", err)
	}
}
