package slacksim

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"time"
)

// Tokens of the installed app. They are the same in every Sim and mean
// nothing outside it.
const (
	botToken      = "xoxb-simulated-bot-token"
	appToken      = "xapp-simulated-app-token"
	signingSecret = "simulated-signing-secret"
)

// Sim is a running simulated Slack. All methods may be called at any time from
// any goroutine.
type Sim struct {
	opt    Options
	base   string // "http://host:port"
	server *http.Server
	client *http.Client    // delivers to the app over HTTP
	ctx    context.Context // ends with Close: it governs deliveries and retries
	stop   context.CancelFunc
	jobs   sync.WaitGroup

	randMu sync.Mutex // a reader need not bear concurrent use

	mu        sync.Mutex
	closed    bool
	wake      chan struct{} // closed and replaced at every change
	space     Workspace
	messages  []*message           // in the order of their timestamps
	byTS      map[string]*message  // a timestamp names one message of the workspace
	stamp     int64                // the last timestamp given out, in µs
	lastPost  map[string]time.Time // by channel, for the message limit
	reactions map[string]bool
	calls     []Call
	faults    map[string][]*Fault
	troubles  []string
	triggers  map[string]*trigger
	stacks    map[string][]*stack // by user; the last one is in front
	homes     map[string]*view    // by user
	responses map[string]*responseURL
	opened    map[string][]string // by user: URLs that were opened
	offered   map[offer][]any     // options found by searching
	httpBase  string              // where to deliver; empty means Socket Mode
	sockets   []*socket
	tickets   map[string]bool
	copies    int // how often the next payload is delivered
}

// Start serves a new workspace until Close.
func Start(o Options) (*Sim, error) {
	o = o.withDefaults()
	var lc net.ListenConfig
	ln, err := lc.Listen(context.Background(), "tcp", o.Listen)
	if err != nil {
		return nil, fmt.Errorf("listening for the simulated Slack: %w", err)
	}
	ctx, stop := context.WithCancel(context.Background())
	s := &Sim{
		opt: o, base: "http://" + ln.Addr().String(), ctx: ctx, stop: stop,
		client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}},
		wake:   make(chan struct{}), space: o.Workspace.clone(),
		byTS: map[string]*message{}, lastPost: map[string]time.Time{}, reactions: map[string]bool{},
		faults: map[string][]*Fault{}, triggers: map[string]*trigger{},
		stacks: map[string][]*stack{}, homes: map[string]*view{},
		responses: map[string]*responseURL{}, opened: map[string][]string{},
		offered: map[offer][]any{}, tickets: map[string]bool{}, copies: 1,
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/api/{method}", s.serveAPI)
	mux.HandleFunc("POST /response/{token}", s.serveResponseURL)
	mux.HandleFunc("GET /link", s.serveSocket)
	s.server = &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	s.jobs.Go(func() {
		if err := s.server.Serve(ln); !errors.Is(err, http.ErrServerClosed) {
			o.Log.Error("serving the simulated Slack", "err", err)
		}
	})
	return s, nil
}

// Close disconnects everybody, stops serving and waits for all goroutines.
func (s *Sim) Close() error {
	s.mu.Lock()
	s.closed = true
	sockets := append([]*socket(nil), s.sockets...)
	s.change()
	s.mu.Unlock()
	s.stop()
	for _, k := range sockets {
		k.close()
	}
	err := s.server.Close()
	s.jobs.Wait()
	s.client.CloseIdleConnections()
	if err != nil {
		return fmt.Errorf("closing the simulated Slack: %w", err)
	}
	return nil
}

// APIURL is the base of the Web API; it ends in "/api/".
func (s *Sim) APIURL() string { return s.base + "/api/" }

// BotToken is the token of the installed bot.
func (s *Sim) BotToken() string { return botToken }

// AppToken is the app-level token, for Socket Mode.
func (s *Sim) AppToken() string { return appToken }

// SigningSecret is the secret that HTTP deliveries are signed with.
func (s *Sim) SigningSecret() string { return signingSecret }

// Workspace returns who and what exists now, direct messages included.
func (s *Sim) Workspace() Workspace {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.space.clone()
}

// Wait returns when cond holds. cond is evaluated at once and after every
// change of this Slack; it may call any method.
func (s *Sim) Wait(ctx context.Context, cond func() bool) error {
	for {
		changed := s.Changed()
		if cond() {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return fmt.Errorf("waiting for a change in Slack: %w", context.Cause(ctx))
		}
	}
}

// Changed returns a channel that is closed at the next change.
func (s *Sim) Changed() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.wake
}

// change wakes everybody who waits. The mutex is held.
func (s *Sim) change() {
	close(s.wake)
	s.wake = make(chan struct{})
}

// begin reports whether work may still start; if so, end must follow.
func (s *Sim) begin() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.jobs.Add(1)
	}
	return !s.closed
}

func (s *Sim) end() { s.jobs.Done() }

// Troubles lists why people were shown a generic error, or why an answer of
// the app was dropped: what a developer would like Slack to log.
func (s *Sim) Troubles() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.troubles...)
}

// trouble records why a client shows a generic error.
func (s *Sim) trouble(format string, args ...any) {
	why := fmt.Sprintf(format, args...)
	s.opt.Log.Warn("an answer of the app was not usable", "why", why)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.troubles = append(s.troubles, why)
	s.change()
}

// token returns n random bytes in hex. The mutex need not be held.
func (s *Sim) token(n int) string {
	b := make([]byte, n)
	s.randMu.Lock()
	defer s.randMu.Unlock()
	if _, err := io.ReadFull(s.opt.Rand, b); err != nil {
		s.opt.Log.Error("reading randomness", "err", err)
	}
	return hex.EncodeToString(b)
}

// random returns a number from 0 to below n, which is at most 256.
func (s *Sim) random(n int) int {
	b, err := hex.DecodeString(s.token(1))
	if err != nil {
		return 0
	}
	return int(b[0]) % n
}
