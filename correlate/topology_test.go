package correlate_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/slackbridge/slackbridge/correlate"
	"github.com/slackbridge/slackbridge/correlate/correlatetest"
	"github.com/slackbridge/slackbridge/elicit"
	"github.com/slackbridge/slackbridge/internal/redistest"
)

// TestMain lets more tests run at once than there are processors: those that
// are parallel wait for leases, deadlines and elections, and compute nothing.
func TestMain(m *testing.M) {
	if err := flag.Set("test.parallel", "8"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// site is a workspace in some Redis. Each test has its own workspace: on a
// cluster they lie on different nodes.
type site struct{ url, team string }

func (at site) options(t *testing.T, replica string, h *heard, keys ...correlate.SealKey) correlate.Options {
	t.Helper()
	o := options(t, connect(t, at.url), replica, h, keys...)
	o.Team = at.team
	return o
}

func (at site) open(t *testing.T, replica string, h *heard, keys ...correlate.SealKey) *correlate.Store {
	t.Helper()
	return open(t, at.options(t, replica, h, keys...))
}

// deliveries are what must hold between replicas, whatever Redis is.
var deliveries = map[string]func(*testing.T, site){
	"DecisionOnAnotherReplicaReachesTheOwner":                   decisionOnAnotherReplicaReachesTheOwner,
	"DurableDecisionReachesExactlyOneReplica":                   durableDecisionReachesExactlyOneReplica,
	"StopReachesTheReplicaThatRunsTheCallAndOnlyByItsRequester": stopReachesTheReplicaThatRunsTheCallAndOnlyByItsRequester,
	"ExpiryIsSettledOnceByAnyReplica":                           expiryIsSettledOnceByAnyReplica,
	"DeadOwnersBlockingQuestionsAreSettledDurableOnesWait":      deadOwnersBlockingQuestionsAreSettledDurableOnesWait,
	"SuspendedOwnerLearnsWhatBecameOfItsQuestions":              suspendedOwnerLearnsWhatBecameOfItsQuestions,
	"ParkedCallIsClaimedOnceAndAdoptedFromTheDead":              parkedCallIsClaimedOnceAndAdoptedFromTheDead,
	"RefusedDurableDecisionIsClaimedFromTheDead":                refusedDurableDecisionIsClaimedFromTheDead,
}

func TestTopology_Standalone(t *testing.T) {
	keepsTheContractAndDelivers(t, redistest.Start(t).URL)
}

func TestTopology_Sentinel(t *testing.T) {
	if testing.Short() {
		t.Skip("slow: starts six servers")
	}
	keepsTheContractAndDelivers(t, redistest.StartSentinel(t).URL)
}

func TestTopology_Cluster(t *testing.T) {
	if testing.Short() {
		t.Skip("slow: starts six servers")
	}
	keepsTheContractAndDelivers(t, redistest.StartCluster(t).URL)
}

func keepsTheContractAndDelivers(t *testing.T, url string) {
	n := 0
	next := func() site {
		n++
		return site{url: url, team: fmt.Sprintf("T_%d", n)}
	}
	t.Run("Contract", func(t *testing.T) {
		correlatetest.Run(t, func(t *testing.T) correlatetest.Ledger { return next().open(t, "R1", &heard{}, key(t)) })
	})
	for _, name := range slices.Sorted(maps.Keys(deliveries)) {
		at := next()
		t.Run(name, func(t *testing.T) {
			t.Parallel() // they wait for leases and deadlines most of the time
			deliveries[name](t, at)
		})
	}
}

func parkedCallIsClaimedOnceAndAdoptedFromTheDead(t *testing.T, at site) {
	k := key(t)
	h2 := &heard{}
	s1 := at.open(t, "R1", &heard{}, k) // never runs: its lease runs out
	s2 := at.open(t, "R2", h2, k)
	for _, id := range []elicit.CallID{"c1", "c2"} {
		if err := s1.Park(t.Context(), id, []byte("call "+id), time.Minute); err != nil {
			t.Fatal(err)
		}
	}
	if won, err := s1.ClaimPark(t.Context(), "c1"); !won || err != nil {
		t.Fatalf("the first claim: %v, %v", won, err)
	}
	if won, err := s2.ClaimPark(t.Context(), "c1"); won || err != nil {
		t.Fatalf("the second claim: %v, %v; want it to lose", won, err)
	}
	run(t, s2)
	eventually(t, "the dead one's call is adopted", func() bool { return len(h2.orphaned()) > 0 })
	if got := h2.orphaned(); len(got) != 1 || got[0] != "c1" {
		t.Errorf("adopted %v, want c1: c2 waits for people", got)
	}
	if got, err := s2.Parked(t.Context(), "c2"); string(got) != "call c2" || err != nil {
		t.Errorf("c2 holds %q, %v", got, err)
	}
	for _, id := range []elicit.CallID{"c1", "c2"} {
		if err := s2.DropPark(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		if got, err := s2.Parked(t.Context(), id); got != nil || err != nil {
			t.Errorf("%s after DropPark: %q, %v", id, got, err)
		}
	}
}

func refusedDurableDecisionIsClaimedFromTheDead(t *testing.T, at site) {
	k := key(t)
	h1, h2 := &heard{refuse: 1}, &heard{}
	s1 := at.open(t, "R1", h1, k)
	s2 := at.open(t, "R2", h2, k)
	p := correlatetest.Pending("p1")
	p.Era = elicit.EraDurable
	mustCreate(t, s1, p)
	stop := run(t, s1)
	if _, _, err := s1.Decide(t.Context(), "p1", correlatetest.Accept("U_ANN"), []byte("{}")); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the first one has read it and not taken it", func() bool { return h1.refused() })
	stop()
	if n, _ := h1.counts(); n == 1 {
		t.Skip("the first one was offered it again before it stopped")
	}
	run(t, s2)
	eventually(t, "the other one takes it", func() bool { n, _ := h2.counts(); return n == 1 })
}

func (h *heard) orphaned() []elicit.CallID {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.orphans)
}

func (h *heard) refused() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.refuse == 0
}

// times counts how often a decision was heard of.
func (h *heard) times(id elicit.PendingID) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	n := 0
	for _, p := range h.decided {
		if p.ID == id {
			n++
		}
	}
	return n
}

// failover is a Redis whose master can die.
type failover struct {
	site
	replicated func() // returns when the replicas have everything
	master     func() *redistest.Server
	replicas   func() []*redistest.Server
	promoted   func(old *redistest.Server) // returns when another master stands
}

// failovers runs a test on every Redis that promotes a replica by itself.
func failovers(t *testing.T, body func(*testing.T, failover)) {
	t.Helper()
	if testing.Short() {
		t.Skip("slow: a master dies")
	}
	t.Parallel()
	const team = "T_HOME"
	t.Run("sentinel", func(t *testing.T) {
		t.Parallel()
		s := redistest.StartSentinel(t)
		body(t, failover{
			site: site{url: s.URL, team: team}, replicated: s.WaitReplicated, master: s.Master, replicas: s.Replicas,
			promoted: func(old *redistest.Server) { s.WaitPromoted(old) },
		})
	})
	t.Run("cluster", func(t *testing.T) {
		t.Parallel()
		c := redistest.StartCluster(t)
		const anyKey = "{sb:" + team + "}:"
		body(t, failover{
			site: site{url: c.URL, team: team}, replicated: func() { c.WaitReplicated(anyKey) },
			master:   func() *redistest.Server { return c.MasterOf(anyKey) },
			replicas: func() []*redistest.Server { return []*redistest.Server{c.ReplicaOf(anyKey)} },
			promoted: func(old *redistest.Server) { c.WaitPromoted(anyKey, old) },
		})
	})
}

// decideAtLast decides as a person does who clicks again until it works.
func decideAtLast(t *testing.T, s *correlate.Store, id elicit.PendingID) elicit.Settlement {
	t.Helper()
	var got elicit.Settlement
	eventually(t, "deciding "+string(id)+" works", func() bool {
		ctx, cancel := context.WithTimeout(t.Context(), 2500*time.Millisecond)
		defer cancel()
		s, found, err := s.Decide(ctx, id, correlatetest.Accept("U_ANN"), []byte("typed by Ann for "+id))
		if err == nil && !found {
			t.Fatalf("%s is not known any more", id)
		}
		got = s
		return err == nil
	})
	if d := got.Pending.Decision; d == nil || d.Action != elicit.Accept || d.Responder.ID != "U_ANN" {
		t.Errorf("%s: %+v stands, want Ann's accept", id, d)
	}
	return got
}

func TestFailover_WhatWaitsAndWhatIsParkedOutlivesTheMaster(t *testing.T) {
	failovers(t, func(t *testing.T, f failover) {
		k := key(t)
		h1, h2 := &heard{}, &heard{}
		stores := make([]*correlate.Store, 2)
		for i, h := range []*heard{h1, h2} {
			o := f.options(t, fmt.Sprintf("R%d", i+1), h, k)
			o.Lease = time.Minute // who is alive is another test's
			stores[i] = open(t, o)
		}
		s1, s2 := stores[0], stores[1]
		pending := func(id string, era elicit.Era, deadline time.Duration) {
			p := correlatetest.Pending(id)
			p.Era, p.Deadline = era, time.Now().Add(deadline)
			mustCreate(t, s1, p)
		}
		for _, id := range []string{"b1", "b2", "b3"} {
			pending(id, elicit.EraBlocking, time.Minute)
		}
		pending("d1", elicit.EraDurable, time.Minute)
		pending("due", elicit.EraBlocking, time.Second)
		for _, id := range []elicit.CallID{"c1", "c2"} {
			if err := s1.Park(t.Context(), id, []byte("call "+id), time.Minute); err != nil {
				t.Fatal(err)
			}
		}
		if won, err := s1.ClaimPark(t.Context(), "c1"); !won || err != nil {
			t.Fatalf("ClaimPark: %v, %v", won, err)
		}
		f.replicated()
		old := f.master()
		old.Stop()
		run(t, s1) // both begin while there is no master at all
		run(t, s2)
		decideAtLast(t, s2, "b1") // clicked again and again meanwhile
		f.promoted(old)
		decideAtLast(t, s2, "b2")
		decideAtLast(t, s2, "d1")
		eventually(t, "the owner hears of what was decided on the other replica", func() bool {
			return h1.times("b1") == 1 && h1.times("b2") == 1
		})
		eventually(t, "somebody goes on with the durable one", func() bool { return h1.times("d1")+h2.times("d1") == 1 })
		eventually(t, "what fell due meanwhile has expired", func() bool { return h1.times("due") == 1 })
		for id, want := range map[elicit.PendingID]string{"b1": "typed by Ann for b1", "d1": "typed by Ann for d1"} {
			if got, err := s1.Answer(t.Context(), id); string(got) != want || err != nil {
				t.Errorf("the answer of %s is %q, %v; want %q", id, got, err, want)
			}
		}
		if p, known, err := s2.Load(t.Context(), "b3"); !known || err != nil || p.State != elicit.StatePending {
			t.Errorf("b3, which nobody answered: %s, known %v, %v", p.State, known, err)
		}
		for id, want := range map[elicit.CallID]bool{"c1": false, "c2": true} {
			if won, err := s2.ClaimPark(t.Context(), id); won != want || err != nil {
				t.Errorf("claiming %s: %v, %v; want %v", id, won, err, want)
			}
			if got, err := s2.Parked(t.Context(), id); string(got) != "call "+string(id) || err != nil {
				t.Errorf("%s holds %q, %v", id, got, err)
			}
		}
		pending("new", elicit.EraDurable, time.Minute)
		if got := decideAtLast(t, s2, "new"); !got.Won {
			t.Error("a question of the time after is not won by the only one who decides it")
		}
	})
}

func TestFailover_DecisionIsOnAReplicaBeforeAnybodyActsOnIt(t *testing.T) {
	failovers(t, func(t *testing.T, f failover) {
		o := f.options(t, "R1", &heard{}, key(t))
		var log bytes.Buffer
		o.Log = slog.New(slog.NewTextHandler(&log, nil))
		s := open(t, o)
		master, replicas := f.master(), f.replicas()
		const n = 20
		for i := range n {
			p := correlatetest.Pending(fmt.Sprintf("p%d", i))
			mustCreate(t, s, p)
			decideAtLast(t, s, p.ID)
			has := 0
			for _, r := range replicas {
				state, err := stateOn(t, r, "{sb:"+f.team+"}:pending:"+string(p.ID))
				if err != nil {
					t.Logf("replica %s: %v", r.Addr, err)
				}
				if state == string(elicit.StateDecided) {
					has++
				}
			}
			if has == 0 && log.Len() == 0 {
				t.Fatalf("%s was acknowledged without a word, and no replica has it", p.ID)
			}
			log.Reset()
		}
		for _, r := range replicas {
			r.Pause()
		}
		mustCreate(t, s, correlatetest.Pending("lagging"))
		began := time.Now()
		decideAtLast(t, s, "lagging")
		if waited := time.Since(began); waited < 400*time.Millisecond {
			t.Errorf("a decision that no replica has is acknowledged after %s already", waited)
		}
		for _, r := range replicas {
			r.Resume()
		}
		master.Stop()
		f.promoted(master)
		for i := range n {
			id := elicit.PendingID(fmt.Sprintf("p%d", i))
			eventually(t, "what was decided before stands", func() bool {
				p, known, err := s.Load(t.Context(), id)
				return err == nil && known && p.Decision != nil && p.Decision.Responder.ID == "U_ANN"
			})
		}
	})
}

// stateOn reads the state of a pending from this very node.
func stateOn(t *testing.T, node *redistest.Server, key string) (string, error) {
	t.Helper()
	c := redis.NewClient(&redis.Options{Addr: node.Addr})
	defer c.Close()
	pipe := c.Pipeline() // READONLY holds for its connection
	pipe.ReadOnly(t.Context())
	state := pipe.HGet(t.Context(), key, "state")
	_, _ = pipe.Exec(t.Context()) // outside a cluster READONLY is refused
	return state.Result()
}

// leaseOf reports whether a replica counts as alive.
func (at site) leaseOf(t *testing.T, c redis.UniversalClient, replica string) bool {
	t.Helper()
	n, err := c.Exists(t.Context(), "{sb:"+at.team+"}:replica:"+replica).Result()
	return err == nil && n == 1
}

func TestRedis_AwayLongerThanALeaseBuriesNobodyWhoLives(t *testing.T) {
	if testing.Short() {
		t.Skip("slow: a lease runs out")
	}
	t.Parallel()
	srv := redistest.Start(t)
	direct := connect(t, srv.URL)
	k := key(t)
	proxies := map[string]*redistest.Proxy{}
	at := site{team: "T_HOME"}
	for _, name := range []string{"R1", "R2"} {
		p := redistest.StartProxy(t, srv)
		proxies[name], at.url = p, p.URL
		o := at.options(t, name, &heard{}, k)
		o.Heartbeat, o.Lease = 100*time.Millisecond, 6*time.Second // thrice the longest back-off of Run
		s := open(t, o)
		if name == "R1" {
			mustCreate(t, s, correlatetest.Pending("p1"))
		}
		run(t, s)
	}
	for _, p := range proxies {
		p.Down()
	}
	eventually(t, "both leases have run out", func() bool { return !at.leaseOf(t, direct, "R1") && !at.leaseOf(t, direct, "R2") })
	// Redis is back. One of the two has to be first to see it, and is at work
	// for some time before the other one has waited out its back-off.
	var beats atomic.Int32
	proxies["R2"].CutRequest(func(r redistest.Request) bool {
		if r.Is("set") && r.Has("{sb:T_HOME}:replica:R2") {
			beats.Add(1)
		}
		return false // only looking
	}, 0)
	proxies["R2"].Up()
	eventually(t, "R2 is at work", func() bool { return beats.Load() > 20 })
	proxies["R1"].Up()
	eventually(t, "R1 is back", func() bool { return at.leaseOf(t, direct, "R1") })
	if state := direct.HGet(t.Context(), "{sb:T_HOME}:pending:p1", "state").Val(); state != "pending" {
		t.Errorf("the question of R1, which lives, is %q: R2 buried it as soon as it was back itself", state)
	}
}
