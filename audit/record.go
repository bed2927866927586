// Package audit keeps the record of who decided what: one JSON line for each
// decision and each refusal, chained by hashes, so that a line that was
// changed, removed or moved shows. A record names fields, never values.
//
// It knows neither Slack nor MCP nor Redis.
package audit

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"github.com/slackbridge/slackbridge/elicit"
)

// Record is one line. Members may be added at the end, before prev; none may
// change its meaning: files are kept for years.
type Record struct {
	Seq         uint64           `json:"seq"` // 1 for the first line of a file
	Time        time.Time        `json:"time"`
	Kind        Kind             `json:"kind"`
	ID          elicit.PendingID `json:"id,omitempty"`
	Call        elicit.CallID    `json:"call"`
	Server      string           `json:"server"`
	Tool        string           `json:"tool"`
	Mode        elicit.Mode      `json:"mode,omitempty"`
	Era         elicit.Era       `json:"era"`
	Requester   elicit.User      `json:"requester"`
	Responder   *elicit.User     `json:"responder"` // null: no person acted
	Action      elicit.Action    `json:"action"`
	Reason      elicit.Reason    `json:"reason"`
	RequestedAt time.Time        `json:"requested_at"`
	RespondedAt time.Time        `json:"responded_at"`
	Fields      []string         `json:"fields,omitempty"`
	Policy      string           `json:"policy,omitempty"` // why policy spoke, when it did
	Channel     string           `json:"channel"`
	Message     string           `json:"message,omitempty"` // ts of the card
	Prev        string           `json:"prev"`              // hash of the line before, "" for the first
	Hash        string           `json:"hash"`              // of this line without the hash member
}

// Kind tells decisions from refusals.
type Kind string

// Kinds of records.
const (
	KindDecision Kind = "decision" // a pending was settled
	KindRefusal  Kind = "refusal"  // a question was not asked, or an answer not taken
)

// chained returns r as the line after the one with hash prev.
func (r Record) chained(seq uint64, prev string) (Record, []byte, error) {
	r.Seq, r.Prev, r.Hash = seq, prev, ""
	bare, err := json.Marshal(r)
	if err != nil {
		return r, nil, fmt.Errorf("encoding audit record %d: %w", seq, err)
	}
	sum := sha256.Sum256(bare)
	r.Hash = hex.EncodeToString(sum[:])
	line, err := json.Marshal(r)
	if err != nil {
		return r, nil, fmt.Errorf("encoding audit record %d: %w", seq, err)
	}
	return r, append(line, '\n'), nil
}
