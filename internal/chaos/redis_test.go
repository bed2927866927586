package chaos

import (
	"context"
	"fmt"
	"io"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/slackbridge/slackbridge/internal/redistest"
)

// store is Redis as the replicas know it: one address, behind which a standby
// takes over when the master dies, as hosted Redis does it.
type store struct {
	t       *testing.T
	proxy   *proxy
	master  *redistest.Server
	standby *redistest.Server
}

func startStore(t *testing.T) *store {
	t.Helper()
	durable := []string{"--appendonly", "yes", "--appendfsync", "always", "--repl-diskless-sync-delay", "0"}
	s := &store{t: t, master: redistest.Start(t, durable...), standby: redistest.Start(t, durable...)}
	s.proxy = startProxy(t, s.master.Addr)
	s.follow()
	return s
}

func (s *store) url() string { return "redis://" + s.proxy.addr }

// do runs one command on a server directly.
func (s *store) do(addr string, args ...any) (string, error) {
	c := redis.NewClient(&redis.Options{Addr: addr, MaxRetries: -1})
	defer c.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	out, err := c.Do(ctx, args...).Result()
	return fmt.Sprint(out), err
}

// follow makes the standby a replica of the master, and waits until it is one.
func (s *store) follow() {
	s.t.Helper()
	host, port, err := net.SplitHostPort(s.master.Addr)
	if err == nil {
		_, err = s.do(s.standby.Addr, "REPLICAOF", host, port)
	}
	if err != nil {
		s.t.Fatalf("making a standby of Redis: %v", err)
	}
	for until := time.Now().Add(10 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		// WAIT for what has just been written proves that the standby has it.
		if _, err := s.do(s.master.Addr, "SET", "chaos", "1", "EX", "5"); err == nil {
			if n, err := s.do(s.master.Addr, "INFO", "replication"); err == nil && contains(n, "state=online") {
				return
			}
		}
		if time.Now().After(until) {
			s.t.Fatal("the standby of Redis does not follow")
		}
	}
}

// failover kills the master and lets the standby take its place.
func (s *store) failover() {
	s.t.Helper()
	s.master.Stop()
	s.proxy.drop()
	if _, err := s.do(s.standby.Addr, "REPLICAOF", "NO", "ONE"); err != nil {
		s.t.Fatalf("promoting the standby of Redis: %v", err)
	}
	s.master, s.standby = s.standby, s.master
	s.proxy.to(s.master.Addr)
	s.standby.Restart()
	s.follow()
}

// proxy hands connections on to whatever is behind it at the moment.
type proxy struct {
	addr   string
	listen net.Listener

	mu     sync.Mutex
	target string
	conns  map[net.Conn]bool
	closed bool
	work   sync.WaitGroup
}

func startProxy(t *testing.T, target string) *proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{addr: l.Addr().String(), listen: l, target: target, conns: map[net.Conn]bool{}}
	p.work.Go(p.accept)
	t.Cleanup(func() {
		p.mu.Lock()
		p.closed = true
		p.mu.Unlock()
		_ = l.Close()
		p.drop()
		p.work.Wait()
	})
	return p
}

func (p *proxy) accept() {
	for {
		c, err := p.listen.Accept()
		if err != nil {
			return
		}
		p.mu.Lock()
		target := p.target
		p.mu.Unlock()
		p.work.Go(func() { p.serve(c, target) })
	}
}

func (p *proxy) serve(c net.Conn, target string) {
	defer c.Close()
	back, err := net.DialTimeout("tcp", target, time.Second)
	if err != nil {
		return
	}
	defer back.Close()
	p.mu.Lock()
	if p.closed || p.target != target {
		p.mu.Unlock()
		return
	}
	p.conns[c], p.conns[back] = true, true
	p.mu.Unlock()
	defer func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.conns, c)
		delete(p.conns, back)
	}()
	var both sync.WaitGroup
	for _, way := range [][2]net.Conn{{c, back}, {back, c}} {
		both.Go(func() {
			_, _ = io.Copy(way[0], way[1]) // either end may go at any time
			_ = c.Close()
			_ = back.Close()
		})
	}
	both.Wait()
}

// drop cuts every connection.
func (p *proxy) drop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.conns {
		_ = c.Close()
	}
}

func (p *proxy) to(target string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.target = target
}
