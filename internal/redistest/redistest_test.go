package redistest

import (
	"context"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

func client(t *testing.T, addr string) *redis.Client {
	t.Helper()
	c := redis.NewClient(&redis.Options{Addr: addr, MaxRetries: -1, ContextTimeoutEnabled: true})
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func incrOf(key string) func(Request) bool {
	return func(r Request) bool { return r.Is("incr") && r.Has(key) }
}

func TestProxy_CutRequestNeverReachesTheServer(t *testing.T) {
	srv := Start(t)
	p := StartProxy(t, srv)
	c := client(t, p.Addr)
	struck := p.CutRequest(incrOf("n"), 10)
	if err := c.Incr(t.Context(), "other").Err(); err != nil {
		t.Errorf("a request that was not meant: %v", err)
	}
	if err := c.Incr(t.Context(), "n").Err(); err == nil {
		t.Error("the cut request was answered")
	}
	<-struck
	if n, err := c.Exists(t.Context(), "n").Result(); n != 0 || err != nil {
		t.Errorf("the cut request was run: %d, %v", n, err)
	}
}

func TestProxy_CutReplyWasRunAndIsNotAnswered(t *testing.T) {
	srv := Start(t)
	p := StartProxy(t, srv)
	c := client(t, p.Addr)
	struck := p.CutReply(incrOf("n"))
	if err := c.Incr(t.Context(), "n").Err(); err == nil {
		t.Error("the cut request was answered")
	}
	<-struck
	if got, err := c.Get(t.Context(), "n").Result(); got != "1" || err != nil {
		t.Errorf("n is %q, %v; want it to be counted once", got, err)
	}
}

func TestProxy_DelayedRequestIsRunAfterItsClientGaveUp(t *testing.T) {
	srv := Start(t)
	p := StartProxy(t, srv)
	c := client(t, p.Addr)
	if err := c.Ping(t.Context()).Err(); err != nil {
		t.Fatal(err)
	}
	p.Delay(300*time.Millisecond, 0)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := c.Incr(ctx, "n").Err(); err == nil {
		t.Error("a delayed request was answered in time")
	}
	p.Delay(0, 0)
	await(t, "the late request is run", func(ctx context.Context) bool {
		return client(t, srv.Addr).Get(ctx, "n").Val() == "1"
	})
}

func TestProxy_ComesBackAfterItWasDownOrDeaf(t *testing.T) {
	srv := Start(t)
	p := StartProxy(t, srv)
	c := client(t, p.Addr)
	works := func() bool {
		ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
		defer cancel()
		return c.Ping(ctx).Err() == nil
	}
	for name, fault := range map[string]struct{ begin, end func() }{
		"down": {p.Down, p.Up},
		"deaf": {func() { p.Blackhole(true) }, func() { p.Blackhole(false) }},
	} {
		fault.begin()
		if works() {
			t.Errorf("%s: it answers", name)
		}
		fault.end()
		await(t, "it answers after it was "+name, func(context.Context) bool { return works() })
	}
}

func TestTopologies_PromoteAReplica(t *testing.T) {
	if testing.Short() {
		t.Skip("slow: starts twelve servers")
	}
	t.Run("sentinel", func(t *testing.T) {
		t.Parallel()
		s := StartSentinel(t)
		old := s.KillMaster()
		if now := s.WaitPromoted(old); now.Do("SET", "k", "v") != "OK" {
			t.Errorf("the new master %s takes no writes", now.Addr)
		}
	})
	t.Run("cluster", func(t *testing.T) {
		t.Parallel()
		c := StartCluster(t)
		old := c.KillMasterOf("k")
		if now := c.WaitPromoted("k", old); now.Do("SET", "k", "v") != "OK" {
			t.Errorf("the new master %s takes no writes", now.Addr)
		}
	})
}
