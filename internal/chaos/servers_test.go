package chaos

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/slackbridge/slackbridge/internal/demo"
)

// The servers, by the name that the servers file gives them. All are the demo
// server; they differ in how they ask and how they are reached.
const (
	serverDurable = "durable" // 2026-07-28 over HTTP
	serverHTTP    = "web"     // 2025-11-25 over HTTP
	serverChild   = "child"   // 2025-11-25, a child process of the replica
)

const (
	childVariable   = "CHAOS_CHILD" // makes this program a child server; a directory
	replicaVariable = "CHAOS_REPLICA"
)

// serveAsChild is the demo server as a child of a replica.
func serveAsChild(dir string) int {
	pid := strconv.Itoa(os.Getpid())
	f, err := os.OpenFile(filepath.Join(dir, "child-"+pid+".jsonl"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	l := &childLog{w: f, base: wireEvent{Server: serverChild, Replica: os.Getenv(replicaVariable), Conn: serverChild + "/" + pid}}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, func() { l.keep(dirEnd, nil) })
	if err := demo.Serve(ctx, demo.ServerOptions{In: l.reader(os.Stdin), Out: l.writer(os.Stdout)}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// servers are the MCP servers that outlive the replicas.
type servers struct {
	wire *wireLog
	web  *httptest.Server // of the blocking era
	dur  *httptest.Server
	file string
}

func startServers(t *testing.T, dir string) *servers {
	t.Helper()
	s := &servers{wire: &wireLog{dir: dir}}
	s.web = httptest.NewServer(s.wire.record(serverHTTP, demo.Handler(demo.ServerOptions{})))
	s.dur = httptest.NewServer(s.wire.record(serverDurable, demo.Handler(demo.ServerOptions{})))
	t.Cleanup(func() {
		for _, srv := range []*httptest.Server{s.web, s.dur} {
			srv.CloseClientConnections()
			srv.Close()
		}
	})
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	who := "${" + replicaVariable + "}"
	raw, err := json.Marshal(map[string]any{"mcpServers": map[string]any{
		serverDurable: map[string]any{"type": "http", "url": s.dur.URL, "headers": map[string]string{replicaHeader: who}},
		serverHTTP:    map[string]any{"type": "http", "url": s.web.URL, "protocol": "2025-11-25", "headers": map[string]string{replicaHeader: who}},
		serverChild: map[string]any{"command": self, "protocol": "2025-11-25", "env": map[string]string{
			childVariable: dir, replicaVariable: who,
		}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	s.file = filepath.Join(dir, "mcp.json")
	if err := os.WriteFile(s.file, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	return s
}

// dropConnections cuts every connection to a server over HTTP, as a proxy
// between does when it restarts.
func (s *servers) dropConnections(name string) {
	if name == serverDurable {
		s.dur.CloseClientConnections()
		return
	}
	s.web.CloseClientConnections()
}

// killAChild ends one child server that lives, if there is one.
func (s *servers) killAChild(pick func(n int) int) (string, error) {
	events, err := s.wire.all()
	if err != nil {
		return "", err
	}
	var pids []int
	seen := map[string]bool{}
	for _, e := range events {
		if e.Server != serverChild || seen[e.Conn] {
			continue
		}
		seen[e.Conn] = true
		if pid := childPID(e.Conn); alive(pid) {
			pids = append(pids, pid)
		}
	}
	if len(pids) == 0 {
		return "none lived", nil
	}
	pid := pids[pick(len(pids))]
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		return "", fmt.Errorf("killing child server %d: %w", pid, err)
	}
	s.wire.add(wireEvent{Server: serverChild, Conn: serverChild + "/" + strconv.Itoa(pid), Dir: dirEnd}) // it cannot say so itself
	return strconv.Itoa(pid), nil
}

func childPID(conn string) int {
	pid, err := strconv.Atoi(filepath.Base(conn))
	if err != nil {
		return 0
	}
	return pid
}

func alive(pid int) bool { return pid > 0 && syscall.Kill(pid, 0) == nil }

// deadlines are how long questions stay open. They are short: a run does not
// wait for minutes.
type deadlines struct{ form, confirm, durable time.Duration }

func (d deadlines) policy() string {
	return fmt.Sprintf("defaults:\n  deadlines: {form: %s, confirm: %s, url: %s, durable: %s}\n", d.form, d.confirm, d.form, d.durable)
}
