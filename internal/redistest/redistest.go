// Package redistest starts real Redis servers for tests.
package redistest

import (
	"context"
	"fmt"
	"net"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

// Server is a redis-server child of a test, on a free port of the loopback.
type Server struct {
	Addr string // host:port
	URL  string // redis://host:port

	tb   testing.TB
	dir  string
	args []string
	cmd  *exec.Cmd
}

// Start runs a Redis until the test ends. Without redis-server the test fails
// and says what to install. More arguments go to redis-server as they are.
func Start(tb testing.TB, args ...string) *Server {
	tb.Helper()
	if _, err := exec.LookPath("redis-server"); err != nil {
		tb.Fatal("redis-server is not installed: `make deps` installs it, or apt-get install redis-server, or brew install redis")
	}
	s := &Server{tb: tb, dir: tb.TempDir(), args: args}
	s.Addr = freeAddress(tb)
	s.URL = "redis://" + s.Addr
	s.run()
	tb.Cleanup(s.Stop)
	return s
}

func freeAddress(tb testing.TB) string {
	tb.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

func (s *Server) run() {
	s.tb.Helper()
	host, port, err := net.SplitHostPort(s.Addr)
	if err != nil {
		s.tb.Fatal(err)
	}
	args := append([]string{"--bind", host, "--port", port, "--dir", s.dir, "--save", "", "--appendonly", "no", "--loglevel", "warning"}, s.args...)
	s.cmd = exec.Command("redis-server", args...)
	if err := s.cmd.Start(); err != nil {
		s.tb.Fatalf("starting redis-server: %v", err)
	}
	c := redis.NewClient(&redis.Options{Addr: s.Addr, MaxRetries: -1})
	defer c.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	for c.Ping(ctx).Err() != nil {
		select {
		case <-ctx.Done():
			s.tb.Fatalf("redis-server on %s did not answer", s.Addr)
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// Stop kills the server, as a crash would.
func (s *Server) Stop() {
	if s.cmd == nil {
		return
	}
	_ = s.cmd.Process.Signal(syscall.SIGCONT) // a paused one as well; it may be gone already
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait()
	s.cmd = nil
}

// Restart starts the server again on the same address. It holds what it had
// persisted: nothing, unless the arguments of Start say otherwise.
func (s *Server) Restart() {
	s.tb.Helper()
	s.Stop()
	s.run()
}

// Pause stops the process without ending it: connections hang.
func (s *Server) Pause() { s.signal(syscall.SIGSTOP) }

// Resume lets a paused server go on.
func (s *Server) Resume() { s.signal(syscall.SIGCONT) }

func (s *Server) signal(sig syscall.Signal) {
	s.tb.Helper()
	if err := s.cmd.Process.Signal(sig); err != nil {
		s.tb.Fatalf("signalling redis-server: %v", err)
	}
}

// Dump returns every key with everything that it holds, for a search of what
// should not be there.
func (s *Server) Dump(tb testing.TB) string {
	tb.Helper()
	ctx := context.Background()
	c := redis.NewClient(&redis.Options{Addr: s.Addr})
	defer c.Close()
	keys, err := c.Keys(ctx, "*").Result()
	if err != nil {
		tb.Fatalf("dumping Redis: %v", err)
	}
	var b strings.Builder
	for _, k := range keys {
		var content any
		switch typ := c.Type(ctx, k).Val(); typ {
		case "hash":
			content = c.HGetAll(ctx, k).Val()
		case "string":
			content = c.Get(ctx, k).Val()
		case "set":
			content = c.SMembers(ctx, k).Val()
		case "zset":
			content = c.ZRangeWithScores(ctx, k, 0, -1).Val()
		case "stream":
			content = c.XRange(ctx, k, "-", "+").Val()
		case "none": // gone between the two questions
		default:
			tb.Fatalf("dumping Redis: %s is of type %q", k, typ)
		}
		fmt.Fprintf(&b, "%s\n%v\n", k, content)
	}
	return b.String()
}
