package slackapp

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/slackbridge/slackbridge/blockkit"
)

// naps is a clock that moves only when somebody waits.
type naps struct {
	mu    sync.Mutex
	at    time.Time
	waits []time.Duration
}

func (n *naps) now() time.Time {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.at.IsZero() {
		n.at = noon
	}
	return n.at
}

func (n *naps) sleep(ctx context.Context, d time.Duration) error {
	n.now()
	n.mu.Lock()
	n.at = n.at.Add(d)
	n.waits = append(n.waits, d)
	n.mu.Unlock()
	return ctx.Err()
}

func (n *naps) all() []time.Duration {
	n.mu.Lock()
	defer n.mu.Unlock()
	return append([]time.Duration(nil), n.waits...)
}

// recorder is a Handler that keeps what it is asked.
type recorder struct {
	mu       sync.Mutex
	commands []blockkit.Command
	clicks   []blockkit.Click
	submits  []blockkit.Submission
	closed   []blockkit.Closing
	searches []blockkit.Search

	reply   blockkit.SubmitReply
	found   []blockkit.Option
	block   chan struct{} // when set, Click waits for it
	panicky bool
	changed chan struct{}
}

func (r *recorder) note(add func()) {
	r.mu.Lock()
	add()
	changed := r.changed
	r.changed = nil
	r.mu.Unlock()
	if changed != nil {
		close(changed)
	}
}

func (r *recorder) Command(_ context.Context, c blockkit.Command) {
	r.note(func() { r.commands = append(r.commands, c) })
}

func (r *recorder) Click(_ context.Context, c blockkit.Click) {
	if r.block != nil {
		<-r.block
	}
	r.note(func() { r.clicks = append(r.clicks, c) })
	if r.panicky {
		panic("boom")
	}
}

func (r *recorder) Submit(_ context.Context, s blockkit.Submission) blockkit.SubmitReply {
	r.note(func() { r.submits = append(r.submits, s) })
	if r.panicky {
		panic("boom")
	}
	return r.reply
}

func (r *recorder) Closed(_ context.Context, c blockkit.Closing) {
	r.note(func() { r.closed = append(r.closed, c) })
}

func (r *recorder) Search(_ context.Context, s blockkit.Search) []blockkit.Option {
	r.note(func() { r.searches = append(r.searches, s) })
	return r.found
}

func (r *recorder) total() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.commands) + len(r.clicks) + len(r.submits) + len(r.closed) + len(r.searches)
}

// wait returns when n handlers have run.
func (r *recorder) wait(t *testing.T, n int) {
	t.Helper()
	deadline := time.After(20 * time.Second)
	for {
		r.mu.Lock()
		have := len(r.commands) + len(r.clicks) + len(r.submits) + len(r.closed) + len(r.searches)
		if r.changed == nil {
			r.changed = make(chan struct{})
		}
		changed := r.changed
		r.mu.Unlock()
		if have >= n {
			return
		}
		select {
		case <-changed:
		case <-deadline:
			t.Fatalf("%d handlers ran, want %d", have, n)
		}
	}
}

// api plays the Web API: each method answers what its func says.
type api struct {
	mu      sync.Mutex
	calls   map[string]int
	answers map[string]func(call int, w http.ResponseWriter, r *http.Request)
}

func newAPI(t *testing.T, answers map[string]func(int, http.ResponseWriter, *http.Request)) (*api, string) {
	t.Helper()
	a := &api{calls: map[string]int{}, answers: answers}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		method := r.URL.Path[len("/api/"):]
		a.mu.Lock()
		a.calls[method]++
		n := a.calls[method]
		a.mu.Unlock()
		if answer := a.answers[method]; answer != nil {
			answer(n, w, r)
			return
		}
		fmt.Fprint(w, `{"ok":true,"channel":"C1","ts":"1.1","view":{"id":"V1"}}`)
	}))
	t.Cleanup(srv.Close)
	return a, srv.URL + "/api/"
}

func (a *api) count(method string) int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.calls[method]
}

func says(body string) func(int, http.ResponseWriter, *http.Request) {
	return func(_ int, w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, body) }
}

// firstly answers once with first and then with success.
func firstly(first func(http.ResponseWriter, *http.Request)) func(int, http.ResponseWriter, *http.Request) {
	return func(n int, w http.ResponseWriter, r *http.Request) {
		if n == 1 {
			first(w, r)
			return
		}
		fmt.Fprint(w, `{"ok":true,"channel":"C1","ts":"1.1","view":{"id":"V1"}}`)
	}
}
