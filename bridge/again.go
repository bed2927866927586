package bridge

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/slackbridge/slackbridge/blockkit"
	"github.com/slackbridge/slackbridge/elicit"
)

// againTTL is how long Run again can be pressed.
const againTTL = 24 * time.Hour

// storedCall is what running a call again needs. It is kept, sealed, as the
// draft of a form that nobody has to fill in.
type storedCall struct {
	Server    string          `json:"server"`
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
	Channel   string          `json:"channel"`
}

func againKey(id elicit.CallID) string { return "again:" + string(id) }

// askForPages asks for the pages without which a call cannot run, and leaves
// the call to whoever opens them. It reports whether anybody was asked.
func (b *Bridge) askForPages(ctx context.Context, c *call, pages *elicit.PagesRequiredError) bool {
	p := &elicit.Parked{Call: c.Call}
	for i, q := range pages.Questions {
		// Nothing waits for the answer, as in the durable era: the person says
		// when the page is finished.
		q.Era, q.RequestID = elicit.EraDurable, strconv.Itoa(i)
		p.Questions = append(p.Questions, q)
	}
	if err := b.checkRound(ctx, p); err != nil {
		b.o.Log.Warn("a call needs pages that cannot be asked for", "call_id", c.ID, "server", c.Server, "err", err)
		return false
	}
	parked, _, err := b.park(ctx, c, p, true)
	if err != nil {
		b.o.Log.Error("a call could not wait for its pages", "call_id", c.ID, "err", err)
	}
	return parked
}

// afterPages goes on when the people have decided about the pages.
func (b *Bridge) afterPages(ctx context.Context, c *call, answers map[string]elicit.Answer) {
	for _, a := range answers {
		if a.Action != elicit.Accept {
			b.report(ctx, c, nil, &elicit.PagesRequiredError{Server: c.Server})
			return
		}
	}
	b.offerAgain(ctx, c, blockkit.RunAgain(c.ID, c.Server, c.Tool), blockkit.CallNotRun)
}

// offerAgain ends a call with a button that runs it again, on message m.
func (b *Bridge) offerAgain(ctx context.Context, c *call, m blockkit.Message, end blockkit.CallEnd) {
	raw, err := json.Marshal(storedCall{Server: c.Server, Tool: c.Tool, Arguments: c.Arguments, Channel: c.Origin.Channel})
	if err == nil {
		err = b.o.Ledger.SaveDraft(ctx, againKey(c.ID), c.Origin.RequesterUser(), raw, againTTL)
	}
	if err != nil {
		b.o.Log.Error("a call could not be kept to be run again", "call_id", c.ID, "err", err)
		b.report(ctx, c, nil, errors.New("it did not run, and could not be kept to be run again; type the command again"))
		return
	}
	if err := b.postInThread(ctx, c.Origin, m); err != nil {
		b.o.Log.Error("running a call again could not be offered", "call_id", c.ID, "err", err)
	}
	b.endLinks(ctx, c.ID)
	b.endHeading(ctx, c, end)
}

// runAgain runs a call that was offered again, once.
func (b *Bridge) runAgain(ctx context.Context, c blockkit.Click) {
	id := elicit.CallID(c.Value)
	raw, err := b.o.Ledger.Draft(ctx, againKey(id), c.User)
	if err == nil && raw == nil {
		b.noteClick(ctx, c, blockkit.NotYoursToRunAgain())
		return
	}
	var kept storedCall
	if err == nil {
		err = json.Unmarshal(raw, &kept)
	}
	first := false
	if err == nil {
		first, err = b.o.Ledger.FirstTime(ctx, againKey(id), againTTL)
	}
	if err != nil {
		b.o.Log.Error("a call could not be run again", "call_id", id, "err", fmt.Errorf("reading what was kept: %w", err))
		b.tryAgain(ctx, c)
		return
	}
	if !first {
		b.noteClick(ctx, c, blockkit.NotYoursToRunAgain())
		return
	}
	cmd := blockkit.Command{User: c.User, Channel: kept.Channel, TriggerID: c.TriggerID, ResponseURL: c.ResponseURL, At: c.At}
	b.runTool(ctx, cmd, elicit.Tool{Server: kept.Server, Name: kept.Tool}, kept.Arguments)
	if err := b.o.Slack.Update(ctx, c.Message, blockkit.RanAgain(kept.Server, kept.Tool, c.User)); err != nil {
		b.o.Log.Warn("an offer that was taken could not be redrawn", "call_id", id, "err", err)
	}
	if err := b.o.Ledger.DropDraft(ctx, againKey(id), c.User); err != nil {
		b.o.Log.Warn("a call that was run again could not be forgotten; it ends by itself", "call_id", id, "err", err)
	}
}
