package bridge

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/slackbridge/slackbridge/blockkit"
	"github.com/slackbridge/slackbridge/elicit"
)

// call is one running tool call on this replica.
type call struct {
	elicit.Call
	cancel     context.CancelCauseFunc
	top        elicit.MessageRef // its top-level message
	idempotent bool              // repeating it does no harm, its server says

	// The command that started it, for opening a form without a further click.
	triggerID string
	startedAt time.Time

	mu      sync.Mutex
	records int              // how often it was recorded as running
	spent   bool             // triggerID was used: it serves once
	refusal map[digest]int   // questions that were not accepted, and how often they came
	owed    blockkit.CallEnd // the end that its heading does not show yet; empty: none
}

// refusals tells how often this question was asked and not accepted. A nil
// call, of which this replica knows nothing, has none.
func (c *call) refusals(el *blockkit.Elicitation) int {
	if c == nil {
		return 0
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.refusal[digestOf(el)]
}

func (c *call) refused(said digest) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.refusal[said]++
}

// refusedSoFar is what was refused, by the digest in text.
func (c *call) refusedSoFar() map[string]int {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := make(map[string]int, len(c.refusal))
	for d, n := range c.refusal {
		out[hex.EncodeToString(d[:])] = n
	}
	return out
}

// takeTrigger returns the trigger of the command that started the call, once.
func (c *call) takeTrigger() (id string, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	ok = c.triggerID != "" && !c.spent
	c.spent = true
	return c.triggerID, ok
}

func (b *Bridge) call(id elicit.CallID) *call {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.calls[id]
}

func (b *Bridge) track(c *call) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.calls[c.ID] = c
}

// forget ends the book-keeping of a call, unless its heading is still to be
// drawn.
func (b *Bridge) forget(c *call) {
	b.untrack(c.ID)
	if c.owed != "" {
		b.owe(c)
		return
	}
	ctx, cancel := context.WithTimeoutCause(context.WithoutCancel(b.base), ioTimeout, errors.New("forgetting a call took too long"))
	defer cancel()
	if err := b.o.Ledger.CallEnded(ctx, c.ID); err != nil {
		b.o.Log.Warn("an ended call could not be forgotten", "call_id", c.ID, "err", err)
	}
}

// Stopped ends a call because its requester pressed Stop, here or on another
// replica, which has checked who. The call may have been parked meanwhile.
func (b *Bridge) Stopped(ctx context.Context, id elicit.CallID) {
	b.mu.Lock()
	c := b.calls[id]
	if c != nil {
		// Under the lock: whoever parks the call looks for it afterwards.
		c.cancel(elicit.ErrStopped)
	}
	b.mu.Unlock()
	if c != nil {
		b.o.Log.Info("call stopped", "call_id", id, "requester", c.Origin.Requester)
		return
	}
	b.later(ctx, func(ctx context.Context) {
		if _, err := b.stopParkedCall(ctx, id); err != nil {
			b.o.Log.Error("a parked call could not be stopped", "call_id", id, "err", err)
		}
	})
}

func (b *Bridge) untrack(id elicit.CallID) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.calls, id)
}

// start posts the call's message and runs the tool. It returns as soon as the
// message stands; the rest goes on by itself. The error is for the person who
// typed the command.
func (b *Bridge) start(ctx context.Context, cmd blockkit.Command, tool elicit.Tool, args json.RawMessage) error {
	if !b.work.enter() {
		return errDraining
	}
	ok := false
	defer func() {
		if !ok {
			b.work.leave()
		}
	}()
	id, err := b.newID()
	if err != nil {
		return err
	}
	c := &call{
		Call: elicit.Call{
			ID: elicit.CallID(id), Server: tool.Server, Tool: tool.Name, Arguments: args,
			Origin: elicit.Origin{Team: b.o.Team, Channel: cmd.Channel, Requester: cmd.User.ID},
		},
		triggerID: cmd.TriggerID, startedAt: cmd.At,
		refusal: map[digest]int{}, idempotent: tool.Idempotent,
	}
	cctx, cancel := context.WithCancelCause(b.base)
	c.cancel = cancel
	b.track(c) // before its message stands: Stop may be pressed at once
	if err := b.announce(ctx, c); err != nil {
		b.untrack(c.ID)
		cancel(nil)
		return fmt.Errorf("announcing the call: %w", err)
	}
	b.recordRunning(ctx, c)
	ok = true
	go func() {
		defer b.work.leave()
		defer b.forget(c)
		defer cancel(nil)
		b.run(cctx, c)
	}()
	return nil
}

// announceTimeout is how long a person waits for a command to be taken.
const announceTimeout = 20 * time.Second

// announce posts the top-level message of the call where it was made, or in
// the requester's DM when the bot cannot post there. The thread under it is
// where everything else of this call goes.
func (b *Bridge) announce(ctx context.Context, c *call) error {
	ctx, cancel := context.WithTimeoutCause(ctx, announceTimeout, elicit.ErrSlackUnreachable)
	defer cancel()
	from := c.Origin.Channel
	msg := b.heading(c).Running()
	ref, err := b.post(ctx, elicit.Place{Channel: from}, msg)
	if errors.Is(err, elicit.ErrCannotPost) {
		dm, dmErr := b.o.Slack.DirectMessage(ctx, c.Origin.Requester)
		if dmErr != nil {
			return errors.Join(err, dmErr)
		}
		if _, err := b.post(ctx, elicit.Place{Channel: dm}, blockkit.AskedInDM(from)); err != nil {
			return err
		}
		ref, err = b.post(ctx, elicit.Place{Channel: dm}, msg)
	}
	if err != nil {
		return err
	}
	c.top = ref
	c.Origin.Channel, c.Origin.Thread = ref.Channel, ref.TS
	b.o.Log.Info("call started", "call_id", c.ID, "server", c.Server, "tool", c.Tool,
		"channel", ref.Channel, "message_ts", ref.TS, "requester", c.Origin.Requester)
	return nil
}

func (b *Bridge) heading(c *call) blockkit.Call {
	return blockkit.Call{Requester: c.Origin.Requester, Server: c.Server, Tool: c.Tool, ID: c.ID}
}

// run makes the request of the call. In the blocking era that is all of it, and
// questions arrive at Ask meanwhile; in the durable era it is one round.
func (b *Bridge) run(ctx context.Context, c *call) {
	out, err := b.callHost(ctx, c)
	b.proceed(ctx, c, out, err)
}

// proceed does what a request came to: it reports the result, or leaves the
// call to the people whom the server asks. As long as nobody could be asked it
// repeats the call with that.
func (b *Bridge) proceed(ctx context.Context, c *call, out elicit.Outcome, err error) {
	for err == nil && out.Parked != nil {
		if err = b.checkRound(ctx, out.Parked); err != nil {
			break
		}
		parked, answers, parkErr := b.park(ctx, c, out.Parked, false)
		switch {
		case parked:
			return
		case parkErr != nil:
			err = parkErr
		default:
			out, err = b.resumeHost(ctx, *out.Parked, answers)
		}
	}
	var pages *elicit.PagesRequiredError
	if errors.As(err, &pages) && b.askForPages(ctx, c, pages) {
		return
	}
	bg, cancel := context.WithTimeoutCause(context.WithoutCancel(ctx), reportTimeout, elicit.ErrSlackUnreachable)
	defer cancel()
	if cause := context.Cause(ctx); cause != nil && err != nil {
		err = cause
	}
	b.report(bg, c, out.Result, err)
	b.dropPark(bg, c.ID)
}

// reportTimeout is how long a result waits for Slack to take it. It is long: a
// result that is given up is gone.
const reportTimeout = 15 * time.Minute

// checkRound refuses a round of which a question is malformed: nothing of it is
// shown then.
func (b *Bridge) checkRound(ctx context.Context, p *elicit.Parked) error {
	for _, q := range p.Questions {
		var malformed *elicit.InvalidParamsError
		if _, err := blockkit.Parse(q.Params, q.Era); errors.As(err, &malformed) {
			b.auditRefusal(ctx, q, elicit.ReasonMalformed)
			return fmt.Errorf("inputRequests.%s.params.%w", q.RequestID, malformed)
		}
	}
	return nil
}

// report posts what came of the call and closes its heading.
func (b *Bridge) report(ctx context.Context, c *call, result *elicit.Result, err error) {
	end := blockkit.CallFinished
	var messages []blockkit.Message
	switch {
	case err != nil:
		end = blockkit.CallFailed
		b.o.Log.Warn("call failed", "call_id", c.ID, "server", c.Server, "tool", c.Tool, "err", err)
		messages = []blockkit.Message{blockkit.CallError(c.Server, c.Tool, err.Error())}
	case result == nil:
		end = blockkit.CallFailed
		messages = []blockkit.Message{blockkit.CallError(c.Server, c.Tool, "the server answered without a result")}
	default:
		if result.IsError {
			end = blockkit.CallFailed
		}
		b.o.Log.Info("call finished", "call_id", c.ID, "server", c.Server, "tool", c.Tool, "tool_error", result.IsError)
		messages = blockkit.Result(c.Server, c.Tool, *result)
	}
	for _, m := range messages {
		if err := b.postInThread(ctx, c.Origin, m); err != nil {
			b.o.Log.Error("a result could not be posted", "call_id", c.ID, "channel", c.Origin.Channel, "err", err)
			break
		}
	}
	b.endLinks(ctx, c.ID)
	b.endHeading(ctx, c, end)
}

var errDraining = errors.New("slackbridge is restarting; try again in a moment")
