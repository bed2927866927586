package elicit

// CallID names one tool call. It is opaque and unguessable.
type CallID string

// PendingID names one stored elicitation or gate. It is opaque and
// unguessable: it is the only thing of ours that a Slack button carries.
type PendingID string

// ReplicaID names one running slackbridge process, new at every start.
type ReplicaID string

// User is a Slack user. The team belongs to the identity: the same id may mean
// somebody else in another workspace (Slack Connect).
type User struct {
	Team string `json:"team"`
	ID   string `json:"id"`
}

// IsZero reports whether nobody is meant.
func (u User) IsZero() bool { return u == User{} }

// Origin says where a call came from. A question reaches only the origin of
// its own call.
type Origin struct {
	Team      string `json:"team"`
	Channel   string `json:"channel"` // conversation id: C…, G… or D…
	Thread    string `json:"thread"`  // ts of the call's top-level message
	Requester string `json:"requester"`
}

// RequesterUser is the user for whom the call runs.
func (o Origin) RequesterUser() User { return User{Team: o.Team, ID: o.Requester} }

// Place is where a message goes: a channel and, when Thread is not empty, the
// thread in it.
type Place struct {
	Channel string
	Thread  string
}

// MessageRef names a posted Slack message.
type MessageRef struct {
	Channel string `json:"channel"`
	TS      string `json:"ts"`
}

// IsZero reports whether no message is meant.
func (m MessageRef) IsZero() bool { return m == MessageRef{} }
