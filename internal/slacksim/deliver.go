package slacksim

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Why a delivery was not acknowledged. The text is the code that Slack's
// clients show.
var (
	errNoEndpoint  = errors.New("dispatch_failed")     // no endpoint or socket took it
	errNoAck       = errors.New("operation_timeout")   // not acknowledged in time
	errServerFault = errors.New("http_service_error")  // HTTP 5xx
	errClientFault = errors.New("http_client_error")   // any other HTTP status but 200
	errStopped     = errors.New("the Slack is closed") // Close was called
)

// parcel is something for the app.
type parcel struct {
	envelope string // Socket Mode: "interactive", "slash_commands", "events_api"
	path     string // HTTP: path below the base URL
	payload  object
	attempt  int // of an event: 0 for the first
	reason   string
}

// receipt is the app's acknowledgement.
type receipt struct {
	body    []byte // empty when there was none
	noRetry bool   // X-Slack-No-Retry
}

// deliver brings p to the app and waits for its acknowledgement. When copies
// were ordered the first acknowledgement counts, and the others go their way.
func (s *Sim) deliver(ctx context.Context, p parcel) (receipt, error) {
	s.mu.Lock()
	n, base := s.copies, s.httpBase
	s.copies = 1
	s.mu.Unlock()
	envelope := s.token(16)
	run := func(ctx context.Context, _ int) (receipt, error) { return s.post(ctx, base, p) }
	if base == "" {
		targets, err := s.pickSockets(n)
		if err != nil {
			return receipt{}, err
		}
		run = func(ctx context.Context, i int) (receipt, error) { return targets[i].send(ctx, envelope, p) }
	}
	return s.firstOf(ctx, n, run)
}

// firstOf runs n deliveries at once and returns the first that succeeds, or
// the last failure. What is on its way stays on its way when ctx ends.
func (s *Sim) firstOf(ctx context.Context, n int, run func(ctx context.Context, i int) (receipt, error)) (receipt, error) {
	type result struct {
		receipt
		err error
	}
	done := make(chan result, n)
	for i := range n {
		if !s.begin() {
			return receipt{}, errStopped
		}
		go func() {
			defer s.end()
			each, cancel := context.WithTimeoutCause(s.ctx, s.opt.AckTimeout, errNoAck)
			defer cancel()
			r, err := run(each, i)
			done <- result{r, err}
		}()
	}
	var last result
	for range n {
		select {
		case last = <-done:
			if last.err == nil {
				return last.receipt, nil
			}
		case <-ctx.Done():
			return receipt{}, fmt.Errorf("delivering to the app: %w", context.Cause(ctx))
		}
	}
	return last.receipt, last.err
}

// DeliverHTTP delivers from now on by signed HTTP POST to baseURL followed by
// /slack/commands, /slack/interactions, /slack/options or /slack/events.
// Socket Mode is off then and open sockets are closed; an empty baseURL
// switches it on again.
func (s *Sim) DeliverHTTP(baseURL string) {
	s.mu.Lock()
	s.httpBase = baseURL
	sockets := append([]*socket(nil), s.sockets...)
	s.mu.Unlock()
	if baseURL == "" {
		return
	}
	for _, k := range sockets {
		k.disconnect("link_disabled")
	}
}

// DuplicateNext delivers the next payload n times, as Slack sometimes does:
// with the same envelope id, on different sockets when there are several.
func (s *Sim) DuplicateNext(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.copies = max(n, 1)
}

// sendEvent delivers an event in the background, and again when it is not
// acknowledged.
func (s *Sim) sendEvent(event object) {
	s.mu.Lock()
	p := parcel{envelope: "events_api", path: "/slack/events", payload: object{
		"type": "event_callback", "token": "unused", "team_id": s.space.TeamID, "api_app_id": s.space.AppID,
		"event": event, "event_id": "Ev" + s.token(5), "event_time": s.opt.Now().Unix(), "is_ext_shared_channel": false,
		"authorizations": []any{object{
			"team_id": s.space.TeamID, "user_id": s.space.BotUserID, "is_bot": true, "is_enterprise_install": false,
		}},
	}}
	s.mu.Unlock()
	if !s.begin() {
		return
	}
	go func() {
		defer s.end()
		s.pushEvent(p)
	}()
}

func (s *Sim) pushEvent(p parcel) {
	for {
		r, err := s.deliver(s.ctx, p)
		if err == nil || r.noRetry || p.attempt == len(s.opt.EventRetries) {
			return
		}
		p.reason = retryReason(err)
		wait := time.NewTimer(s.opt.EventRetries[p.attempt])
		p.attempt++
		select {
		case <-wait.C:
		case <-s.ctx.Done():
			wait.Stop()
			return
		}
	}
}

func retryReason(err error) string {
	switch {
	case errors.Is(err, errNoEndpoint):
		return "connection_failed"
	case errors.Is(err, errServerFault), errors.Is(err, errClientFault):
		return "http_error"
	default:
		return "http_timeout"
	}
}
