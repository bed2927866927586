// Package policy answers what our own rules say about a question: who may
// answer it, how long it waits, what a closed form means, and whether a server
// is offered elicitation at all. Facts go in, verdicts with reasons come out.
//
// It is pure: no I/O, no clock, no logging, and it knows nothing of Slack, MCP
// or Redis. Whatever it cannot enforce it refuses to load, so that a rule in
// the file is never a rule that only looks as if it held.
package policy

import (
	"time"

	"github.com/slackbridge/slackbridge/elicit"
)

// Deadlines, used where the policy file says nothing.
const (
	DefaultForm    = 60 * time.Second
	DefaultConfirm = 30 * time.Second
	DefaultURL     = 5 * time.Minute
	DefaultDurable = 15 * time.Minute

	// MaxDeadline bounds every deadline that a policy file may set.
	MaxDeadline = 7 * 24 * time.Hour
	// MinDeadline is the shortest wait that makes sense: expiry is settled at
	// most two seconds late.
	MinDeadline = time.Second
)

// OnClose says what closing a form means.
type OnClose string

// What closing a form can mean.
const (
	CloseCancels OnClose = "cancel" // the question is answered cancel
	CloseKeeps   OnClose = "keep"   // the form is only put down; the question stays
)

// Policy is a loaded policy file. It does not change after loading and is safe
// for concurrent use. The zero value is not valid; use Default or Parse.
type Policy struct {
	defaults settings
	rules    []rule
	urls     urls
}

// Default returns the policy that holds without a policy file: only the
// requester may answer, with the deadlines of this package.
func Default() *Policy { return &Policy{} }

// Facts describe a question, as far as policy looks at it.
type Facts struct {
	Server  string
	Tool    string
	Era     elicit.Era
	Mode    elicit.Mode
	Confirm bool        // no fields, or a single boolean
	Asker   elicit.User // the requester of the call
}

// Verdict is an answer with its reason, written for a person.
type Verdict struct {
	Allowed bool
	Why     string
}

// OffersElicitation reports whether server may ask at all. A server that may
// not is never told of the capability, so that it can take its own path.
func (p *Policy) OffersElicitation(server string) bool {
	for s := range p.settings(server, "") {
		if s.elicitation != nil {
			return *s.elicitation
		}
	}
	return true
}

// Deadline says how long the question waits for a person.
func (p *Policy) Deadline(f Facts) time.Duration {
	pick, fallback := deadlineOf(f)
	for s := range p.settings(f.Server, f.Tool) {
		if d := pick(s.deadlines); d != 0 {
			return d
		}
	}
	return fallback
}

// deadlineOf names the deadline that applies. In the durable era one deadline
// holds for every question.
func deadlineOf(f Facts) (pick func(deadlines) time.Duration, fallback time.Duration) {
	switch {
	case f.Era == elicit.EraDurable:
		return func(d deadlines) time.Duration { return d.durable }, DefaultDurable
	case f.Mode == elicit.ModeURL:
		return func(d deadlines) time.Duration { return d.url }, DefaultURL
	case f.Confirm:
		return func(d deadlines) time.Duration { return d.confirm }, DefaultConfirm
	default:
		return func(d deadlines) time.Duration { return d.form }, DefaultForm
	}
}

// OnClose says what it means when a person closes the form of this question.
// Unset, it cancels when one person may answer and keeps when several may;
// today exactly one may: the requester.
func (p *Policy) OnClose(f Facts) OnClose {
	for s := range p.settings(f.Server, f.Tool) {
		if s.onClose != "" {
			return s.onClose
		}
	}
	return CloseCancels
}

// Responders lists who may answer, for the mention on the card.
func (p *Policy) Responders(f Facts) []elicit.User { return []elicit.User{f.Asker} }

// MayAnswer reports whether who may decide this question. The team counts as
// much as the id: in a shared channel the same id can be somebody else.
func (p *Policy) MayAnswer(f Facts, who elicit.User) Verdict {
	switch {
	case f.Asker.IsZero() || f.Asker.ID == "" || f.Asker.Team == "":
		return Verdict{Why: "nobody is known who could answer this question"}
	case who == f.Asker:
		return Verdict{Allowed: true, Why: "the requester of the call"}
	case who.ID == f.Asker.ID:
		return Verdict{Why: "this account belongs to another workspace"}
	default:
		return Verdict{Why: "only the person who started the call may answer it"}
	}
}
