package bridge

import (
	"context"
	"time"

	"github.com/slackbridge/slackbridge/blockkit"
	"github.com/slackbridge/slackbridge/elicit"
)

// Ledger keeps pendings. One decision per pending is recorded, whoever tries
// and wherever; the loser learns which one stands.
type Ledger interface {
	// Create stores p, state pending, before anything of it can be seen.
	Create(ctx context.Context, p elicit.Pending) error
	// Placed records where the question's card was posted, unless one is
	// recorded, and returns the one that is: a question has one card, and any
	// other is to give way. It is zero when the id is not known.
	Placed(ctx context.Context, id elicit.PendingID, card elicit.MessageRef) (elicit.MessageRef, error)
	// Load returns the record, or false when it is not (or no longer) known.
	Load(ctx context.Context, id elicit.PendingID) (elicit.Pending, bool, error)
	// Decide records d with the answer (nil for none) if the pending still
	// waits and its deadline is not over. d.At is set by the store's clock.
	// found is false when the id is not known.
	Decide(ctx context.Context, id elicit.PendingID, d elicit.Decision, answer []byte) (s elicit.Settlement, found bool, err error)
	// Approve counts one accept of as many as p.Needs, by distinct people. The
	// last of them settles it; s.Pending.Decision is nil before.
	Approve(ctx context.Context, id elicit.PendingID, by elicit.User) (s elicit.Settlement, found bool, err error)
	// Delegate records whom a responder has asked to answer. done is false when
	// the pending waits no more.
	Delegate(ctx context.Context, id elicit.PendingID, to elicit.User) (p elicit.Pending, done, found bool, err error)
	// Escalate records that further people may answer.
	Escalate(ctx context.Context, id elicit.PendingID) (p elicit.Pending, done, found bool, err error)
	// Nudged records that a nudge was given: until then Bridge.Nudge is told again.
	Nudged(ctx context.Context, id elicit.PendingID, kind elicit.Nudge) error
	// Mute turns the questions of a server off for a user, until Unmute.
	Mute(ctx context.Context, u elicit.User, server string) error
	// Unmute reports whether they were off.
	Unmute(ctx context.Context, u elicit.User, server string) (was bool, err error)
	// Muted lists the servers whose questions a user has turned off.
	Muted(ctx context.Context, u elicit.User) (servers []string, err error)
	// Spend lets an event pass unless n of the same key have passed within the
	// window before it; then the next one may after the time returned.
	Spend(ctx context.Context, key string, n int, window time.Duration) (ok bool, after time.Duration, err error)
	// Opened records, once, who opened the page that a question asks for. From
	// then on its expiry is an accept in that person's name. It returns the
	// record as it stands, which may be decided already.
	Opened(ctx context.Context, id elicit.PendingID, by elicit.User) (p elicit.Pending, found bool, err error)
	// Answer returns what was given to Decide, until Delivered or Lost was called.
	Answer(ctx context.Context, id elicit.PendingID) ([]byte, error)
	// Delivered records that the server has the answer, and deletes it.
	Delivered(ctx context.Context, id elicit.PendingID) error
	// Lost records that the decision can no longer reach the server, and deletes the answer.
	Lost(ctx context.Context, id elicit.PendingID, why elicit.Reason) error
	// Drawn records that the card of an ended question shows its end, as it is
	// in that state. Until then somebody is told to draw it (Bridge.Undrawn).
	Drawn(ctx context.Context, id elicit.PendingID, shown elicit.State) error
	// CallRunning records that this replica runs a call for requester, and what
	// another one needs to end it in order should this one die (Bridge.CallLost).
	CallRunning(ctx context.Context, id elicit.CallID, requester elicit.User, record []byte) error
	// CallEnded forgets it.
	CallEnded(ctx context.Context, id elicit.CallID) error
	// StopCall tells the replica that runs a call to stop it, if by is its
	// requester. found is false when no living replica runs it.
	StopCall(ctx context.Context, id elicit.CallID, by elicit.User) (requester elicit.User, found bool, err error)
	// SaveDraft keeps what a person has entered on the pages of a form, under
	// the form's id, for ttl at most.
	SaveDraft(ctx context.Context, form string, who elicit.User, draft []byte, ttl time.Duration) error
	// Draft returns it; nil when there is none.
	Draft(ctx context.Context, form string, who elicit.User) ([]byte, error)
	// DropDraft forgets it.
	DropDraft(ctx context.Context, form string, who elicit.User) error
	// Park keeps a call that waits for people, for ttl and some time after.
	Park(ctx context.Context, id elicit.CallID, call []byte, ttl time.Duration) error
	// Parked returns it; nil when there is none.
	Parked(ctx context.Context, id elicit.CallID) ([]byte, error)
	// ClaimPark lets one replica go on with it, and reports whether that is this
	// one.
	ClaimPark(ctx context.Context, id elicit.CallID) (bool, error)
	// DropPark forgets it.
	DropPark(ctx context.Context, id elicit.CallID) error
	// FirstTime reports whether key was not seen within ttl before, by any replica.
	FirstTime(ctx context.Context, key string, ttl time.Duration) (bool, error)
}

// Messenger talks to Slack. Errors wrap the sentinels of package elicit.
type Messenger interface {
	Post(ctx context.Context, to elicit.Place, m blockkit.Message) (elicit.MessageRef, error)
	// Update redraws a message. It is queued behind rate limits, and newer
	// content for the same message replaces older content that still waits.
	Update(ctx context.Context, ref elicit.MessageRef, m blockkit.Message) error
	Ephemeral(ctx context.Context, to elicit.Place, user string, m blockkit.Message) error
	// Respond posts an ephemeral message through a response_url.
	Respond(ctx context.Context, responseURL string, m blockkit.Message) error
	OpenView(ctx context.Context, triggerID string, m blockkit.Modal) (viewID string, err error)
	// PushView lays a modal over the one in which the trigger arose.
	PushView(ctx context.Context, triggerID string, m blockkit.Modal) error
	UpdateView(ctx context.Context, viewID string, m blockkit.Modal) error
	// DirectMessage returns the conversation of the bot with that user.
	DirectMessage(ctx context.Context, user string) (channel string, err error)
	// Reader returns the user's time zone and language as set in Slack; UTC and
	// English when unknown.
	Reader(ctx context.Context, user string) blockkit.Reader
}

// Host runs tools on MCP servers.
type Host interface {
	// Tools lists the tools that user may run on server.
	Tools(ctx context.Context, server string, user elicit.User) ([]elicit.Tool, error)
	// Call runs a tool until it ends or, in the durable era, until it asks.
	// Questions of the blocking era arrive at Bridge.Ask meanwhile.
	Call(ctx context.Context, c elicit.Call) (elicit.Outcome, error)
	// Resume repeats a parked call with the answers, by request key.
	Resume(ctx context.Context, p elicit.Parked, answers map[string]elicit.Answer) (elicit.Outcome, error)
	// Servers lists the configured servers, in the file's order.
	Servers() []elicit.ServerState
}
