package mcpclient

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/slackbridge/slackbridge/elicit"
)

// Host runs tools on the servers of the servers file. It is safe for
// concurrent use. End it with Close.
type Host struct {
	o       Options
	servers []*server
	client  *http.Client

	life context.Context //nolint:containedctx // ends calls and the janitor when the host is closed
	stop context.CancelCauseFunc
	hard context.Context //nolint:containedctx // ends the orderly ends of connections when Close runs out of time
	now  context.CancelFunc
	work sync.WaitGroup // calls, connections on their way out, the janitor

	randMu sync.Mutex // o.Rand need not be safe for concurrent use

	mu     sync.Mutex
	closed bool
	pools  map[poolKey]*pool
}

// server is one server of the servers file and what was learnt about it.
type server struct {
	cfg serverConfig

	mu           sync.Mutex
	protocol     string // of the last connection; empty before
	instructions string // of the last connection
	err          error  // why the last attempt to connect failed; nil when it did not
	tools        *toolList

	listening atomic.Bool // a connection hears of changes
	deaf      atomic.Bool // it refused to tell of them
}

// New returns a Host. It connects to nothing yet: a server that is down
// concerns only its own calls.
func New(o Options) (*Host, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	h := &Host{o: o, client: newHTTPClient(), pools: map[poolKey]*pool{}}
	for _, c := range o.Servers.list {
		h.servers = append(h.servers, &server{cfg: c})
	}
	h.life, h.stop = context.WithCancelCause(context.Background())
	h.hard, h.now = context.WithCancel(context.Background())
	h.work.Go(h.janitor)
	return h, nil
}

// Servers lists the servers in the file's order with what is known of each.
func (h *Host) Servers() []elicit.ServerState {
	out := make([]elicit.ServerState, len(h.servers))
	for i, s := range h.servers {
		s.mu.Lock()
		out[i] = elicit.ServerState{Name: s.cfg.name, Transport: s.cfg.transport(), Protocol: s.protocol, Instructions: s.instructions, Err: s.err}
		s.mu.Unlock()
		if out[i].Protocol != "" {
			out[i].Era = eraOf(out[i].Protocol)
		}
	}
	return out
}

func (h *Host) server(name string) (*server, error) {
	i := slices.IndexFunc(h.servers, func(s *server) bool { return s.cfg.name == name })
	if i < 0 {
		return nil, &UnknownServerError{Server: name, Known: h.o.Servers.Names()}
	}
	return h.servers[i], nil
}

// enter counts work that Close waits for. leave must be called when it is nil.
func (h *Host) enter() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return elicit.ErrShutdown
	}
	h.work.Add(1)
	return nil
}

func (h *Host) leave() { h.work.Done() }

// within is ctx, ended by the end of the host as well, with its cause.
func (h *Host) within(ctx context.Context) (context.Context, context.CancelCauseFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	release := context.AfterFunc(h.life, func() { cancel(context.Cause(h.life)) })
	return ctx, func(cause error) { release(); cancel(cause) }
}

// Close ends calls that still run, cause elicit.ErrShutdown, and then all
// connections, in parallel: sessions are ended, children get time to go. When
// ctx ends, what is left is ended at once.
func (h *Host) Close(ctx context.Context) error {
	h.mu.Lock()
	h.closed = true
	h.mu.Unlock()
	h.stop(elicit.ErrShutdown)
	h.closeIdle(func(*conn) bool { return true })
	done := make(chan struct{})
	go func() {
		h.work.Wait()
		close(done)
	}()
	var err error
	select {
	case <-done:
	case <-ctx.Done():
		h.now()
		<-done
		err = fmt.Errorf("some servers had to be ended at once: %w", context.Cause(ctx))
	}
	h.now()
	h.client.CloseIdleConnections()
	return err
}

// random returns n random bytes as hexadecimal text.
func (h *Host) random(n int) (string, error) {
	raw := make([]byte, n)
	h.randMu.Lock()
	defer h.randMu.Unlock()
	if _, err := io.ReadFull(h.o.Rand, raw); err != nil {
		return "", fmt.Errorf("reading randomness: %w", err)
	}
	return hex.EncodeToString(raw), nil
}

// jitter returns a random duration between half of d and d, so that many
// clients of a server that comes back do not come at once.
func (h *Host) jitter(d time.Duration) time.Duration {
	var raw [8]byte
	h.randMu.Lock()
	defer h.randMu.Unlock()
	if _, err := io.ReadFull(h.o.Rand, raw[:]); err != nil || d < 2 {
		return d
	}
	half := uint64(d / 2)
	return d - time.Duration(binary.NativeEndian.Uint64(raw[:])%half) //nolint:gosec // the remainder fits
}

var errHandshakeTimeout = errors.New("it took too long")
