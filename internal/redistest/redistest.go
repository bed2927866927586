// Package redistest starts real Redis servers for tests: one alone, one with
// replicas and sentinels, and a cluster; and a proxy that makes the way to them
// a bad one.
package redistest

import (
	"context"
	"fmt"
	"net"
	"os/exec"
	"slices"
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
	return start(tb, freeAddresses(tb, 1)[0], args...)
}

// start runs a data node at addr.
func start(tb testing.TB, addr string, args ...string) *Server {
	tb.Helper()
	return launch(tb, addr, tb.TempDir(), append([]string{"--save", "", "--appendonly", "no"}, args...))
}

// launch runs redis-server at addr, with args before what every one gets.
func launch(tb testing.TB, addr, dir string, args []string) *Server {
	tb.Helper()
	if _, err := exec.LookPath("redis-server"); err != nil {
		tb.Fatal("redis-server is not installed: `make deps` installs it, or apt-get install redis-server, or brew install redis")
	}
	s := &Server{Addr: addr, URL: "redis://" + addr, tb: tb, dir: dir, args: args}
	s.run()
	tb.Cleanup(s.Stop)
	return s
}

// freeAddresses returns n different ones.
func freeAddresses(tb testing.TB, n int) []string {
	tb.Helper()
	out := make([]string, n)
	for i := range out {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			tb.Fatal(err)
		}
		defer l.Close() // only when all are chosen
		out[i] = l.Addr().String()
	}
	return out
}

func (s *Server) run() {
	s.tb.Helper()
	host, port, err := net.SplitHostPort(s.Addr)
	if err != nil {
		s.tb.Fatal(err)
	}
	args := slices.Concat(s.args, []string{"--bind", host, "--port", port, "--dir", s.dir, "--loglevel", "warning"})
	s.cmd = exec.Command("redis-server", args...)
	if err := s.cmd.Start(); err != nil {
		s.tb.Fatalf("starting redis-server: %v", err)
	}
	await(s.tb, "redis-server on "+s.Addr+" answers", func(ctx context.Context) bool {
		return s.ask(ctx, func(c *redis.Client) error { return c.Ping(ctx).Err() }) == nil
	})
}

// ask runs one question on a connection of its own, which is gone afterwards.
func (s *Server) ask(ctx context.Context, question func(*redis.Client) error) error {
	c := redis.NewClient(&redis.Options{Addr: s.Addr, MaxRetries: -1, DialTimeout: time.Second, ContextTimeoutEnabled: true})
	defer c.Close()
	return question(c)
}

// Do runs a command on this very server, whatever its role. An error fails the
// test.
func (s *Server) Do(args ...any) any {
	s.tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	var out any
	if err := s.ask(ctx, func(c *redis.Client) (err error) { out, err = c.Do(ctx, args...).Result(); return err }); err != nil {
		s.tb.Fatalf("%v on %s: %v", args, s.Addr, err)
	}
	return out
}

// info returns one field of INFO; empty when the server does not answer.
func (s *Server) info(ctx context.Context, field string) string {
	var text string
	if s.ask(ctx, func(c *redis.Client) (err error) { text, err = c.Info(ctx, "everything").Result(); return err }) != nil {
		return ""
	}
	return fieldOf(text, field)
}

// fieldOf reads one line of a reply such as that of INFO.
func fieldOf(text, field string) string {
	for line := range strings.Lines(text) {
		if value, ok := strings.CutPrefix(line, field+":"); ok {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// running reports whether the process was started and not stopped.
func (s *Server) running() bool { return s.cmd != nil }

// patience is how long servers may take for what they do by themselves.
const patience = 30 * time.Second

// await polls until cond holds. Each look has a second.
func await(tb testing.TB, what string, cond func(context.Context) bool) {
	tb.Helper()
	for end := time.Now().Add(patience); ; {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		ok := cond(ctx)
		cancel()
		if ok {
			return
		}
		if time.Now().After(end) {
			tb.Fatalf("waited in vain until %s", what)
		}
		<-time.After(10 * time.Millisecond)
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
