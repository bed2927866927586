package bridge

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/slackbridge/slackbridge/blockkit"
	"github.com/slackbridge/slackbridge/elicit"
)

// runningCall is what another replica needs to end a call in order, should this
// one die. It is sealed in the ledger. Members may be added; none may change
// its meaning while records live (days).
type runningCall struct {
	Version int               `json:"v"`
	Call    elicit.Call       `json:"call"`
	Top     elicit.MessageRef `json:"top"`
	End     blockkit.CallEnd  `json:"end,omitempty"` // it has ended so, and its heading is still to be drawn
}

const runningVersion = 1

// recordRunning tells the ledger that this replica runs the call. Only a Stop
// that lands on another replica, and the heirs of this one, need it.
func (b *Bridge) recordRunning(ctx context.Context, c *call) {
	c.mu.Lock()
	c.records++
	turn := c.records
	c.mu.Unlock()
	raw, err := json.Marshal(runningCall{Version: runningVersion, Call: c.Call, Top: c.top, End: c.owed})
	if err == nil {
		err = b.o.Ledger.CallRunning(ctx, c.ID, c.Origin.RequesterUser(), raw)
	}
	if err != nil {
		b.o.Log.Warn("a running call could not be recorded; trying on", "call_id", c.ID, "err", err)
		b.later(ctx, func(ctx context.Context) { b.recordRunningLate(ctx, c, raw, turn) })
	}
}

// recordRunningLate makes the record number turn of a call that the ledger did
// not take at once, unless a newer one is made, or the call has ended, meanwhile.
func (b *Bridge) recordRunningLate(ctx context.Context, c *call, raw []byte, turn int) {
	stands := func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		return c.records == turn && b.call(c.ID) == c
	}
	for raw != nil {
		select {
		case <-b.o.After(time.Second):
		case <-ctx.Done():
			return
		}
		if !stands() {
			return
		}
		if b.o.Ledger.CallRunning(ctx, c.ID, c.Origin.RequesterUser(), raw) != nil {
			continue
		}
		if b.call(c.ID) != c { // it ended in this moment
			if err := b.o.Ledger.CallEnded(ctx, c.ID); err != nil {
				b.o.Log.Warn("an ended call could not be forgotten", "call_id", c.ID, "err", err)
			}
		}
		return
	}
}

// endHeading draws the end of a call on its top-level message, where Stop goes
// away. That it has ended is recorded first: should this replica die now, its
// heir must not take the call for one that still ran.
func (b *Bridge) endHeading(ctx context.Context, c *call, end blockkit.CallEnd) {
	c.owed = end
	b.recordRunning(ctx, c)
	uctx, cancel := context.WithTimeoutCause(ctx, ioTimeout, elicit.ErrSlackUnreachable)
	defer cancel()
	err := b.o.Slack.Update(uctx, c.top, b.heading(c).Ended(end))
	switch {
	case err == nil:
		c.owed = ""
	case errors.Is(err, elicit.ErrSlackUnreachable):
		b.o.Log.Warn("the heading of a call could not be redrawn yet", "call_id", c.ID, "err", err)
	default:
		c.owed = "" // it will not get better
		b.o.Log.Warn("the heading of a call could not be redrawn", "call_id", c.ID, "err", err)
	}
}

// owedInterval is between two attempts to draw a heading while Slack is out of
// reach.
const owedInterval = time.Minute

// owe goes on drawing the heading of a call that has ended, until it stands or
// this replica stops; its heirs do it then.
func (b *Bridge) owe(c *call) {
	go func() { // ends with base
		for c.owed != "" {
			select {
			case <-b.o.After(owedInterval):
			case <-b.base.Done():
				return
			}
			b.endHeading(b.base, c, c.owed)
		}
		b.forget(c)
	}()
}

// CallLost takes a call that a dead replica was running. Its server may have
// carried it out, so nobody but its requester can say whether to run it again.
func (b *Bridge) CallLost(ctx context.Context, id elicit.CallID, record []byte) {
	rec, err := readRunning(record)
	if err != nil {
		b.o.Log.Error("a call of a dead replica could not be read", "call_id", id, "err", err)
		return
	}
	b.o.Log.Warn("the replica that ran a call is gone", "call_id", id, "server", rec.Call.Server, "tool", rec.Call.Tool, "end", rec.End)
	b.laterFor(ctx, reportTimeout, func(ctx context.Context) {
		c := &call{Call: rec.Call, top: rec.Top, refusal: map[digest]int{}}
		if rec.End != "" {
			b.endHeading(ctx, c, rec.End)
		} else {
			b.offerAgain(ctx, c, blockkit.UnknownOutcome(c.ID, c.Server, c.Tool), blockkit.CallFailed)
		}
		b.forget(c)
	})
}

func readRunning(raw []byte) (runningCall, error) {
	var rec runningCall
	if err := json.Unmarshal(raw, &rec); err != nil {
		return rec, fmt.Errorf("reading a running call: %w", err)
	}
	if rec.Version != runningVersion {
		return rec, fmt.Errorf("reading a running call: version %d is not known to this build", rec.Version)
	}
	return rec, nil
}
