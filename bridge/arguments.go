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

// argumentsTTL is how long the form of a tool's arguments may stay open.
const argumentsTTL = time.Hour

// argumentForm is what a form of arguments needs when it comes back, on any
// replica: it is kept as its draft. The schema is the one that the form was
// drawn from, whatever the server says meanwhile.
type argumentForm struct {
	Server      string          `json:"server"`
	Tool        string          `json:"tool"`
	Description string          `json:"description,omitempty"`
	Schema      json.RawMessage `json:"schema,omitempty"`
	Channel     string          `json:"channel"`
	Entered     blockkit.Draft  `json:"entered,omitempty"`

	form *blockkit.Form
}

// askArguments opens the form of a tool's arguments, filled with what was typed
// with the command. It reports whether the person has the form now.
func (b *Bridge) askArguments(ctx context.Context, cmd blockkit.Command, tool elicit.Tool, given json.RawMessage) bool {
	form, err := blockkit.ParseArguments(tool.InputSchema)
	if err != nil {
		b.o.Log.Warn("the arguments of a tool cannot be asked for", "server", tool.Server, "tool", tool.Name, "err", err)
		return false
	}
	id, err := b.newID()
	if err != nil {
		b.o.Log.Error("a form could not be prepared", "err", err)
		return false
	}
	a := &argumentForm{
		Server: tool.Server, Tool: tool.Name, Description: tool.Description, Schema: tool.InputSchema,
		Channel: cmd.Channel, Entered: form.Given(given), form: form,
	}
	if err := b.keepArguments(ctx, id, cmd.User, a); err != nil {
		b.o.Log.Error("a form could not be kept", "server", tool.Server, "tool", tool.Name, "err", err)
		return false
	}
	view := a.page(id, cmd.User, b.o.Slack.Reader(ctx, cmd.User.ID))
	view.Opened = cmd.At
	if _, err := b.o.Slack.OpenView(ctx, cmd.TriggerID, form.ArgumentsModal(view)); err != nil {
		b.o.Log.Warn("the form of a tool's arguments could not be opened", "server", tool.Server, "tool", tool.Name, "err", err)
		return false
	}
	return true
}

func (a *argumentForm) page(id string, who elicit.User, r blockkit.Reader) blockkit.ArgumentsView {
	return blockkit.ArgumentsView{
		ID: id, User: who, Server: a.Server, Tool: a.Tool, Description: a.Description, Reader: r, Draft: a.Entered,
	}
}

// keepArguments stores a as it stands.
func (b *Bridge) keepArguments(ctx context.Context, id string, who elicit.User, a *argumentForm) error {
	raw, err := json.Marshal(a)
	if err != nil {
		return fmt.Errorf("writing a form: %w", err)
	}
	return b.o.Ledger.SaveDraft(ctx, id, who, raw, argumentsTTL)
}

// errFormForgotten says that a form was open for longer than argumentsTTL, or
// has run its tool already.
var errFormForgotten = errors.New("the form is not known any more")

func (b *Bridge) arguments(ctx context.Context, id string, who elicit.User) (*argumentForm, error) {
	raw, err := b.o.Ledger.Draft(ctx, id, who)
	if err != nil {
		return nil, err
	}
	if raw == nil {
		return nil, errFormForgotten
	}
	a := &argumentForm{}
	if err := json.Unmarshal(raw, a); err != nil {
		return nil, fmt.Errorf("reading a form: %w", err)
	}
	if a.Entered == nil {
		a.Entered = blockkit.Draft{}
	}
	a.form, err = blockkit.ParseArguments(a.Schema)
	return a, err
}

// submitArguments runs the tool when the last page of its form is handed in.
func (b *Bridge) submitArguments(ctx context.Context, s blockkit.Submission) blockkit.SubmitReply {
	m := blockkit.ReadMetadata(s.View.Metadata)
	a, err := b.arguments(ctx, m.ID, s.User)
	if err != nil {
		return b.argumentsUnread(s, err)
	}
	reader := b.o.Slack.Reader(ctx, s.User.ID)
	if !m.Last() {
		return b.turnArguments(ctx, s, m, a, reader)
	}
	args, errs := a.form.AnswerPages(a.Entered, s.State, m, reader)
	if problem, nowhere := errs[""]; nowhere {
		return replaced(blockkit.Words{blockkit.Text(problem)})
	}
	if args == nil {
		return blockkit.SubmitReply{Errors: errs}
	}
	first, err := b.o.Ledger.FirstTime(ctx, "arguments:"+m.ID, argumentsTTL)
	if err != nil {
		return b.argumentsUnread(s, err)
	}
	if !first {
		return blockkit.SubmitReply{} // the same submission came twice
	}
	cmd := blockkit.Command{User: s.User, Channel: a.Channel, TriggerID: s.TriggerID, At: s.At}
	return blockkit.SubmitReply{Then: func(ctx context.Context) {
		b.runTool(ctx, cmd, elicit.Tool{Server: a.Server, Name: a.Tool}, args)
		if err := b.o.Ledger.DropDraft(ctx, m.ID, s.User); err != nil {
			b.o.Log.Warn("a form could not be forgotten; it ends by itself", "form", m.ID, "err", err)
		}
	}}
}

func (b *Bridge) argumentsUnread(s blockkit.Submission, err error) blockkit.SubmitReply {
	if errors.Is(err, errFormForgotten) {
		return replaced(blockkit.FormForgotten())
	}
	b.o.Log.Error("a form of arguments could not be handled", "err", err)
	return atFirstField(s.State, blockkit.NotRecordedTryAgain())
}

func (b *Bridge) turnArguments(ctx context.Context, s blockkit.Submission, m blockkit.Metadata, a *argumentForm, r blockkit.Reader) blockkit.SubmitReply {
	if errs := a.form.Turn(a.Entered, s.State, m, r); len(errs) > 0 {
		return blockkit.SubmitReply{Errors: errs}
	}
	if err := b.keepArguments(ctx, m.ID, s.User, a); err != nil {
		return b.argumentsUnread(s, err)
	}
	return b.nextPage(s.View.ID, a.at(m, s.User, r, m.Page+1), r)
}

// at draws page number n, which follows the page that m describes.
func (a *argumentForm) at(m blockkit.Metadata, who elicit.User, r blockkit.Reader, n int) blockkit.Modal {
	v := a.page(m.ID, who, r)
	v.Opened, v.Page, v.Visit = m.OpenedAt(), n, m.Visit+1
	return a.form.ArgumentsModal(v)
}

// backInArguments shows the page before.
func (b *Bridge) backInArguments(ctx context.Context, c blockkit.Click, m blockkit.Metadata) {
	a, err := b.arguments(ctx, m.ID, c.User)
	if errors.Is(err, errFormForgotten) {
		b.noteClick(ctx, c, blockkit.FormForgotten())
		return
	}
	if err == nil {
		a.Entered.Put(c.State, m)
		err = b.keepArguments(ctx, m.ID, c.User, a)
	}
	if err != nil {
		b.o.Log.Error("a page of a form could not be turned back", "form", m.ID, "err", err)
		b.tryAgain(ctx, c)
		return
	}
	b.updateView(ctx, c.View.ID, a.at(m, c.User, b.o.Slack.Reader(ctx, c.User.ID), m.Page-1))
}
