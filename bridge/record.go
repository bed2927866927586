package bridge

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/slackbridge/slackbridge/blockkit"
	"github.com/slackbridge/slackbridge/elicit"
	"github.com/slackbridge/slackbridge/policy"
)

// storedQuestion is what a replica needs to show a question that another one
// asked. It is sealed in the ledger. Fields may be added; none may change its
// meaning or be removed while records of the version live (days).
type storedQuestion struct {
	Version int             `json:"v"`
	Params  json.RawMessage `json:"params"` // of elicitation/create, byte for byte
}

const storedVersion = 1

func encodeQuestion(params json.RawMessage) ([]byte, error) {
	raw, err := json.Marshal(storedQuestion{Version: storedVersion, Params: params})
	if err != nil {
		return nil, fmt.Errorf("encoding the question: %w", err)
	}
	return raw, nil
}

// question reads a stored question back into its form.
func question(p elicit.Pending) (*blockkit.Elicitation, error) {
	var s storedQuestion
	if err := json.Unmarshal(p.Question, &s); err != nil {
		return nil, fmt.Errorf("reading the question of %s: %w", p.ID, err)
	}
	if s.Version != storedVersion {
		return nil, fmt.Errorf("reading the question of %s: version %d is not known to this build", p.ID, s.Version)
	}
	el, err := blockkit.Parse(s.Params, p.Era)
	if err != nil {
		return nil, fmt.Errorf("reading the question of %s: %w", p.ID, err)
	}
	return el, nil
}

// facts is what policy looks at.
func facts(p elicit.Pending, confirm bool) policy.Facts {
	return policy.Facts{
		Server: p.Server, Tool: p.Tool, Era: p.Era, Mode: p.Mode,
		Confirm: confirm, Asker: p.Origin.RequesterUser(),
	}
}

// isConfirm reports whether the form is a mere confirmation: no fields, or a
// single yes-or-no.
func isConfirm(f *blockkit.Form) bool { return f.Empty() || f.SingleBoolean() }

// Record is one line of the audit trail: who decided what, when and why. It
// names fields, never values.
type Record struct {
	Kind        string // "decision" or "refusal"
	Pending     elicit.Pending
	Action      elicit.Action
	Reason      elicit.Reason
	Responder   elicit.User
	RequestedAt time.Time
	RespondedAt time.Time
	Policy      string
}

// Recorder writes audit records. It is called before the answer leaves; when
// it fails the answer does not leave.
type Recorder interface {
	Record(ctx context.Context, r Record) error
}
