package bridge

import (
	"context"
	"time"

	"github.com/slackbridge/slackbridge/blockkit"
	"github.com/slackbridge/slackbridge/elicit"
)

// turning is a form of which a page was handed in.
type turning struct {
	form   *blockkit.Form
	at     blockkit.Metadata
	who    elicit.User
	reader blockkit.Reader
	ttl    time.Duration // how long its draft is of use
}

// page draws page number n of the form, which follows the page at t.at.
func (t turning) page(v blockkit.FormView, n int, d blockkit.Draft) blockkit.Modal {
	v.Page, v.Visit, v.Draft, v.Opened = n, t.at.Visit+1, d, t.at.OpenedAt()
	return t.form.Modal(v)
}

// draft returns what a person has entered on the pages of a form.
func (b *Bridge) draft(ctx context.Context, form string, who elicit.User) (blockkit.Draft, error) {
	raw, err := b.o.Ledger.Draft(ctx, form, who)
	if err != nil {
		return blockkit.Draft{}, err
	}
	return blockkit.ReadDraft(raw)
}

func (b *Bridge) saveDraft(ctx context.Context, t turning, d blockkit.Draft) error {
	raw, err := d.Encode()
	if err != nil {
		return err
	}
	return b.o.Ledger.SaveDraft(ctx, t.at.ID, t.who, raw, t.ttl)
}

func (b *Bridge) dropDraft(ctx context.Context, t turning) {
	if t.at.Pages <= 1 {
		return
	}
	if err := b.o.Ledger.DropDraft(ctx, t.at.ID, t.who); err != nil {
		b.o.Log.Warn("a draft could not be forgotten; it ends by itself", "form", t.at.ID, "err", err)
	}
}

// turn checks a page and shows the next one, which next draws. With errors the
// page stays as it is.
func (b *Bridge) turn(ctx context.Context, t turning, s blockkit.Submission, next func(blockkit.Draft) blockkit.Modal) blockkit.SubmitReply {
	d, err := b.draft(ctx, t.at.ID, t.who)
	if err == nil {
		if errs := t.form.Turn(d, s.State, t.at, t.reader); len(errs) > 0 {
			return blockkit.SubmitReply{Errors: errs}
		}
		err = b.saveDraft(ctx, t, d)
	}
	if err != nil {
		b.o.Log.Error("a page of a form could not be kept", "form", t.at.ID, "err", err)
		return atFirstField(s.State, blockkit.NotRecordedTryAgain())
	}
	return b.nextPage(s.View.ID, next(d), t.reader)
}

// ackSettles is how long Slack is given to act on an acknowledgement before a
// view that it changed is changed again: the two take different ways. Should
// it take longer, Next on the loading page brings the page.
const ackSettles = 500 * time.Millisecond

// nextPage replaces a page by the next one, which may be too large for the
// acknowledgement and then follows it.
func (b *Bridge) nextPage(viewID string, page blockkit.Modal, r blockkit.Reader) blockkit.SubmitReply {
	if page.FitsAck() {
		return blockkit.SubmitReply{Replace: &page}
	}
	loading := page.LoadingPage(r)
	return blockkit.SubmitReply{Replace: &loading, Then: func(ctx context.Context) {
		<-b.o.After(ackSettles)
		b.updateView(ctx, viewID, page)
	}}
}

// content reads the whole form when its last page is handed in: either the
// content, or what to reply instead.
func (b *Bridge) content(ctx context.Context, t turning, s blockkit.Submission) ([]byte, blockkit.SubmitReply) {
	var d blockkit.Draft
	if t.at.Pages > 1 {
		var err error
		if d, err = b.draft(ctx, t.at.ID, t.who); err != nil {
			b.o.Log.Error("a draft could not be read", "form", t.at.ID, "err", err)
			return nil, atFirstField(s.State, blockkit.NotRecordedTryAgain())
		}
	}
	content, errs := t.form.AnswerPages(d, s.State, t.at, t.reader)
	if problem, nowhere := errs[""]; nowhere {
		return nil, replaced(blockkit.Words{blockkit.Text(problem)})
	}
	return content, blockkit.SubmitReply{Errors: errs}
}

// back shows the page before, with all that was entered anywhere.
func (b *Bridge) back(ctx context.Context, c blockkit.Click) {
	if c.View == nil {
		return
	}
	m := blockkit.ReadMetadata(c.View.Metadata)
	if c.View.CallbackID == blockkit.CallbackArguments {
		b.backInArguments(ctx, c, m)
		return
	}
	l := b.lookUp(ctx, elicit.PendingID(m.ID), c.User, elicit.MessageRef{})
	if l.refusal != nil {
		b.answerClick(ctx, c, l)
		return
	}
	t := turning{form: l.el.Form, at: m, who: c.User, reader: b.o.Slack.Reader(ctx, c.User.ID), ttl: l.pending.Deadline.Sub(b.o.Now())}
	d, err := b.draft(ctx, m.ID, c.User)
	if err == nil {
		d.Put(c.State, m)
		err = b.saveDraft(ctx, t, d)
	}
	if err != nil {
		b.o.Log.Error("a page of a form could not be kept", "form", m.ID, "err", err)
		b.tryAgain(ctx, c)
		return
	}
	b.updateView(ctx, c.View.ID, t.page(formView(l.pending, l.el, c.User, t.reader), m.Page-1, d))
}
