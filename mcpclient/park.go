package mcpclient

import (
	"encoding/json"
	"fmt"

	"github.com/slackbridge/slackbridge/elicit"
)

// ticket is elicit.Parked.Resume: what a host needs to repeat a parked call.
// It is stored, so members may be added but neither renamed nor given another
// meaning; a reader refuses a version that it does not know. Raw JSON is kept
// as bytes, since a store may rewrite JSON inside JSON.
type ticket struct {
	Version   int             `json:"v"`
	Kind      elicit.CallKind `json:"kind,omitempty"`
	Tool      string          `json:"tool"`
	Arguments []byte          `json:"arguments"`       // as given to Call
	State     []byte          `json:"state,omitempty"` // requestState as a JSON string, quotes included; absent when there was none
	Task      string          `json:"task,omitempty"`  // the task that asks; empty when the call itself does
	Asked     []string        `json:"asked,omitempty"` // keys of its questions that were answered before
	Round     int             `json:"round"`           // of the questions that it waits for
}

const ticketVersion = 1

func readTicket(raw []byte) (ticket, error) {
	var t ticket
	if err := json.Unmarshal(raw, &t); err != nil {
		return ticket{}, fmt.Errorf("reading a parked call: %w", err)
	}
	if t.Version != ticketVersion {
		return ticket{}, fmt.Errorf("reading a parked call: version %d is not known here", t.Version)
	}
	return t, nil
}

// park makes the record of a call that waits for answers. t names the task that
// asks, if one does.
func (h *Host) park(c *conn, call elicit.Call, round int, a answer, t ticket) (elicit.Outcome, error) {
	if round > maxRounds {
		return elicit.Outcome{}, &ProtocolError{
			Server: call.Server, Path: "result.inputRequests",
			Problem: fmt.Sprintf("asks for the %dth time; a call may ask %d times", round, maxRounds),
		}
	}
	t.Version, t.Kind, t.Tool, t.Arguments = ticketVersion, call.Kind, call.Tool, call.Arguments
	t.State, t.Round = a.state, round
	resume, err := json.Marshal(t)
	if err != nil {
		return elicit.Outcome{}, fmt.Errorf("parking call %s: %w", call.ID, err)
	}
	p := &elicit.Parked{Call: call, Protocol: c.protocol, Round: round, Resume: resume}
	for _, in := range a.inputs {
		p.Questions = append(p.Questions, elicit.Question{
			Call: call.ID, Server: call.Server, Tool: call.Tool, Origin: call.Origin,
			Era: elicit.EraDurable, Protocol: c.protocol, RequestID: in.key, Params: in.params,
		})
	}
	return elicit.Outcome{Parked: p}, nil
}

// inputResponses joins the answers to the questions of this round. In this
// era a question cannot be answered by an error, so one that is invalid ends
// the call.
func inputResponses(p elicit.Parked, answers map[string]elicit.Answer) (json.RawMessage, error) {
	var all []member
	for _, q := range p.Questions {
		a, ok := answers[q.RequestID]
		if !ok {
			return nil, fmt.Errorf("resuming call %s: question %q has no answer", p.Call.ID, printable(q.RequestID, 80))
		}
		if a.Invalid != nil {
			return nil, &ProtocolError{Server: p.Call.Server, Path: "result.inputRequests." + q.RequestID + ".params." + a.Invalid.Path, Problem: a.Invalid.Problem}
		}
		result, err := elicitResult(a)
		if err != nil {
			return nil, fmt.Errorf("resuming call %s: question %q: %w", p.Call.ID, printable(q.RequestID, 80), err)
		}
		all = append(all, member{name: q.RequestID, value: result})
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("resuming call %s: it has no questions", p.Call.ID)
	}
	return object(all...), nil
}
