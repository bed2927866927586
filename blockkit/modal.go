package blockkit

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"time"

	"github.com/slack-go/slack"
	"github.com/slackbridge/slackbridge/elicit"
)

// FormView is what a form says of its question.
type FormView struct {
	ID        elicit.PendingID
	User      elicit.User // who opens it
	Server    string      // as configured
	Tool      string
	Message   string // of the server, verbatim
	Requester string // user id
	Deadline  time.Time
	Zone      *time.Location // of User; nil is UTC
}

// Modal draws the form: who asks, the message, an input for each property in
// the order of the schema, and Decline.
func (f *Form) Modal(v FormView) Modal {
	zone := v.Zone
	if zone == nil {
		zone = time.UTC
	}
	m := modal(v.Server, f.blocks(v, zone)...)
	m.Submit, m.Close = plain(wordSubmit), plain(wordCancel)
	m.CallbackID, m.PrivateMetadata = CallbackForm, string(v.ID)
	m.ExternalID = externalID(v.ID, v.User)
	m.NotifyOnClose = true
	return Modal{View: m}
}

func (f *Form) blocks(v FormView, zone *time.Location) []slack.Block {
	free := maxViewBlocks - 3 - len(f.fields) // head, message and Decline take one each
	var apart []*field                        // fields whose extra texts stand right above them
	for i := range f.fields {
		if len(f.fields[i].extra()) > 0 {
			apart = append(apart, &f.fields[i])
		}
	}
	together := len(apart) > free
	if together {
		free--
	} else {
		free -= len(apart)
	}
	blocks := []slack.Block{sentence(v.head())}
	blocks = append(blocks, messageBlocks(v.Message, 1+free)...)
	if together {
		blocks = append(blocks, extrasOf(apart...))
	}
	for i := range f.fields {
		fd := &f.fields[i]
		if !together && len(fd.extra()) > 0 {
			blocks = append(blocks, extrasOf(fd))
		}
		blocks = append(blocks, fd.block(blockID(i), zone))
	}
	return append(blocks, slack.NewActionBlock("decline", button(ActionDecline, string(v.ID), wordDecline)))
}

// messageBlocks shows the message of a server, in at most n blocks.
func messageBlocks(message string, n int) []slack.Block {
	words := shown(message)
	if isBlank(words) {
		return []slack.Block{sentence(Text(wordAskBlank))}
	}
	return quotes(words, n)
}

// block draws a field: an input, or what is sent in any case.
func (fd *field) block(id string, zone *time.Location) slack.Block {
	element := fd.element()
	if element == nil {
		return sentence(wordConstant(fd)...)
	}
	b := slack.NewInputBlock(id, plain(fd.label), nil, element)
	b.Optional = fd.skippable(fd.required)
	if h := fd.hint(zone); h != "" {
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
func modal(title string, blocks ...slack.Block) slack.ModalViewRequest {
	title = shownLine(title)
	if title == "" {
		title = wordTitleBare
	}
	return slack.ModalViewRequest{
		Type:   slack.VTModal,
		Title:  plain(cut(title, maxTitle)),
		Close:  plain(wordClose),
		Blocks: slack.Blocks{BlockSet: blocks},
	}
}

// externalID is the same for one question and user, so that Slack refuses the
// second view of a double click. Slack wants it unique among all views of the
// workspace.
func externalID(id elicit.PendingID, u elicit.User) string {
	sum := sha256.Sum256([]byte(string(id) + "\x00" + u.Team + "\x00" + u.ID))
	return hex.EncodeToString(sum[:])
}

// doubleClick is how far apart two presses count as one.
const doubleClick = 10 * time.Second

// ForClick binds the id of the view to about the moment of the press that opens
// it. A double click still yields one view; but a view that Slack believes to
// be open, on a phone whose app was killed, blocks the next press only for
// seconds and not until the question expires.
func (m Modal) ForClick(at time.Time) Modal {
	m.View.ExternalID += "-" + strconv.FormatInt(at.Unix()/int64(doubleClick/time.Second), 36)
	return m
}

// LoadingModal keeps a click alive while its question is looked up. The form
// then takes its place.
func LoadingModal(id elicit.PendingID, user elicit.User) Modal {
	m := modal("", sentence(Text(wordLoading)))
	m.CallbackID, m.PrivateMetadata = CallbackLoading, string(id)
	m.ExternalID = externalID(id, user)
	return Modal{View: m}
}

// NoticeModal tells what happened, in the place of a form. It asks nothing.
func NoticeModal(parts ...Part) Modal {
	return noticeModal(wordNotice, parts...)
}

func noticeModal(title string, parts ...Part) Modal {
	m := modal(title, Note(parts...).Blocks...)
	m.CallbackID = CallbackNotice
	return Modal{View: m}
}

// EndedModal shows how the question ended, in the place of its form.
func EndedModal(server string, state elicit.State, d elicit.Decision) Modal {
	return noticeModal(server, endWords(state, d), Text("\n"), wordAsked(server, "", ""))
}
