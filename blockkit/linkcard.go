package blockkit

import (
	"time"

	"github.com/slack-go/slack"
	"github.com/slackbridge/slackbridge/elicit"
)

// actions is a row of buttons.
func actions(buttons ...slack.BlockElement) slack.Block { return slack.NewActionBlock("", buttons...) }

// linkButtons stand on the card of a question that wants a page opened. The
// address itself is not on the card, where everybody would read it.
func (c Card) linkButtons() []slack.BlockElement {
	id := string(c.ID)
	return []slack.BlockElement{button(ActionReviewURL, id, wordReviewLink), button(ActionDecline, id, wordDecline)}
}

// Opened draws the card while the page that was opened is being finished. done
// offers to say that it is.
func (c Card) Opened(by elicit.User, at time.Time, done bool) Message {
	var l lines
	w := Words{Bold(wordOpenedBy), Mention(by.ID)}
	if !at.IsZero() {
		w = append(w, Text(", "), Date(at))
	}
	if !done {
		l.say(append(w, Text(". Waiting for the server."))...)
		l.say(wordAsked(c.Server, c.Tool, c.Requester))
		return l.message()
	}
	l.say(append(w, Text(". Waiting for it to be finished in the browser."))...)
	l.say(wordAsked(c.Server, c.Tool, c.Requester))
	id := string(c.ID)
	return l.message(actions(button(ActionDoneURL, id, wordDone), button(ActionCancel, id, wordCancel)))
}

// Completed draws the card of a page that was opened, when its server says that
// it is finished.
func (c Card) Completed(d elicit.Decision) Message {
	var l lines
	l.say(append(endWords(elicit.StateDelivered, d), Text(" The server says that the page is finished."))...)
	l.say(wordAsked(c.Server, c.Tool, c.Requester))
	return l.message()
}
