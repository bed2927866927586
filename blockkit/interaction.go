package blockkit

import (
	"context"
	"encoding/json"
	"time"

	"github.com/slackbridge/slackbridge/elicit"
)

// Command is a slash command as a person typed it.
type Command struct {
	User        elicit.User
	Channel     string
	Text        string // as Slack delivered it: &, < and > are still escaped
	TriggerID   string
	ResponseURL string
	At          time.Time // when it reached us
}

// Click is a press of a button on a message or inside a modal.
type Click struct {
	User        elicit.User
	Action      string            // action_id of the pressed element
	Value       string            // its value: an opaque pending or call id
	Message     elicit.MessageRef // the message that was clicked; zero when it was in a view
	Thread      string            // thread_ts of that message, empty at top level
	View        *ViewRef          // the view that was clicked; nil when it was a message
	State       json.RawMessage   // of the view: what stands in its inputs
	TriggerID   string
	ResponseURL string // only for messages
	At          time.Time
}

// ViewRef names an open modal.
type ViewRef struct {
	ID         string
	Hash       string
	CallbackID string
	Metadata   string // private_metadata, as we wrote it
}

// Submission is a submitted modal.
type Submission struct {
	User      elicit.User
	View      ViewRef
	State     json.RawMessage // view.state as Slack sent it: an object, [], null or missing
	TriggerID string
	At        time.Time
}

// Closing is a modal that a person closed.
type Closing struct {
	User    elicit.User
	View    ViewRef
	Cleared bool // the whole stack went with it
	At      time.Time
}

// Search asks for the options of an external select.
type Search struct {
	User     elicit.User
	View     ViewRef
	BlockID  string
	ActionID string
	Text     string // what was typed so far
}

// SubmitReply answers a Submission inside its acknowledgement. The zero value
// closes the modal with its whole stack.
type SubmitReply struct {
	Errors  map[string]string // by block id of an input block; the form stays open
	Replace *Modal            // small views only: an acknowledgement of 20 KB is dropped in silence

	// Then runs after the acknowledgement has left, for what is too large for
	// it; nil for nothing.
	Then func(context.Context)
}
