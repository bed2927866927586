package elicit

import "time"

// Action is what goes back to the server (MCP elicitation, "Response Actions").
type Action string

// The three response actions of MCP.
const (
	Accept  Action = "accept"
	Decline Action = "decline" // only because a person pressed Decline
	Cancel  Action = "cancel"
)

// Reason says why a decision came about. The values are part of the audit
// format and of metrics labels.
type Reason string

// Reasons of decisions and refusals.
const (
	ReasonSubmitted        Reason = "submitted"         // a person sent the form or pressed Accept
	ReasonDeclined         Reason = "declined"          // a person pressed Decline
	ReasonDismissed        Reason = "dismissed"         // a person closed the modal
	ReasonCancelled        Reason = "cancelled"         // a person pressed Cancel
	ReasonExpired          Reason = "expired"           // nobody answered until the deadline
	ReasonWithdrawn        Reason = "withdrawn"         // the server took the question back
	ReasonOwnerLost        Reason = "owner_lost"        // the replica that held the request is gone
	ReasonConnectionLost   Reason = "connection_lost"   // the connection to the server is gone
	ReasonUndeliverable    Reason = "undeliverable"     // neither the channel nor a DM could be posted to
	ReasonSlackUnreachable Reason = "slack_unreachable" // Slack did not answer until the deadline
	ReasonUnrenderable     Reason = "unrenderable"      // a legal form that Slack cannot show
	ReasonURLRefused       Reason = "url_refused"       // the page is one that policy does not let people open
	ReasonMalformed        Reason = "malformed"         // the server's request is not valid
	ReasonNotEntitled      Reason = "not_entitled"      // refusal: not allowed to answer
	ReasonRepeated         Reason = "repeated"          // the same question again after a decline or cancel
	ReasonNoOrigin         Reason = "no_origin"         // no user to ask
	ReasonShutdown         Reason = "shutdown"          // this replica is stopping
	ReasonStopped          Reason = "stopped"           // a person stopped the call
	ReasonSecretField      Reason = "secret_field"      // the form asks for a secret
	ReasonSecretValue      Reason = "secret_value"      // refusal: what was typed looks like a credential
	ReasonMuted            Reason = "muted"             // the requester, or the workspace, has turned the server's questions off
	ReasonFlood            Reason = "flood"             // more questions than the limits of policy let through
)

// Decision ends a pending. The first one that is recorded stands.
type Decision struct {
	Action    Action    `json:"action"`
	Reason    Reason    `json:"reason"`
	Responder User      `json:"responder"` // zero when no person acted
	At        time.Time `json:"at"`        // the store's clock
}

// Settlement is what an attempt to decide learns: whether it won, and the
// record as it now stands, with the decision that counts.
type Settlement struct {
	Won     bool
	Counted bool    // an approval that was taken; others are still needed unless Won
	Pending Pending // Pending.Decision is nil only while approvals are still needed
}
