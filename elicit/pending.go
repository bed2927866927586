package elicit

import "time"

// Kind tells a server's question from an approval that our own policy asks for.
type Kind string

// Kinds of pendings.
const (
	KindElicitation Kind = "elicitation"
	KindGate        Kind = "gate"
)

// State is where a pending stands: pending → decided → delivered, or one of
// the two ends in which no answer reached the server.
type State string

// States of a pending.
const (
	StatePending   State = "pending"
	StateDecided   State = "decided"   // recorded, not yet on the wire
	StateDelivered State = "delivered" // the server has the answer
	StateWithdrawn State = "withdrawn" // the server or a stop took the question away; nothing is answered
	StateLost      State = "lost"      // the request it would answer is gone
)

// Pending is the stored record of an elicitation or gate that waits, or
// waited, for a person. Question is opaque to the store and sealed at rest;
// everything else is metadata without values.
type Pending struct {
	ID        PendingID
	State     State
	Kind      Kind
	Era       Era
	Mode      Mode
	Owner     ReplicaID // the replica that holds the open request
	Call      CallID
	Origin    Origin
	Server    string
	Tool      string
	RequestID string     // the JSON-RPC id, raw; in the durable era the key in inputRequests
	Card      MessageRef // where the question stands in Slack; zero until posted
	Fields    []string   // names of the fields asked, never values
	Created   time.Time
	Deadline  time.Time
	Question  []byte    // opaque to the store, sealed at rest
	OpenedBy  User      // who opened the page that the question asks for; zero before, and in form mode
	Decision  *Decision // nil while pending

	Needs     int        // approvals by distinct people that make an accept; 0 and 1: the first one does
	Approvals []Approval // so far, in order
	Digest    string     // of a gate: server, tool and arguments that are approved
	Delegate  User       // whom a responder has asked to answer; zero: nobody
	Escalated bool       // it waited so long that further people may answer

	RemindAt   time.Time // when those who may answer are reminded; zero: never
	EscalateAt time.Time // when further people are asked; zero: never
}

// Nudge is what happens to a pending that has waited for long.
type Nudge string

// The nudges.
const (
	NudgeRemind   Nudge = "remind"   // those who may answer are reminded
	NudgeEscalate Nudge = "escalate" // further people may answer, and are asked
)

// Approval is one person's yes to a question that needs several.
type Approval struct {
	By User      `json:"by"`
	At time.Time `json:"at"` // the store's clock
}
