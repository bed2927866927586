package correlate

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/slackbridge/slackbridge/elicit"
)

// recordVersion is written into every record. Fields may be added. Whoever
// changes the meaning of a field, or removes one, counts it up; records of
// other versions are refused, not guessed at.
const recordVersion = "1"

// encode lists the fields of a new record.
func (s *Store) encode(p elicit.Pending) ([]any, error) {
	question, err := s.seal.seal(purposeQuestion, string(p.ID), p.Question)
	if err != nil {
		return nil, err
	}
	names, err := json.Marshal(p.Fields)
	if err != nil {
		return nil, fmt.Errorf("encoding the field names of %s: %w", p.ID, err)
	}
	return []any{
		"v", recordVersion, "state", string(elicit.StatePending), "kind", string(p.Kind), "era", string(p.Era), "mode", string(p.Mode),
		"owner", string(p.Owner), "call", string(p.Call), "team", p.Origin.Team, "channel", p.Origin.Channel, "thread", p.Origin.Thread,
		"requester", p.Origin.Requester, "server", p.Server, "tool", p.Tool, "request_id", p.RequestID,
		"card_channel", p.Card.Channel, "card_ts", p.Card.TS, "fields", string(names),
		"created", millis(p.Created), "deadline", millis(p.Deadline), "question", question,
		"needs", strconv.Itoa(p.Needs), "digest", p.Digest, "remind_at", millisOrNone(p.RemindAt), "escalate_at", millisOrNone(p.EscalateAt),
	}, nil
}

func (s *Store) decode(id elicit.PendingID, f map[string]string) (elicit.Pending, error) {
	if f["v"] != recordVersion {
		return elicit.Pending{}, fmt.Errorf("reading pending %s: its version %q is not known to this build", id, f["v"])
	}
	p := elicit.Pending{
		ID: id, State: elicit.State(f["state"]), Kind: elicit.Kind(f["kind"]), Era: elicit.Era(f["era"]), Mode: elicit.Mode(f["mode"]),
		Owner: elicit.ReplicaID(f["owner"]), Call: elicit.CallID(f["call"]), Server: f["server"], Tool: f["tool"], RequestID: f["request_id"],
		Origin: elicit.Origin{Team: f["team"], Channel: f["channel"], Thread: f["thread"], Requester: f["requester"]},
		Card:   elicit.MessageRef{Channel: f["card_channel"], TS: f["card_ts"]},
	}
	p.Digest, p.Escalated = f["digest"], f["escalated"] == "1"
	p.Delegate = elicit.User{Team: f["delegate_team"], ID: f["delegate"]}
	if f["opened_by"] != "" {
		p.OpenedBy = elicit.User{Team: f["opened_team"], ID: f["opened_by"]}
	}
	var errs []error
	p.Created, errs = moment(f, "created", errs)
	p.Deadline, errs = moment(f, "deadline", errs)
	p.RemindAt, errs = momentOrNone(f, "remind_at", errs)
	p.EscalateAt, errs = momentOrNone(f, "escalate_at", errs)
	p.Needs, p.Approvals, errs = approvals(f, errs)
	if err := json.Unmarshal([]byte(f["fields"]), &p.Fields); err != nil {
		errs = append(errs, fmt.Errorf("fields: %w", err))
	}
	var err error
	if p.Question, err = s.seal.open(purposeQuestion, string(id), []byte(f["question"])); err != nil {
		errs = append(errs, err)
	}
	if p.State != elicit.StatePending {
		d := elicit.Decision{
			Action: elicit.Action(f["action"]), Reason: elicit.Reason(f["reason"]),
			Responder: elicit.User{Team: f["responder_team"], ID: f["responder"]},
		}
		d.At, errs = moment(f, "decided_at", errs)
		p.Decision = &d
	}
	if err := errors.Join(errs...); err != nil {
		return elicit.Pending{}, fmt.Errorf("reading pending %s: %w", id, err)
	}
	return p, nil
}

func moment(f map[string]string, name string, errs []error) (time.Time, []error) {
	ms, err := strconv.ParseInt(f[name], 10, 64)
	if err != nil {
		return time.Time{}, append(errs, fmt.Errorf("%s: %w", name, err))
	}
	return time.UnixMilli(ms), errs
}

// momentOrNone reads a time that may be missing, as records of earlier builds
// have it.
func momentOrNone(f map[string]string, name string, errs []error) (time.Time, []error) {
	if f[name] == "" {
		return time.Time{}, errs
	}
	return moment(f, name, errs)
}

func millisOrNone(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return millis(t)
}

// approvals reads how many a pending needs, and those that it has.
func approvals(f map[string]string, errs []error) (needs int, votes []elicit.Approval, _ []error) {
	if f["needs"] == "" { // of an earlier build
		return 0, nil, errs
	}
	needs, err := strconv.Atoi(f["needs"])
	if err != nil {
		errs = append(errs, fmt.Errorf("needs: %w", err))
	}
	for i := 1; f["vote_user_"+strconv.Itoa(i)] != ""; i++ {
		n := strconv.Itoa(i)
		v := elicit.Approval{By: elicit.User{Team: f["vote_team_"+n], ID: f["vote_user_"+n]}}
		v.At, errs = moment(f, "vote_at_"+n, errs)
		votes = append(votes, v)
	}
	return needs, votes, errs
}
