package bridge

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/slackbridge/slackbridge/blockkit"
	"github.com/slackbridge/slackbridge/elicit"
	"github.com/slackbridge/slackbridge/policy"
)

// slowLookUp is how long a click may look its question up before a loading
// view takes the trigger, which lives for 3 s.
const slowLookUp = 700 * time.Millisecond

// respond opens the form of a question.
func (b *Bridge) respond(ctx context.Context, c blockkit.Click) {
	id := elicit.PendingID(c.Value)
	ready := make(chan found, 1)
	go func() { ready <- b.lookUp(ctx, id, c.User, c.Message) }() // ends with ctx
	select {
	case l := <-ready:
		b.openForm(ctx, c, l)
	case <-b.o.After(slowLookUp):
		b.openLoading(ctx, c, id, ready)
	}
}

func (b *Bridge) openForm(ctx context.Context, c blockkit.Click, l found) {
	if l.refusal != nil {
		b.answerClick(ctx, c, l)
		return
	}
	b.openView(ctx, c, l.pending, b.firstPage(ctx, l.pending, l.el, c.User, c.At))
}

// openView opens the form of a question for a click, and tells the person why
// when it does not open.
func (b *Bridge) openView(ctx context.Context, c blockkit.Click, p elicit.Pending, m blockkit.Modal) {
	id := p.ID
	_, err := b.o.Slack.OpenView(ctx, c.TriggerID, m)
	switch {
	case err == nil:
		b.noteForm(c.User, p)
	case errors.Is(err, elicit.ErrAlreadyOpen):
		b.noteClick(ctx, c, blockkit.AlreadyOpen())
	case errors.Is(err, elicit.ErrTriggerExpired):
		b.noteClick(ctx, c, blockkit.TooSlowPressAgain())
	case errors.Is(err, elicit.ErrRefused):
		b.o.Log.Error("Slack refused a form", "pending_id", id, "err", err)
		b.noteClick(ctx, c, blockkit.FormRefused())
	default:
		b.o.Log.Warn("a form could not be opened", "pending_id", id, "err", err)
		b.noteClick(ctx, c, blockkit.TooSlowPressAgain())
	}
}

// openLoading keeps the trigger alive in a small view while the question is
// still being looked up, and then turns that view into the form.
func (b *Bridge) openLoading(ctx context.Context, c blockkit.Click, id elicit.PendingID, ready <-chan found) {
	view, err := b.o.Slack.OpenView(ctx, c.TriggerID, blockkit.LoadingModal(id, c.User, c.At))
	switch {
	case errors.Is(err, elicit.ErrAlreadyOpen): // a double click: the other one goes on with it
		b.noteClick(ctx, c, blockkit.AlreadyOpen())
		return
	case err != nil:
		b.noteClick(ctx, c, blockkit.TooSlowPressAgain())
		return
	}
	l := <-ready
	if l.refusal != nil {
		b.updateView(ctx, view, blockkit.NoticeModal(l.refusal))
		c.View = nil
		b.answerClick(ctx, c, l)
		return
	}
	b.noteForm(c.User, l.pending)
	b.updateView(ctx, view, b.firstPage(ctx, l.pending, l.el, c.User, c.At))
}

// firstPage draws the form as it opens, with what the person had entered when
// it was put down.
func (b *Bridge) firstPage(ctx context.Context, p elicit.Pending, el *blockkit.Elicitation, who elicit.User, opened time.Time) blockkit.Modal {
	v := formView(p, el, who, b.o.Slack.Reader(ctx, who.ID))
	v.Opened = opened
	if el.Link != nil {
		return el.Link.Modal(v)
	}
	if el.Form.Pages(el.Message) > 1 {
		draft, err := b.draft(ctx, string(p.ID), who)
		if err != nil {
			// The form serves without it.
			b.o.Log.Warn("a draft could not be read", "pending_id", p.ID, "err", err)
		}
		v.Draft = draft
	}
	return el.Form.Modal(v)
}

func formView(p elicit.Pending, el *blockkit.Elicitation, who elicit.User, r blockkit.Reader) blockkit.FormView {
	return blockkit.FormView{
		ID: p.ID, User: who, Server: p.Server, Tool: p.Tool, Message: el.Message,
		Requester: p.Origin.Requester, Deadline: p.Deadline, Reader: r,
	}
}

// autoOpen opens the form by itself while the requester's own command is fresh
// enough: one click less. The card is posted all the same. Nothing is lost
// when it does not work out.
func (b *Bridge) autoOpen(ctx context.Context, q elicit.Question, el *blockkit.Elicitation, p elicit.Pending) {
	c := b.call(q.Call)
	if c == nil || !el.HasForm() || b.o.Now().Sub(c.startedAt) >= b.o.AutoOpen {
		return
	}
	who := q.Origin.RequesterUser()
	if b.hasForm(ctx, who) {
		return
	}
	trigger, ok := c.takeTrigger()
	if !ok {
		return
	}
	if _, err := b.o.Slack.OpenView(ctx, trigger, b.firstPage(ctx, p, el, who, c.startedAt)); err != nil {
		b.o.Log.Debug("a form did not open by itself", "pending_id", p.ID, "err", err)
		return
	}
	b.noteForm(who, p)
}

// openForm is a form that somebody has open, until its question ends.
type openForm struct {
	id    elicit.PendingID
	until time.Time
}

func (b *Bridge) noteForm(who elicit.User, p elicit.Pending) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.forms[who] = openForm{p.ID, p.Deadline}
}

// hasForm reports whether that person has a form open, as far as is known: it
// may have been answered on another replica, which only the ledger tells.
func (b *Bridge) hasForm(ctx context.Context, who elicit.User) bool {
	b.mu.Lock()
	f, open := b.forms[who]
	b.mu.Unlock()
	if !open || !b.o.Now().Before(f.until) {
		return false
	}
	p, known, err := b.o.Ledger.Load(ctx, f.id)
	if err == nil && (!known || p.Decision != nil) {
		b.closeForm(who, f.id)
		return false
	}
	return true
}

func (b *Bridge) closeForm(who elicit.User, id elicit.PendingID) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.forms[who].id == id {
		delete(b.forms, who)
	}
}

// closeForms forgets that anybody has the form of a question open that has
// ended by itself.
func (b *Bridge) closeForms(id elicit.PendingID) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for who, f := range b.forms {
		if f.id == id {
			delete(b.forms, who)
		}
	}
}

// Submit handles a submitted form, or a page of it. The reply goes into the
// acknowledgement: all errors at once, each at its field; the next page; what
// happened, when it came too late; or nothing, which closes the form.
func (b *Bridge) Submit(ctx context.Context, s blockkit.Submission) blockkit.SubmitReply {
	switch s.View.CallbackID {
	case blockkit.CallbackForm:
		return b.submitForm(ctx, s)
	case blockkit.CallbackArguments:
		return b.submitArguments(ctx, s)
	}
	return blockkit.SubmitReply{}
}

func (b *Bridge) submitForm(ctx context.Context, s blockkit.Submission) blockkit.SubmitReply {
	m := blockkit.ReadMetadata(s.View.Metadata)
	l := b.lookUp(ctx, elicit.PendingID(m.ID), s.User, elicit.MessageRef{})
	if l.refusal != nil {
		if l.unread {
			return atFirstField(s.State, l.refusal)
		}
		return replaced(l.refusal)
	}
	t := turning{form: l.el.Form, at: m, who: s.User, reader: b.o.Slack.Reader(ctx, s.User.ID), ttl: l.pending.Deadline.Sub(b.o.Now())}
	if !m.Last() {
		return b.turn(ctx, t, s, func(d blockkit.Draft) blockkit.Modal {
			return t.page(formView(l.pending, l.el, s.User, t.reader), m.Page+1, d)
		})
	}
	content, reply := b.content(ctx, t, s)
	if content == nil {
		return reply
	}
	d := elicit.Decision{Action: elicit.Accept, Reason: elicit.ReasonSubmitted, Responder: s.User}
	settlement, err := b.decide(ctx, l.pending.ID, d, content, elicit.MessageRef{})
	switch {
	case errors.Is(err, errNotFound):
		return replaced(blockkit.UnknownQuestion())
	case err != nil:
		return atFirstField(s.State, blockkit.NotRecordedTryAgain())
	case !settlement.Won:
		return replaced(blockkit.AlreadyEnded(settlement.Pending.State, *settlement.Pending.Decision))
	}
	b.dropDraft(ctx, t)
	return blockkit.SubmitReply{}
}

func replaced(w blockkit.Words) blockkit.SubmitReply {
	m := blockkit.NoticeModal(w)
	return blockkit.SubmitReply{Replace: &m}
}

// atFirstField keeps the form open with what was typed. Without the question
// at hand the field is taken from what Slack sent: any input block will do.
func atFirstField(state json.RawMessage, w blockkit.Words) blockkit.SubmitReply {
	if id := blockkit.FirstBlock(state); id != "" {
		return blockkit.SubmitReply{Errors: map[string]string{id: w.Plain()}}
	}
	return replaced(w)
}

// Closed handles a form that a person closed. Where one person may answer that
// is cancel; where several may, it only puts the question down (policy).
func (b *Bridge) Closed(ctx context.Context, c blockkit.Closing) {
	if c.View.CallbackID != blockkit.CallbackForm && c.View.CallbackID != blockkit.CallbackURL {
		return
	}
	id := elicit.PendingID(blockkit.ReadMetadata(c.View.Metadata).ID)
	b.closeForm(c.User, id)
	l := b.lookUp(ctx, id, c.User, elicit.MessageRef{})
	if l.refusal != nil || !l.pending.OpenedBy.IsZero() || b.o.Policy.OnClose(facts(l.pending, isConfirm(l.el.Form))) == policy.CloseKeeps {
		return
	}
	d := elicit.Decision{Action: elicit.Cancel, Reason: elicit.ReasonDismissed, Responder: c.User}
	if _, err := b.decide(ctx, id, d, nil, elicit.MessageRef{}); err != nil {
		// Nobody is looking at the form any more. The question stays, with its
		// buttons, until somebody decides or it expires.
		b.o.Log.Warn("a closed form could not be recorded; its question stays open", "pending_id", id, "err", err)
	}
}

// Search answers an external select while a person types.
func (b *Bridge) Search(ctx context.Context, s blockkit.Search) []blockkit.Option {
	m := blockkit.ReadMetadata(s.View.Metadata)
	reader := b.o.Slack.Reader(ctx, s.User.ID)
	if s.View.CallbackID == blockkit.CallbackArguments {
		a, err := b.arguments(ctx, m.ID, s.User)
		if err != nil {
			b.o.Log.Warn("the options of an argument could not be searched", "form", m.ID, "err", err)
			return nil
		}
		return a.form.Search(s.BlockID, s.Text, reader.Language)
	}
	l := b.lookUp(ctx, elicit.PendingID(m.ID), s.User, elicit.MessageRef{})
	if l.refusal != nil {
		return nil
	}
	return l.el.Form.Search(s.BlockID, s.Text, reader.Language)
}

// later runs work that must not hold up the caller and outlives it, counted,
// so that Drain waits for it. The channel is closed when it is done.
func (b *Bridge) later(ctx context.Context, work func(context.Context)) <-chan struct{} {
	return b.laterFor(ctx, ioTimeout, work)
}

func (b *Bridge) laterFor(ctx context.Context, limit time.Duration, work func(context.Context)) <-chan struct{} {
	done := make(chan struct{})
	b.work.join()
	go func() {
		defer b.work.leave()
		defer close(done)
		bg, cancel := context.WithTimeoutCause(context.WithoutCancel(ctx), limit, elicit.ErrSlackUnreachable)
		defer cancel()
		work(bg)
	}()
	return done
}
