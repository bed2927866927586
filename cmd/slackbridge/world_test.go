package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/slackbridge/slackbridge/internal/redistest"
	"github.com/slackbridge/slackbridge/internal/slacksim"
)

// patience is how long a test waits for what must happen. Nothing is measured
// by it: a test that passes does not come near it.
const patience = time.Minute

// world is a simulated Slack, a real Redis, and replicas of the bot that were
// built the way serve builds them, from the environment.
type world struct {
	t     *testing.T
	sim   *slacksim.Sim
	redis *redistest.Server
	proxy *redistest.Proxy // the way to it, with worldOptions.proxied
	cfg   config
	logs  *syncBuffer
	wire  string // file with what the demo server received, line by line
	audit string
}

// worldOptions are what tests vary. The zero value is Socket Mode, one demo
// server over stdio, and no policy file.
type worldOptions struct {
	http      bool   // Slack's HTTP delivery instead of Socket Mode
	servers   string // servers file; empty: the demo server over stdio
	policy    string
	interval  time.Duration // between two messages of a channel; default: Slack's limit is switched off
	embedded  bool          // the embedded Redis instead of a real one
	redisArgs []string      // further arguments of redis-server
	redisURL  string        // a Redis of the test's own
	proxied   bool          // Redis is reached through a proxy
}

func newWorld(t *testing.T, o worldOptions) *world {
	t.Helper()
	sideBySide(t)
	if o.interval == 0 {
		o.interval = -1
	}
	sim, err := slacksim.Start(slacksim.Options{MessageInterval: o.interval})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := sim.Close(); err != nil {
			t.Errorf("closing the simulator: %v", err)
		}
	})
	dir := t.TempDir()
	w := &world{
		t: t, sim: sim, logs: &syncBuffer{},
		wire: filepath.Join(dir, "wire.jsonl"), audit: filepath.Join(dir, "audit.jsonl"),
	}
	if o.servers == "" {
		o.servers = w.demoServers()
	}
	w.cfg = config{
		BotToken: secret(sim.BotToken()), SlackAPIURL: sim.APIURL(), ServersFile: w.file("mcp.json", o.servers),
		Listen: "127.0.0.1:0", AuditFile: w.audit, LogLevel: "debug", LogFormat: "json",
		messageInterval: o.interval,
	}
	if o.policy != "" {
		w.cfg.PolicyFile = w.file("policy.yaml", o.policy)
	}
	if o.http {
		w.cfg.SigningSecret = secret(sim.SigningSecret())
	} else {
		w.cfg.AppToken = secret(sim.AppToken())
	}
	if !o.embedded {
		if o.redisURL == "" {
			w.redis = redistest.Start(t, o.redisArgs...)
			o.redisURL = w.redis.URL
		}
		if o.proxied {
			w.proxy = redistest.StartProxy(t, w.redis)
			o.redisURL = w.proxy.URL
		}
		w.cfg.RedisURL = secret(o.redisURL)
		w.cfg.SealKeys = secret(base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{7}, 32)))
	}
	return w
}

// besides are the tests that run side by side with others.
var besides sync.Map

// sideBySide lets a test run at the same time as others: most of what it does
// is wait. It may be called again.
func sideBySide(t *testing.T) {
	t.Helper()
	if _, already := besides.LoadOrStore(t, true); !already {
		t.Parallel()
	}
}

// demoServers is a servers file with the demo server as a child process of
// this test binary.
func (w *world) demoServers() string {
	self, err := os.Executable()
	if err != nil {
		w.t.Fatal(err)
	}
	raw, err := json.Marshal(map[string]any{"mcpServers": map[string]any{
		"deploy": map[string]any{"command": self, "args": []string{demoServerCommandName, "--wire", w.wire}, "protocol": "2025-11-25"},
	}})
	if err != nil {
		w.t.Fatal(err)
	}
	return string(raw)
}

func (w *world) file(name, content string) string {
	w.t.Helper()
	path := filepath.Join(filepath.Dir(w.audit), name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		w.t.Fatal(err)
	}
	return path
}

// replica runs one more replica until the test ends, or until stop is called.
func (w *world) replica() (a *app, stop func()) {
	w.t.Helper()
	log := slog.New(slog.NewJSONHandler(w.logs, &slog.HandlerOptions{Level: slog.LevelDebug}))
	a, err := newApp(w.t.Context(), w.cfg, log)
	if err != nil {
		w.t.Fatalf("starting a replica: %v", err)
	}
	if w.cfg.AppToken == "" {
		w.sim.DeliverHTTP("http://" + a.listen.Addr().String())
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(w.t.Context()))
	done := make(chan error, 1)
	go func() { done <- a.run(ctx) }()
	var once sync.Once
	stop = func() {
		once.Do(func() {
			cancel()
			if err := <-done; err != nil {
				w.t.Errorf("a replica ended with: %v", err)
			}
		})
	}
	w.t.Cleanup(stop)
	w.wait("the replica is connected", func() bool { return a.socket == nil || a.socket.Ready() })
	return a, stop
}

// wait returns when cond holds; what it says is for the failure.
func (w *world) wait(what string, cond func() bool) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), patience)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond) // not everything that is waited for changes Slack
	defer tick.Stop()
	for {
		changed := w.sim.Changed()
		if cond() {
			return
		}
		select {
		case <-changed:
		case <-tick.C:
		case <-ctx.Done():
			w.t.Fatalf("waited in vain for: %s\n%s", what, w.situation())
		}
	}
}

// situation is what the people see, for the text of a failure.
func (w *world) situation() string {
	var b strings.Builder
	for _, id := range []string{"U_ANN", "U_BOB"} {
		p := w.sim.Person(id)
		for _, c := range w.sim.Workspace().Channels {
			for _, m := range p.Messages(c.ID) {
				b.WriteString(id + " sees in " + c.ID + ": " + m.Text + "\n")
				for _, r := range p.Thread(c.ID, m.TS) {
					b.WriteString("    " + r.Text + "\n")
				}
			}
		}
		if m, ok := p.Modal(); ok {
			b.WriteString(id + " has a form open: " + m.Title + "\n" + m.Text + "\n")
		}
	}
	b.WriteString(strings.Join(w.sim.Troubles(), "\n"))
	b.WriteString("\nlog:\n" + w.logs.String())
	return b.String()
}

// received lists the results and errors that the demo server was sent for its
// own requests, as raw JSON, in order.
func (w *world) received() []string { return responsesIn(w.t, w.wire) }

func responsesIn(t *testing.T, path string) []string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return responses(string(data))
}

// responses lists what a server was sent in answer to its own requests.
func responses(wire string) []string {
	var out []string
	for line := range strings.Lines(wire) {
		var m struct {
			Method string          `json:"method"`
			Result json.RawMessage `json:"result"`
			Error  json.RawMessage `json:"error"`
		}
		if err := json.Unmarshal([]byte(line), &m); err != nil || m.Method != "" {
			continue // a request of ours, or a line that is still being written
		}
		if m.Error != nil {
			m.Result = m.Error
		}
		out = append(out, string(m.Result))
	}
	return out
}

// syncBuffer is a log that may be written and read at once.
type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *syncBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *syncBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}
