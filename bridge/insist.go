package bridge

import (
	"context"
	"errors"
	"time"
)

// insistFor is how long a record is tried for that must stand before anybody is
// asked: a failover of Redis takes seconds, and the question is worth them.
const insistFor = 15 * time.Second

// insist does work on the ledger until it succeeds, for insistFor at most. The
// work must bear to be done twice.
func (b *Bridge) insist(ctx context.Context, work func(context.Context) error) error {
	ctx, cancel := context.WithTimeoutCause(ctx, insistFor, errors.New("the ledger could not be reached"))
	defer cancel()
	pause := 100 * time.Millisecond
	for {
		err := work(ctx)
		if err == nil || ctx.Err() != nil {
			return err
		}
		select {
		case <-b.o.After(pause):
		case <-ctx.Done():
			return err
		}
		pause = min(2*pause, 2*time.Second)
	}
}
