package elicit

import "errors"

// What can go wrong with a message or view, as far as the caller must act
// differently. Slack I/O wraps these; match with errors.Is.
var (
	// ErrCannotPost: this conversation cannot be posted to (not a member, archived, unknown, restricted).
	ErrCannotPost = errors.New("the conversation cannot be posted to")
	// ErrTriggerExpired: the click is too old, or was used already, to open a view.
	ErrTriggerExpired = errors.New("the click is too old to open a form")
	// ErrRefused: Slack refused the payload; sending it again would not help.
	ErrRefused = errors.New("Slack refused the payload")
	// ErrGone: the message or view is not there any more.
	ErrGone = errors.New("the message or view is gone")
	// ErrAlreadyOpen: this user has this view open already.
	ErrAlreadyOpen = errors.New("the form is open already")
	// ErrSlackUnreachable: Slack did not take the request within the time allowed.
	ErrSlackUnreachable = errors.New("Slack cannot be reached")
)
