package slackapp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/maphash"
	"log/slog"
	"net/url"
	"sync"
	"time"

	"github.com/slack-go/slack"

	"github.com/slackbridge/slackbridge/blockkit"
)

// Handler does what people asked for. Command, Click and Closed run after the
// acknowledgement; Submit and Search run inside it and must come back before
// ctx ends.
type Handler interface {
	Command(ctx context.Context, c blockkit.Command)
	Click(ctx context.Context, c blockkit.Click)
	Submit(ctx context.Context, s blockkit.Submission) blockkit.SubmitReply
	Closed(ctx context.Context, c blockkit.Closing)
	Search(ctx context.Context, s blockkit.Search) []blockkit.Option
}

const (
	// ackBudget is what a handler may take of Slack's 3 s.
	ackBudget = 2500 * time.Millisecond
	// workBudget bounds a handler that runs after the acknowledgement.
	workBudget = 2 * time.Minute
	// maxWorkers bounds how many of those run at once.
	maxWorkers = 256
)

// dispatcher brings payloads of either transport to the handler.
type dispatcher struct {
	h    Handler
	log  *slog.Logger
	now  func() time.Time
	seen *seen
	slot chan struct{}
	jobs sync.WaitGroup
}

func newDispatcher(c *Client, h Handler) *dispatcher {
	return &dispatcher{h: h, log: c.o.Log, now: c.o.Now, seen: newSeen(c.o.Now), slot: make(chan struct{}, maxWorkers)}
}

// work runs a handler on its own, after the acknowledgement has left.
func (d *dispatcher) work(ctx context.Context, what string, f func(context.Context)) {
	d.jobs.Go(func() {
		d.slot <- struct{}{}
		defer func() { <-d.slot }()
		ctx, cancel := context.WithTimeoutCause(context.WithoutCancel(ctx), workBudget, errors.New("handling an interaction took too long"))
		defer cancel()
		defer d.recovered(what)
		f(ctx)
	})
}

func (d *dispatcher) recovered(what string) {
	if r := recover(); r != nil {
		d.log.Error("a handler failed", "handling", what, "err", fmt.Sprint(r))
	}
}

// command takes a slash command. Its answer goes through the response_url.
func (d *dispatcher) command(ctx context.Context, form url.Values) {
	c := command(form, d.now())
	if c.User.ID == "" || !d.seen.first("command "+c.TriggerID) {
		return
	}
	d.work(ctx, "a command", func(ctx context.Context) { d.h.Command(ctx, c) })
}

// ack answers an interaction.
type ack struct {
	body any                   // nil is an empty one
	then func(context.Context) // work for after it has left; nil for none
}

// interaction takes an interaction and returns its acknowledgement. The caller
// calls sent when that has left.
func (d *dispatcher) interaction(ctx context.Context, raw []byte) (ack, error) {
	p, err := parsePayload(raw)
	if err != nil {
		return ack{}, err
	}
	at := d.now()
	switch p.Type {
	case "block_actions":
		if !d.seen.first("click " + p.TriggerID) {
			return ack{}, nil
		}
		for i := range p.Actions {
			d.work(ctx, "a click", func(ctx context.Context) { d.h.Click(ctx, p.click(i, at)) })
		}
	case "view_submission":
		if p.View != nil {
			return d.submit(ctx, p, at), nil
		}
	case "view_closed":
		if p.View != nil {
			c := blockkit.Closing{User: p.user(), View: p.View.ref(), Cleared: p.IsCleared, At: at}
			d.work(ctx, "a closed form", func(ctx context.Context) { d.h.Closed(ctx, c) })
		}
	case "block_suggestion":
		return ack{body: d.search(ctx, p)}, nil
	}
	return ack{}, nil
}

// sent goes on with what had to wait for an acknowledgement.
func (d *dispatcher) sent(ctx context.Context, a ack) {
	if a.then != nil {
		d.work(ctx, "what follows a submission", a.then)
	}
}

// submit runs inside the acknowledgement. A second delivery of the same
// submission is decided by the store, not here: it gets its own true answer.
func (d *dispatcher) submit(ctx context.Context, p payload, at time.Time) (a ack) {
	ctx, cancel := context.WithTimeoutCause(ctx, ackBudget, errors.New("answering a submission took too long"))
	defer cancel()
	defer func() {
		if r := recover(); r != nil {
			d.log.Error("a handler failed", "handling", "a submission", "err", fmt.Sprint(r))
			a = ack{}
		}
	}()
	reply := d.h.Submit(ctx, blockkit.Submission{User: p.user(), View: p.View.ref(), State: p.View.State, TriggerID: p.TriggerID, At: at})
	switch {
	case len(reply.Errors) > 0:
		return ack{body: slack.NewErrorsViewSubmissionResponse(reply.Errors)}
	case reply.Replace != nil:
		return ack{body: slack.NewUpdateViewSubmissionResponse(&reply.Replace.View), then: reply.Then}
	default:
		return ack{body: slack.NewClearViewSubmissionResponse(), then: reply.Then}
	}
}

// search always answers with a list: slack-go's own type would leave an empty
// one out.
func (d *dispatcher) search(ctx context.Context, p payload) (body any) {
	type options struct {
		Options []blockkit.Option `json:"options"`
	}
	empty := options{Options: []blockkit.Option{}}
	if p.View == nil {
		return empty
	}
	ctx, cancel := context.WithTimeoutCause(ctx, ackBudget, errors.New("searching took too long"))
	defer cancel()
	body = empty
	defer d.recovered("a search")
	found := d.h.Search(ctx, blockkit.Search{User: p.user(), View: p.View.ref(), BlockID: p.BlockID, ActionID: p.ActionID, Text: p.Value})
	if len(found) > 0 {
		body = options{Options: found}
	}
	return body
}

// seen recognises a delivery that comes twice. Slack has sent the same
// envelope again without marking it as a repetition. It keeps two generations,
// so that forgetting costs nothing, and hashes, since triggers are long.
type seen struct {
	now  func() time.Time
	seed maphash.Seed

	mu         sync.Mutex
	fresh, old map[uint64]int64 // Unix time in ms, by the hash of a key
	since      time.Time        // when fresh began
}

const (
	seenFor = 10 * time.Minute
	seenMax = 50_000
)

func newSeen(now func() time.Time) *seen {
	return &seen{now: now, seed: maphash.MakeSeed(), fresh: map[uint64]int64{}, since: now()}
}

func (s *seen) first(key string) bool {
	hash := maphash.String(s.seed, key)
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	if now.Sub(s.since) >= seenFor || len(s.fresh) >= seenMax/2 {
		s.old, s.fresh, s.since = s.fresh, map[uint64]int64{}, now
	}
	at, known := s.fresh[hash]
	if !known {
		at, known = s.old[hash]
	}
	if known && now.UnixMilli()-at < seenFor.Milliseconds() {
		return false
	}
	s.fresh[hash] = now.UnixMilli()
	return true
}

func encodeBody(body any) ([]byte, error) {
	if body == nil {
		return nil, nil
	}
	return json.Marshal(body)
}
