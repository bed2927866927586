package correlate_test

import (
	"context"
	"net"
	"slices"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/slackbridge/slackbridge/correlate"
	"github.com/slackbridge/slackbridge/correlate/correlatetest"
	"github.com/slackbridge/slackbridge/elicit"
	"github.com/slackbridge/slackbridge/internal/redistest"
)

// click is how long a click may wait for Redis.
const click = 2500 * time.Millisecond

// isDecide picks the script that records an accept.
func isDecide(r redistest.Request) bool {
	return (r.Is("evalsha") || r.Is("eval")) && r.Has(string(elicit.Accept))
}

// redisFault is something that Redis suffers, and its end.
type redisFault struct {
	begin, end func(*redistest.Server, *redistest.Proxy)
	late       bool // what was asked during the fault may be done all the same
}

// lasting are the faults that go on until somebody ends them.
var lasting = map[string]redisFault{
	"ReadOnly": {
		begin: func(s *redistest.Server, _ *redistest.Proxy) { s.Do("REPLICAOF", "127.0.0.1", "1") }, // a master that is not there
		end:   func(s *redistest.Server, _ *redistest.Proxy) { s.Do("REPLICAOF", "NO", "ONE") },
	},
	"MemoryFull": {
		begin: func(s *redistest.Server, _ *redistest.Proxy) { s.Do("CONFIG", "SET", "maxmemory", "1") },
		end:   func(s *redistest.Server, _ *redistest.Proxy) { s.Do("CONFIG", "SET", "maxmemory", "100mb") },
	},
	"Unreachable": {
		begin: func(_ *redistest.Server, p *redistest.Proxy) { p.Down() },
		end:   func(_ *redistest.Server, p *redistest.Proxy) { p.Up() },
	},
	"Blackhole": {
		begin: func(_ *redistest.Server, p *redistest.Proxy) { p.Blackhole(true) },
		end:   func(_ *redistest.Server, p *redistest.Proxy) { p.Blackhole(false) },
	},
	"SlowRequests": {
		begin: func(_ *redistest.Server, p *redistest.Proxy) { p.Delay(2*time.Second, 0) },
		end:   func(_ *redistest.Server, p *redistest.Proxy) { p.Delay(0, 0) },
		late:  true,
	},
	"SlowReplies": {
		begin: func(_ *redistest.Server, p *redistest.Proxy) { p.Delay(0, 2*time.Second) },
		end:   func(_ *redistest.Server, p *redistest.Proxy) { p.Delay(0, 0) },
		late:  true,
	},
	"Crashed": {
		begin: func(s *redistest.Server, _ *redistest.Proxy) { s.Stop() },
		end:   func(s *redistest.Server, _ *redistest.Proxy) { s.Restart() },
	},
}

// faulty is a Redis behind a proxy, with an owner that runs and another replica
// that takes the clicks.
func faulty(t *testing.T) (srv *redistest.Server, p *redistest.Proxy, owner *heard, other *correlate.Store) {
	t.Helper()
	srv = redistest.Start(t, "--appendonly", "yes", "--appendfsync", "always")
	p = redistest.StartProxy(t, srv)
	at := site{url: p.URL, team: "T_HOME"}
	owner = &heard{}
	k := key(t)
	stores := make([]*correlate.Store, 2)
	for i, h := range []*heard{owner, {}} {
		o := at.options(t, []string{"R1", "R2"}[i], h, k)
		o.Lease = time.Minute // who is alive is another test's
		stores[i] = open(t, o)
		run(t, stores[i])
	}
	mustCreate(t, stores[0], correlatetest.Pending("p1"))
	mustCreate(t, stores[0], correlatetest.Pending("warm"))
	decideAtLast(t, stores[1], "warm") // the scripts are known
	eventually(t, "the owner hears", func() bool { return owner.times("warm") == 1 })
	return srv, p, owner, stores[1]
}

func TestRedis_FaultIsToldAndTheSameClickWorksAfterwards(t *testing.T) {
	t.Parallel()
	for name, fault := range lasting {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv, proxy, owner, s := faulty(t)
			fault.begin(srv, proxy)
			ctx, cancel := context.WithTimeout(t.Context(), click)
			defer cancel()
			if _, _, err := s.Decide(ctx, "p1", correlatetest.Accept("U_ANN"), []byte("typed by Ann for p1")); err == nil {
				t.Error("a decision is acknowledged in the middle of the fault")
			}
			if n := owner.times("p1"); n != 0 && !fault.late {
				t.Errorf("the owner hears %d times of what was not recorded", n)
			}
			fault.end(srv, proxy)
			got := decideAtLast(t, s, "p1")
			if !got.Won && !fault.late {
				t.Errorf("nothing was recorded before, and yet it is lost to %+v", got.Pending.Decision)
			}
			eventually(t, "the owner hears of it", func() bool { return owner.times("p1") == 1 })
			if answer, err := s.Answer(t.Context(), "p1"); string(answer) != "typed by Ann for p1" || err != nil {
				t.Errorf("the answer is %q, %v", answer, err)
			}
			p := correlatetest.Pending("next")
			mustCreate(t, s, p)
			if got := decideAtLast(t, s, "next"); !got.Won {
				t.Error("the next question is not won by the only one who decides it")
			}
		})
	}
}

func TestRedis_ConnectionResetInTheMiddleOfADecideIsNotNoticed(t *testing.T) {
	t.Parallel()
	for name, cut := range map[string]func(*redistest.Proxy) <-chan struct{}{
		"BeforeTheRequest":   func(p *redistest.Proxy) <-chan struct{} { return p.CutRequest(isDecide, 0) },
		"InsideTheRequest":   func(p *redistest.Proxy) <-chan struct{} { return p.CutRequest(isDecide, 100) },
		"AfterTheScriptRan":  func(p *redistest.Proxy) <-chan struct{} { return p.CutReply(isDecide) },
		"WhileItWasLookedUp": func(p *redistest.Proxy) <-chan struct{} { return p.CutReply(looksUp) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, proxy, owner, s := faulty(t)
			struck := cut(proxy)
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			got, found, err := s.Decide(ctx, "p1", correlatetest.Accept("U_ANN"), []byte("typed by Ann for p1"))
			if err != nil || !found || !got.Won {
				t.Errorf("Decide: won %v, found %v, %v; want it repeated, and its author to learn that it won", got.Won, found, err)
			}
			select {
			case <-struck:
			default:
				t.Error("no connection was cut")
			}
			eventually(t, "the owner hears of it", func() bool { return owner.times("p1") == 1 })
			if answer, err := s.Answer(t.Context(), "p1"); string(answer) != "typed by Ann for p1" || err != nil {
				t.Errorf("the answer is %q, %v", answer, err)
			}
			if got, _, err := s.Decide(t.Context(), "p1", correlatetest.Accept("U_BOB"), nil); err != nil || got.Won || got.Pending.Decision.Responder.ID != "U_ANN" {
				t.Errorf("Bob, later: won %v, %+v, %v; want Ann's to stand", got.Won, got.Pending.Decision, err)
			}
		})
	}
}

// looksUp picks the reading of the record, which is before its decision.
func looksUp(r redistest.Request) bool { return r.Is("hgetall") && r.Has("{sb:T_HOME}:pending:p1") }

// flushing empties the script cache before every command of a client.
type flushing struct{ srv *redistest.Server }

func (flushing) DialHook(next redis.DialHook) redis.DialHook {
	return func(ctx context.Context, network, addr string) (net.Conn, error) { return next(ctx, network, addr) }
}

func (f flushing) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		f.srv.Do("SCRIPT", "FLUSH")
		return next(ctx, cmd)
	}
}

func (f flushing) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		f.srv.Do("SCRIPT", "FLUSH")
		return next(ctx, cmds)
	}
}

func TestRedis_ScriptCacheEmptiedBeforeEveryCommandIsNotNoticed(t *testing.T) {
	t.Parallel()
	srv := redistest.Start(t)
	n := 0
	correlatetest.Run(t, func(t *testing.T) correlatetest.Ledger {
		n++
		c := connect(t, srv.URL)
		c.AddHook(flushing{srv})
		o := options(t, c, "R1", &heard{}, key(t))
		o.Team = "T_" + string(rune('A'+n))
		return open(t, o)
	})
	at := site{url: srv.URL, team: "T_PARK"}
	t.Run("ParkedCalls", func(t *testing.T) { parkedCallIsClaimedOnceAndAdoptedFromTheDead(t, at) })
}

func TestRedis_MemoryFullForgetsNoParkedCall(t *testing.T) {
	srv := redistest.Start(t)
	s := open(t, options(t, connect(t, srv.URL), "R1", &heard{}, key(t)))
	for _, id := range []elicit.CallID{"waits", "resumes"} {
		must(t, s.Park(t.Context(), id, []byte("round 1"), time.Minute))
	}
	if won, err := s.ClaimPark(t.Context(), "resumes"); !won || err != nil {
		t.Fatalf("ClaimPark: %v, %v", won, err)
	}
	srv.Do("CONFIG", "SET", "maxmemory", "1")
	errPark := s.Park(t.Context(), "resumes", []byte("round 2"), time.Minute)
	won, errClaim := s.ClaimPark(t.Context(), "waits")
	if err := s.Park(t.Context(), "new", []byte("round 1"), time.Minute); err == nil {
		t.Error("a new call is parked in a Redis that takes nothing")
	}
	srv.Do("CONFIG", "SET", "maxmemory", "100mb")
	want := []string{"round 1", "round 2"}
	if errPark == nil {
		want = want[1:]
	}
	if got, err := s.Parked(t.Context(), "resumes"); !slices.Contains(want, string(got)) || err != nil {
		t.Errorf("Park said %v, and the call holds %q, %v", errPark, got, err)
	}
	must(t, s.Park(t.Context(), "resumes", []byte("round 2"), time.Minute))
	if again, err := s.ClaimPark(t.Context(), "resumes"); !again || err != nil {
		t.Errorf("the call that waits again: claimed %v, %v", again, err)
	}
	again, err := s.ClaimPark(t.Context(), "waits")
	if err != nil || again == (won && errClaim == nil) {
		t.Errorf("a claim that said %v, %v and is repeated says %v, %v; want one of the two to win", won, errClaim, again, err)
	}
}

func TestRedis_MemoryFullTakesDeliveriesAndExpiresAfterwards(t *testing.T) {
	t.Parallel()
	srv := redistest.Start(t)
	h := &heard{}
	s := open(t, options(t, connect(t, srv.URL), "R1", h, key(t)))
	mustCreate(t, s, correlatetest.Pending("answered"))
	due := correlatetest.Pending("due")
	due.Deadline = time.Now().Add(200 * time.Millisecond)
	mustCreate(t, s, due)
	if _, _, err := s.Decide(t.Context(), "answered", correlatetest.Accept("U_ANN"), []byte("{}")); err != nil {
		t.Fatal(err)
	}
	srv.Do("CONFIG", "SET", "maxmemory", "1")
	run(t, s)
	eventually(t, "what was recorded before is heard of", func() bool { return h.times("answered") == 1 })
	must(t, s.Delivered(t.Context(), "answered")) // makes room
	if err := s.Create(t.Context(), correlatetest.Pending("new")); err == nil {
		t.Error("a question is stored in a Redis that takes nothing")
	}
	eventually(t, "the deadline is over", func() bool { return time.Now().After(due.Deadline) })
	if n := h.times("due"); n != 0 {
		t.Error("an expiry is heard of that cannot be recorded")
	}
	srv.Do("CONFIG", "SET", "maxmemory", "100mb")
	eventually(t, "the expiry is heard of", func() bool { return h.times("due") == 1 })
}
