package bridge

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
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

// openPages asks for the pages without which a call cannot run, and reports
// whether all of them were opened.
func (b *Bridge) openPages(ctx context.Context, c *call, pages *elicit.PagesRequiredError) bool {
	outs := make([]outcome, len(pages.Questions))
	var wg sync.WaitGroup
	for i, q := range pages.Questions {
		wg.Go(func() {
			q.Era = elicit.EraDurable // nothing waits for the answer: the person says when it is done
			outs[i] = b.ask(ctx, q)
		})
	}
	wg.Wait()
	bg, cancel := context.WithTimeoutCause(context.WithoutCancel(ctx), ioTimeout, errors.New("recording a delivery took too long"))
	defer cancel()
	all := true
	for _, out := range outs {
		all = all && out.answer.Action == elicit.Accept
		b.delivered(bg, out, nil)
	}
	if !all {
		b.o.Log.Info("a call did not run: a page that it needs was not opened", "call_id", c.ID, "server", c.Server)
	}
	return all
}

// offerAgain ends a call that did not run with a button that runs it.
func (b *Bridge) offerAgain(ctx context.Context, c *call) {
	raw, err := json.Marshal(storedCall{Server: c.Server, Tool: c.Tool, Arguments: c.Arguments, Channel: c.Origin.Channel})
	if err == nil {
		err = b.o.Ledger.SaveDraft(ctx, againKey(c.ID), c.Origin.RequesterUser(), raw, againTTL)
	}
	if err != nil {
		b.o.Log.Error("a call could not be kept to be run again", "call_id", c.ID, "err", err)
		b.report(ctx, c, nil, errors.New("the page was opened, but the call could not be kept; type the command again"))
		return
	}
	thread := elicit.Place{Channel: c.Origin.Channel, Thread: c.Origin.Thread}
	if _, err := b.o.Slack.Post(ctx, thread, blockkit.RunAgain(c.ID, c.Server, c.Tool)); err != nil {
		b.o.Log.Error("running a call again could not be offered", "call_id", c.ID, "err", err)
	}
	b.endLinks(ctx, c.ID)
	if err := b.o.Slack.Update(ctx, c.top, b.heading(c).Ended(blockkit.CallFailed)); err != nil {
		b.o.Log.Warn("the heading of a call could not be redrawn", "call_id", c.ID, "err", err)
	}
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
	if err := b.o.Ledger.DropDraft(ctx, againKey(id), c.User); err != nil {
		b.o.Log.Warn("a call that was run again could not be forgotten; it ends by itself", "call_id", id, "err", err)
	}
}
