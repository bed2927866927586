package blockkit

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strconv"
	"time"

	"github.com/slack-go/slack"
	"github.com/slackbridge/slackbridge/elicit"
)

// FormView is what a form says of its question, and which page of it is shown.
type FormView struct {
	ID        elicit.PendingID
	User      elicit.User // who opens it
	Server    string      // as configured
	Tool      string
	Message   string // of the server, verbatim
	Requester string // user id
	Deadline  time.Time
	Reader    Reader // User, as far as it matters
	Opened    time.Time

	Page  int   // from 0, below Form.Pages
	Visit int   // Metadata.Visit of the page before and 1
	Draft Draft // what User has entered before
}

// Modal draws the form: who asks, the message, an input for each property in
// the order of the schema, and Decline. Of a form with several pages it draws
// one.
func (f *Form) Modal(v FormView) Modal {
	m := f.draw(drawing{
		id: string(v.ID), user: v.User, title: v.Server, head: v.head(), message: v.Message,
		blank: say(wordAskBlank).in(v.Reader.Language), submit: wordSubmit, callback: CallbackForm, decline: true,
		reader: v.Reader, opened: v.Opened, page: v.Page, visit: v.Visit, draft: v.Draft,
	})
	m.View.NotifyOnClose = true
	return m
}

// drawing is what a page of a form looks like besides its fields.
type drawing struct {
	id       string
	user     elicit.User
	title    string
	head     Words
	message  string // of a server
	blank    string // stands for a message without words; may be empty
	submit   string
	callback string
	decline  bool
	reader   Reader
	opened   time.Time
	page     int
	visit    int
	draft    Draft
}

func (f *Form) draw(d drawing) Modal {
	s := f.sheet(d.message, d.page)
	at := Metadata{
		ID: d.id, Opened: openedAt(d.opened),
		Page: d.page, Pages: s.pages, Text: s.textPages, From: s.from, To: s.to, Visit: d.visit,
	}
	l := d.reader.Language
	blocks := []slack.Block{sentence(d.head)}
	switch {
	case !isBlank(s.text):
		blocks = append(blocks, quotes(s.text, f.room(s))...)
	case d.page == 0 && d.blank != "":
		blocks = append(blocks, sentence(Text(d.blank)))
	}
	if s.goesOn {
		blocks = append(blocks, sentence(Text(say(wordGoesOn).in(l))))
	}
	blocks = append(blocks, f.inputs(s, at, d.draft, d.reader)...)
	var buttons []slack.BlockElement
	if d.page > 0 {
		buttons = append(buttons, button(ActionBack, d.id, say(wordBack).in(l)))
	}
	if d.decline {
		buttons = append(buttons, button(ActionDecline, d.id, say(wordDecline).in(l)))
	}
	if len(buttons) > 0 {
		blocks = append(blocks, slack.NewActionBlock("decline", buttons...))
	}
	m := modal(d.title, l, blocks...)
	m.Submit, m.Close = plain(submitWord(at, d.submit).in(l)), plain(say(wordCancel).in(l))
	m.CallbackID, m.PrivateMetadata = d.callback, at.String()
	m.ExternalID = externalID(d.id, d.user, at.Opened)
	return Modal{View: m}
}

// submitWord is what submitting the page does.
func submitWord(at Metadata, last string) phrase {
	if at.Last() {
		return say(last)
	}
	return say(wordNext)
}

// head is the first line of a form: who asks, for whom, until when, and which
// page this is.
func (v FormView) head() Words {
	l := v.Reader.Language
	server := Bold(v.Server)
	var asks phrase
	switch {
	case v.Tool == "" && v.Requester == "":
		asks = say("%s asks.", server)
	case v.Tool == "":
		asks = say("%s asks for %s.", server, Mention(v.Requester))
	case v.Requester == "":
		asks = say("%s asks in a call of %s.", server, Code(name(v.Tool)))
	default:
		asks = say("%s asks in the call of %s by %s.", server, Code(name(v.Tool)), Mention(v.Requester))
	}
	w := append(asks.words(l), Text(" "))
	if !v.Deadline.IsZero() {
		w = append(w, say("Open until %s.", Date(v.Deadline)).words(l)...)
	}
	return w
}

// room is how many blocks the message may take beside the fields.
func (f *Form) room(s sheet) int {
	return 1 + max(0, s.free()-f.extraBlocks(s))
}

// headBlocks are the blocks of a page besides the fields: who asks, the
// message, that it goes on, the page number, and the buttons. A form of one
// page has neither the page number nor a text that goes on.
const (
	headBlocks     = 5
	headBlocksBare = 3
)

// free is how many blocks of the page are left beside its fields.
func (s sheet) free() int {
	if s.pages > 1 {
		return maxViewBlocks - headBlocks - (s.to - s.from)
	}
	return maxViewBlocks - headBlocksBare - (s.to - s.from)
}

// extraBlocks is how many blocks the texts above the inputs take: one for each
// field, or a single one for all when those are too many.
func (f *Form) extraBlocks(s sheet) int {
	n := 0
	for i := s.from; i < s.to; i++ {
		if len(f.fields[i].extra()) > 0 {
			n++
		}
	}
	if n > s.free() {
		return 1
	}
	return n
}

// inputs draws the fields of a page.
func (f *Form) inputs(s sheet, at Metadata, d Draft, r Reader) []slack.Block {
	var blocks []slack.Block
	if s.pages > 1 {
		page := say("Page %s of %s.", Text(strconv.Itoa(at.Page+1)), Text(strconv.Itoa(s.pages)))
		blocks = append(blocks, sentence(page.words(r.Language)))
	}
	var apart []*field // fields whose extra texts stand right above them
	for i := s.from; i < s.to; i++ {
		if len(f.fields[i].extra()) > 0 {
			apart = append(apart, &f.fields[i])
		}
	}
	together := len(apart) > f.extraBlocks(s)
	if together {
		blocks = append(blocks, extrasOf(apart...))
	}
	for i := s.from; i < s.to; i++ {
		fd := f.fields[i]
		if e, ok := d[i]; ok {
			fd.control = fd.keep(e)
		}
		if !together && len(fd.extra()) > 0 {
			blocks = append(blocks, extrasOf(&fd))
		}
		blocks = append(blocks, fd.block(at.blockID(i), r))
	}
	return blocks
}

// block draws a field: an input, or what is sent in any case.
func (fd *field) block(id string, r Reader) slack.Block {
	element := fd.element(r.Language)
	if element == nil {
		return sentence(wordConstant(fd, r.Language)...)
	}
	b := slack.NewInputBlock(id, plain(fd.label), nil, element)
	b.Optional = fd.skippable(fd.required)
	if h := fd.hint(r); h != "" {
		b.Hint = plain(h)
	}
	return b
}

// extrasOf draws the texts of fields that have no room in their inputs.
func extrasOf(fields ...*field) *slack.RichTextBlock {
	var parts Words
	for i, fd := range fields {
		if i > 0 {
			parts = append(parts, Text("\n\n"))
		}
		parts = append(parts, Bold(fd.label))
		for _, x := range fd.extra() {
			parts = append(parts, fragment{text: "\n" + x})
		}
	}
	return sentence(parts)
}

// modal is a view with the server's name as title; the whole name is to stand
// in the body.
func modal(title string, l Language, blocks ...slack.Block) slack.ModalViewRequest {
	title = shownLine(title)
	if title == "" {
		title = wordTitleBare
	}
	return slack.ModalViewRequest{
		Type:   slack.VTModal,
		Title:  plain(cut(title, maxTitle)),
		Close:  plain(say(wordClose).in(l)),
		Blocks: slack.Blocks{BlockSet: blocks},
	}
}

// externalID is the same for one question and user at about one moment, so
// that Slack refuses the second view of a double click. Slack wants it unique
// among all views of the workspace.
func externalID(id string, u elicit.User, opened int64) string {
	sum := sha256.Sum256([]byte(id + "\x00" + u.Team + "\x00" + u.ID))
	return hex.EncodeToString(sum[:]) + "-" + strconv.FormatInt(opened, 36)
}

// LoadingModal keeps a click alive while its question is looked up. The form
// then takes its place.
func LoadingModal(id elicit.PendingID, user elicit.User, opened time.Time) Modal {
	m := modal("", English, sentence(Text(wordLoading)))
	m.CallbackID, m.PrivateMetadata = CallbackLoading, string(id)
	m.ExternalID = externalID(string(id), user, openedAt(opened))
	return Modal{View: m}
}

// FitsAck reports whether the modal may travel in an acknowledgement.
func (m Modal) FitsAck() bool {
	raw, err := json.Marshal(m.View)
	return err == nil && len(raw) <= maxReply
}

// LoadingPage stands between two pages when the next one is too large for an
// acknowledgement. Its own Next asks for that page again, should it not come.
func (m Modal) LoadingPage(r Reader) Modal {
	v := modal("", r.Language, sentence(Text(say(wordLoadingPage).in(r.Language))))
	at := ReadMetadata(m.View.PrivateMetadata)
	at.Page, at.From, at.To = at.Page-1, 0, 0
	v.Title, v.Close = m.View.Title, m.View.Close
	v.Submit = plain(say(wordNext).in(r.Language))
	v.CallbackID, v.PrivateMetadata, v.ExternalID = m.View.CallbackID, at.String(), m.View.ExternalID
	return Modal{View: v}
}

// NoticeModal tells what happened, in the place of a form. It asks nothing.
func NoticeModal(parts ...Part) Modal {
	return noticeModal(wordNotice, parts...)
}

func noticeModal(title string, parts ...Part) Modal {
	m := modal(title, English, Note(parts...).Blocks...)
	m.CallbackID = CallbackNotice
	return Modal{View: m}
}

// EndedModal shows how the question ended, in the place of its form.
func EndedModal(server string, state elicit.State, d elicit.Decision) Modal {
	return noticeModal(server, endWords(state, d), Text("\n"), wordAsked(server, "", ""))
}
