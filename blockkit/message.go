package blockkit

import "github.com/slack-go/slack"

// Message is a Slack message, ready to be sent. Whoever sends it turns
// unfurling off.
type Message struct {
	// Text is the whole content for mobile push and screen readers, escaped
	// and dead, at most 4,000 characters.
	Text   string
	Blocks []slack.Block
}

// Modal is a Slack modal, ready to be opened or to replace an open one.
type Modal struct {
	View slack.ModalViewRequest
}

// Option is one choice of a select menu.
type Option = *slack.OptionBlockObject

// Action ids of buttons. Each button's value is the id of its
// pending, or of its call for ActionStop.
const (
	ActionRespond      = "elicit_respond"
	ActionAccept       = "elicit_accept"
	ActionChoicePrefix = "elicit_choice_" // followed by the position in Form.Choices
	ActionDecline      = "elicit_decline"
	ActionCancel       = "elicit_cancel"
	ActionReviewURL    = "elicit_review_url"
	ActionOpenURL      = "elicit_open_url"
	ActionDoneURL      = "elicit_done_url"
	ActionBack         = "form_back"
	ActionRunAgain     = "call_run_again"
	ActionStop         = "call_stop"
)

// Callback ids of modals.
const (
	CallbackForm      = "elicit_form"
	CallbackURL       = "elicit_url"
	CallbackArguments = "tool_args"
	CallbackLoading   = "elicit_loading"
	CallbackNotice    = "elicit_notice"
)

// Limits of Slack, in characters unless said.
const (
	maxText         = 3000 // one text object; also used for one element of rich text
	maxFallback     = 4000 // text of chat.update
	maxTitle        = 24   // title and buttons of a modal
	maxConfirmTitle = 100
	maxConfirmText  = 300
	maxOptionText   = 75
	maxViewBlocks   = 100 // blocks
)

// plain is a plain_text object. Colons in it stay colons.
func plain(s string) *slack.TextBlockObject {
	return slack.NewTextBlockObject(slack.PlainTextType, s, false, false)
}

func button(actionID, value, label string) *slack.ButtonBlockElement {
	return slack.NewButtonBlockElement(actionID, value, plain(label))
}
