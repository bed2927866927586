// Package bridge is the use case of slackbridge: a call runs for a Slack user,
// its server asks, a person decides, and the decision goes back on the request
// that waits.
//
// What it keeps true: a question is stored before it can be seen; it goes only
// to the origin of its own call; exactly one decision counts, the one that the
// Ledger recorded; nothing is answered that was not recorded; whoever loses a
// race, comes too late or may not answer is told so; and an ended question
// shows its end, without buttons and without values.
//
// It declares the small interfaces that it needs (ports.go) and imports no
// vendor SDK. It knows neither Redis nor MCP nor the form of a Slack payload.
package bridge

import (
	"context"
	"encoding/base32"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"time"

	"github.com/slackbridge/slackbridge/elicit"
	"github.com/slackbridge/slackbridge/policy"
)

// Options configure a Bridge. All fields are needed unless they say otherwise.
type Options struct {
	Replica elicit.ReplicaID
	Team    string // the workspace that the bot is installed in
	Ledger  Ledger
	Slack   Messenger
	Host    Host
	Audit   Recorder
	Policy  *policy.Policy // nil: policy.Default()
	Now     func() time.Time
	Rand    io.Reader // ids: must be unpredictable
	Log     *slog.Logger
	Meter   Meter  // nil: nothing is counted
	Tracer  Tracer // nil: nothing is traced

	// AutoOpen is how long after a person's own command a question of that
	// call still opens its form by itself. 0 never opens one.
	AutoOpen time.Duration
	// After is time.After unless a test needs another.
	After func(time.Duration) <-chan time.Time
}

func (o Options) validate() error {
	var errs []error
	for name, missing := range map[string]bool{
		"Replica": o.Replica == "", "Team": o.Team == "", "Ledger": o.Ledger == nil, "Slack": o.Slack == nil,
		"Host": o.Host == nil, "Audit": o.Audit == nil, "Now": o.Now == nil, "Rand": o.Rand == nil, "Log": o.Log == nil,
	} {
		if missing {
			errs = append(errs, fmt.Errorf("bridge: %s is not set", name))
		}
	}
	return errors.Join(errs...)
}

// Bridge runs calls and settles their questions. It is safe for concurrent use.
type Bridge struct {
	o Options

	// base is the life of the calls: they outlive the command that started
	// them and end with the bridge.
	base     context.Context //nolint:containedctx // governs the goroutines that work counts
	stop     context.CancelCauseFunc
	stopping chan struct{} // closed when open questions must end (Drain)
	work     crew

	mu      sync.Mutex
	waiters map[elicit.PendingID]chan settled
	calls   map[elicit.CallID]*call
	links   map[linkKey]opened       // pages that servers are still to finish
	forms   map[elicit.User]openForm // the form that a person has open, as far as this replica knows
}

// New returns a Bridge that is ready for commands. End it with Drain.
func New(o Options) (*Bridge, error) {
	if err := o.validate(); err != nil {
		return nil, err
	}
	if o.Policy == nil {
		o.Policy = policy.Default()
	}
	if o.After == nil {
		o.After = time.After
	}
	if o.Meter == nil {
		o.Meter = unwatched{}
	}
	if o.Tracer == nil {
		o.Tracer = unwatched{}
	}
	base, stop := context.WithCancelCause(context.Background())
	return &Bridge{
		o: o, base: base, stop: stop,
		stopping: make(chan struct{}),
		waiters:  map[elicit.PendingID]chan settled{},
		calls:    map[elicit.CallID]*call{},
		links:    map[linkKey]opened{},
		forms:    map[elicit.User]openForm{},
	}, nil
}

// newID returns 128 unguessable bits as lower-case text.
func (b *Bridge) newID() (string, error) {
	var raw [16]byte
	if _, err := io.ReadFull(b.o.Rand, raw[:]); err != nil {
		return "", fmt.Errorf("making an id: %w", err)
	}
	return base32.HexEncoding.WithPadding(base32.NoPadding).EncodeToString(raw[:]), nil
}

// Drain ends the bridge in order: no new calls from now on; open questions may
// still be answered for as long as wait; then each is answered cancel, reason
// shutdown, calls get a moment to finish, and what still runs is stopped. It
// returns when everything has ended, or when ctx ends.
func (b *Bridge) Drain(ctx context.Context, wait time.Duration) error {
	b.work.close()
	defer b.stop(elicit.ErrShutdown)
	done := b.work.idle()
	select {
	case <-done:
		return nil
	case <-b.o.After(wait):
	case <-ctx.Done():
	}
	close(b.stopping)
	const grace = 3 * time.Second // for servers to answer what was cancelled
	select {
	case <-done:
		return nil
	case <-b.o.After(grace):
	case <-ctx.Done():
	}
	b.stop(elicit.ErrShutdown)
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("ending the calls that still run: %w", context.Cause(ctx))
	}
}
