package blockkit

import (
	"github.com/slack-go/slack"
	"github.com/slackbridge/slackbridge/elicit"
)

// Call is the top-level message of a call, under which all else of it stands.
type Call struct {
	Requester string // user id
	Server    string
	Tool      string
	ID        elicit.CallID
}

// CallEnd is how a call ended.
type CallEnd string

// Ends of a call.
const (
	CallFinished CallEnd = "finished"
	CallFailed   CallEnd = "failed"
	CallNotRun   CallEnd = "not run yet"
)

// Running draws a call that can still be stopped.
func (c Call) Running() Message {
	var l lines
	l.say(Mention(c.Requester), Text(" runs "), Code(name(c.Server+"."+c.Tool)))
	return l.message(slack.NewActionBlock("", button(ActionStop, string(c.ID), wordStop)))
}

// Ended draws a call that is over.
func (c Call) Ended(how CallEnd) Message {
	return Note(Mention(c.Requester), Text(" ran "), Code(name(c.Server+"."+c.Tool)), Text(" – "+string(how)))
}
