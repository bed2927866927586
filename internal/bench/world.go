package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"
)

// world is everything around the bots of one group: a Redis, Slack and the MCP
// servers. Questions are known by a number that stands in their text.
type world struct {
	bin      string
	dir      string
	profiles string
	redis    *redisServer
	slack    *slackFake
	mcp      *mcpFake
	servers  string // servers file
	policy   string
	client   *http.Client // of Slack's deliveries
	closers  []func()

	mu    sync.Mutex
	known map[int]*question
	last  int
}

// policyText lets questions wait for as long as a run may take.
const policyText = "defaults: {deadlines: {form: 1h, confirm: 1h, durable: 1h}}\n"

func (b *bench) world(ctx context.Context) (_ *world, err error) {
	dir, err := os.MkdirTemp(b.dir, "world-")
	if err != nil {
		return nil, err
	}
	w := &world{bin: b.bin, dir: dir, profiles: b.o.profiles, known: map[int]*question{}}
	defer func() {
		if err != nil {
			w.close()
		}
	}()
	tr := &http.Transport{MaxIdleConnsPerHost: 1024, MaxIdleConns: 4096}
	w.client = &http.Client{Transport: tr, Timeout: time.Minute}
	w.closers = append(w.closers, tr.CloseIdleConnections)
	if w.redis, err = startRedis(ctx, dir); err != nil {
		return nil, err
	}
	w.closers = append(w.closers, w.redis.stop)
	w.slack = &slackFake{w: w, opened: map[string]chan time.Time{}}
	if w.slack.url, err = w.serve(w.slack); err != nil {
		return nil, err
	}
	w.mcp = &mcpFake{w: w}
	mcpURL, err := w.serve(w.mcp)
	if err != nil {
		return nil, err
	}
	entries := map[string]any{}
	for name, protocol := range map[string]string{eraBlocking: "2025-11-25", eraStanding: "2025-11-25", eraDurable: "2026-07-28"} {
		entries[name] = map[string]any{"type": "http", "url": mcpURL + "/" + name, "protocol": protocol, "timeout": "2h"}
	}
	raw, err := json.Marshal(map[string]any{"mcpServers": entries})
	if err != nil {
		return nil, err
	}
	w.servers, w.policy = filepath.Join(dir, "mcp.json"), filepath.Join(dir, "policy.yaml")
	return w, errors.Join(os.WriteFile(w.servers, raw, 0o600), os.WriteFile(w.policy, []byte(policyText), 0o600))
}

// serve gives a fake an address until the world ends.
func (w *world) serve(h http.Handler) (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	srv := &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = srv.Serve(l) }() // ends with Close
	w.closers = append(w.closers, func() { _ = srv.Close() })
	return "http://" + l.Addr().String(), nil
}

// bot starts a replica that ends with the world.
func (w *world) bot(ctx context.Context, name string, env ...string) (*bot, error) {
	bot, err := startBot(ctx, w, name, env...)
	if err == nil {
		w.closers = append(w.closers, bot.kill)
	}
	return bot, err
}

// close ends the world, bots first.
func (w *world) close() {
	for i := len(w.closers) - 1; i >= 0; i-- {
		w.closers[i]()
	}
	w.closers = nil
}

// Names of the servers, by how they ask.
const (
	eraBlocking = "blocking" // answers a GET with 405
	eraStanding = "standing" // blocking, with a standing stream for each session
	eraDurable  = "durable"
)

// question is one call and what it asks.
type question struct {
	n             int
	user, channel string

	// Set before posted is closed.
	pending    string // id, from the button of its card
	card, root string // ts of the card, and of the message that it hangs under

	posted   chan struct{}  // the card stands
	answer   chan time.Time // when the answer reached the MCP server
	finished chan struct{}  // the result is posted

	cardOnce, endOnce sync.Once
	reply             chan struct{} // wakes the stream of the blocking era
}

// channels is how many channels the calls are spread over: Slack, and so the
// bot, lets one message a second into a channel, and a call posts three.
const channels = 4000

// perUser is how many calls one person has at a time; a connection of the
// blocking era carries one, and the bot allows four.
const perUser = 4

// people is how many persons have calls of the durable era.
const people = 500

// newQuestion makes the next question.
func (w *world) newQuestion(era string) *question {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.last++
	n := w.last
	user := n / perUser
	if era == eraDurable {
		user = n % people
	}
	q := &question{
		n: n, user: fmt.Sprintf("U%05d", user), channel: fmt.Sprintf("C%05d", n%channels),
		posted: make(chan struct{}), answer: make(chan time.Time, 1), finished: make(chan struct{}), reply: make(chan struct{}, 1),
	}
	w.known[n] = q
	return q
}

func (w *world) question(n int) *question {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.known[n]
}

func (w *world) forget(q *question) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.known, q.n)
}

// patience is how long anything may take before the run is given up.
const patience = 60 * time.Second

func await[T any](ctx context.Context, what string, c <-chan T) (T, error) {
	t := time.NewTimer(patience)
	defer t.Stop()
	var zero T
	select {
	case v := <-c:
		return v, nil
	case <-t.C:
		return zero, fmt.Errorf("waited %s in vain for %s", patience, what)
	case <-ctx.Done():
		return zero, context.Cause(ctx)
	}
}

// outstanding bounds the calls that wait for their card. A card follows its
// heading after the second that Slack wants between two messages.
const outstanding = 1000

// ask makes n calls on a bot and returns when all their questions stand.
func (w *world) ask(ctx context.Context, b *bot, era string, n int) ([]*question, error) {
	return w.each(ctx, n, outstanding, func(ctx context.Context, _ int) (*question, error) { return w.askOne(ctx, b, era) })
}

func (w *world) askOne(ctx context.Context, b *bot, era string) (*question, error) {
	q := w.newQuestion(era)
	if err := w.slack.command(ctx, b, q, fmt.Sprintf("%s.ask n=%d", era, q.n)); err != nil {
		return q, err
	}
	_, err := await(ctx, fmt.Sprintf("the card of question %d; the bot's last words: %s", q.n, b.lastWords()), q.posted)
	return q, err
}

// each runs f n times, at most so many at once, and stops at the first error.
func (w *world) each(ctx context.Context, n, atOnce int, f func(context.Context, int) (*question, error)) ([]*question, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	out := make([]*question, n)
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(n, atOnce) {
		wg.Go(func() {
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				q, err := f(ctx, i)
				if err != nil {
					cancel(err)
					return
				}
				out[i] = q
			}
		})
	}
	wg.Wait()
	return out, context.Cause(ctx)
}
