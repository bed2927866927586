package blockkit

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/slack-go/slack"
	"github.com/slackbridge/slackbridge/elicit"
)

// Card is a question as it stands in the thread of its call.
type Card struct {
	ID         elicit.PendingID
	Server     string // as configured; what a server calls itself is not its identity
	Tool       string
	Message    string // of the server, verbatim
	Form       *Form  // needed by Open only
	Link       *Link  // of a question that wants a page opened; else nil
	Requester  string // user id
	Responders []string
	Deadline   time.Time
}

// lines are the paragraphs of a message: each one of our sentences or a quoted
// text of a server.
type lines struct {
	blocks []slack.Block
	text   []fragment
}

func (l *lines) say(parts ...Part) {
	fs := compact(Words(parts).fragments())
	l.blocks = append(l.blocks, paragraphs(fs)...)
	l.text = append(l.text, fs...)
	l.text = append(l.text, fragment{text: "\n"})
}

func (l *lines) quote(words string, blocks int) {
	l.blocks = append(l.blocks, quotes(words, blocks)...)
	l.text = append(l.text, fragment{text: words + "\n"})
}

func (l *lines) message(more ...slack.Block) Message {
	return Message{Text: fallbackText(l.text), Blocks: append(l.blocks, more...)}
}

// Open draws the question: who asks, what, for what, until when, and the
// buttons. None of them is the default one.
func (c Card) Open() Message {
	var l lines
	l.say(wordAsks(c.Server, c.Tool, c.Requester, c.Responders))
	if words := shown(c.Message); isBlank(words) {
		l.say(Text(wordAskBlank))
	} else {
		l.quote(cardText(words), maxMessage/maxText*2)
		if !isShort(words) {
			l.say(Text(wordInTheForm))
		}
	}
	if c.Link != nil {
		l.say(Text(wordWantsPage), Bold(c.Link.Host()), Text("."))
	}
	if !c.Form.Empty() {
		l.say(wordAsksFor(c.Form.Labels()))
	}
	if about := c.aboutChoices(); about != "" {
		l.quote(about, 1)
	}
	if !c.Deadline.IsZero() {
		l.say(wordUntil(c.Deadline))
	}
	return l.message(actions(c.buttons()...))
}

// maxCardText is how much of a message that does not fit a card is shown there.
const maxCardText = 2 * maxText

// cardText is the message, or its beginning where the form has the whole.
func cardText(words string) string {
	if isShort(words) {
		return words
	}
	head, _ := splitAt(words, maxCardText)
	return head
}

// aboutChoices is the description of a field that buttons on the card answer:
// whoever presses one must have been able to read it.
func (c Card) aboutChoices() string {
	if !c.oneTap() || len(c.Form.Choices()) == 0 {
		return ""
	}
	return strings.TrimSpace(c.Form.fields[0].about)
}

// oneTap reports whether the question can be answered right on its card: the
// whole of it is to be seen there.
func (c Card) oneTap() bool { return isShort(shown(c.Message)) }

func (c Card) buttons() []slack.BlockElement {
	if c.Link != nil {
		return c.linkButtons()
	}
	id := string(c.ID)
	var out []slack.BlockElement
	choices := c.Form.Choices()
	if !c.oneTap() {
		choices = nil
	}
	for i, choice := range choices {
		b := button(ActionChoicePrefix+strconv.Itoa(i), id, choice.Label)
		// The protocol wants an answer to be reviewed before it is sent.
		b.Confirm = slack.NewConfirmationBlockObject(
			plain(cut(wordReviewTitle(choice.Label), maxConfirmTitle)),
			plain(cut(wordReview(c.Server, c.Form.fields[0].label, choice.Label), maxConfirmText)),
			plain(wordSend), plain(wordBack))
		out = append(out, b)
	}
	if c.Form.Empty() && c.oneTap() {
		out = append(out, button(ActionAccept, id, wordAccept))
	} else {
		out = append(out, button(ActionRespond, id, wordRespond))
	}
	return append(out, button(ActionDecline, id, wordDecline), button(ActionCancel, id, wordCancel))
}

// Ended draws the card of a question that has ended: how, by whom and when,
// and who had asked. It has no buttons and names no values.
func (c Card) Ended(state elicit.State, d elicit.Decision) Message {
	var l lines
	l.say(endWords(state, d))
	l.say(wordAsked(c.Server, c.Tool, c.Requester))
	return l.message()
}

// ForgottenCard takes the place of a card whose question is not known any
// more.
func ForgottenCard() Message { return Note(Bold(wordLost), Text(" "), UnknownQuestion()) }

// MovedCard takes the place of a card whose question stands on another one.
func MovedCard() Message { return Note(Text("This question was asked once more: answer it there.")) }

// AlreadyEnded answers an action that came too late: what stands.
func AlreadyEnded(state elicit.State, d elicit.Decision) Words {
	return slices.Concat(Words{Text("This question has ended. ")}, endWords(state, d), Words{Text(wordNothingMore)})
}
