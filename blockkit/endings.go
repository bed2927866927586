package blockkit

import "github.com/slackbridge/slackbridge/elicit"

// What the cards of questions that have ended begin with.
const (
	wordAcceptedBy  = "Accepted by "
	wordDeclinedBy  = "Declined by "
	wordDismissedBy = "Dismissed by "
	wordCancelledBy = "Cancelled by "
	wordExpired     = "Expired"
	wordWithdrawn   = "Withdrawn by the server"
	wordLost        = "Lost."
	wordNotShown    = "Not shown"
	wordOpenedBy    = "Opened by "
)

// runAgain is what can be done after most ends that nobody wanted.
const runAgain = " Run the tool again if it is still needed."

// endWords says how a question ended, by whom and when, and what that means
// for the reader.
func endWords(state elicit.State, d elicit.Decision) Words {
	w := endHead(state, d)
	if !d.At.IsZero() {
		w = append(w, Text(", "), Date(d.At))
	}
	w = append(w, Text("."))
	if why := endReason(state, d); why != "" {
		w = append(w, Text(" "+why))
	}
	return w
}

func endHead(state elicit.State, d elicit.Decision) Words {
	switch state {
	case elicit.StateWithdrawn:
		return Words{Bold(wordWithdrawn)}
	case elicit.StateLost:
		return Words{Bold("Lost")}
	}
	switch d.Reason {
	case elicit.ReasonSubmitted:
		return by(wordAcceptedBy, d.Responder)
	case elicit.ReasonDeclined:
		return by(wordDeclinedBy, d.Responder)
	case elicit.ReasonDismissed:
		return by(wordDismissedBy, d.Responder)
	case elicit.ReasonCancelled:
		return by(wordCancelledBy, d.Responder)
	case elicit.ReasonExpired:
		return Words{Bold(wordExpired)}
	case elicit.ReasonWithdrawn:
		return Words{Bold(wordWithdrawn)}
	case elicit.ReasonOwnerLost, elicit.ReasonConnectionLost:
		return Words{Bold("Lost")}
	case elicit.ReasonStopped:
		if !d.Responder.IsZero() {
			return by(wordCancelledBy, d.Responder)
		}
		return Words{Bold(wordCancelledBy + "the end of its call")}
	case elicit.ReasonShutdown:
		return Words{Bold(wordCancelledBy + "a restart of the bot")}
	}
	return Words{Bold(wordNotShown)}
}

func by(head string, u elicit.User) Words {
	if u.IsZero() {
		return Words{Bold(head), Text("nobody in particular")}
	}
	return Words{Bold(head), Mention(u.ID)}
}

// endReason says why, where the head does not say it all, and what to do.
func endReason(state elicit.State, d elicit.Decision) string {
	if state == elicit.StateLost && !d.Responder.IsZero() {
		return "The answer was given, but it did not reach the server." + runAgain
	}
	if state == elicit.StateLost && d.Reason == elicit.ReasonExpired {
		return "Nobody answered in time, and the server can no longer be told." + runAgain
	}
	switch d.Reason {
	case elicit.ReasonDismissed:
		return "The form was closed without an answer: the server gets cancel."
	case elicit.ReasonExpired:
		return "Nobody answered in time: the server gets cancel." + runAgain
	case elicit.ReasonWithdrawn:
		return "It does not need the answer any more. Nothing was sent."
	case elicit.ReasonOwnerLost:
		return "The replica of the bot that held the server's request is gone (owner_lost)." + runAgain
	case elicit.ReasonConnectionLost:
		return "The connection to the server is gone (connection_lost)." + runAgain
	case elicit.ReasonShutdown:
		return "The server gets cancel." + runAgain
	case elicit.ReasonStopped:
		return "The call was stopped."
	case elicit.ReasonUndeliverable:
		return "It could not be posted where somebody would see it (undeliverable): the server gets cancel."
	case elicit.ReasonSlackUnreachable:
		return "Slack could not be reached in time (slack_unreachable): the server gets cancel." + runAgain
	case elicit.ReasonUnrenderable:
		return "Slack cannot show such a form (unrenderable): the server gets cancel."
	case elicit.ReasonMalformed:
		return "The server's request was not valid (malformed)."
	case elicit.ReasonSubmitted, elicit.ReasonDeclined, elicit.ReasonCancelled:
		return ""
	}
	return "The server gets cancel (" + string(d.Reason) + ")."
}
