package correlate_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"go.uber.org/goleak"

	"github.com/slackbridge/slackbridge/correlate"
	"github.com/slackbridge/slackbridge/correlate/correlatetest"
	"github.com/slackbridge/slackbridge/elicit"
	"github.com/slackbridge/slackbridge/internal/redistest"
)

const patience = 30 * time.Second

func key(t *testing.T) correlate.SealKey {
	t.Helper()
	k, err := correlate.NewKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func connect(t *testing.T, url string) redis.UniversalClient {
	t.Helper()
	c, err := correlate.Connect(url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// heard keeps what a store reports.
type heard struct {
	mu      sync.Mutex
	decided []elicit.Pending
	settled []elicit.Pending
	refuse  int // how many decisions are refused first
	stopped []elicit.CallID
	orphans []elicit.CallID

	undrawn, unplaced []elicit.Pending
	nudges            []string
	calls             map[elicit.CallID]string
}

func (h *heard) onUndrawn(_ context.Context, p elicit.Pending) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.undrawn = append(h.undrawn, p)
}

func (h *heard) onUnplaced(_ context.Context, p elicit.Pending) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.unplaced = append(h.unplaced, p)
}

func (h *heard) onNudge(_ context.Context, p elicit.Pending, kind elicit.Nudge) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.nudges = append(h.nudges, string(kind)+" "+string(p.ID))
}

func (h *heard) onCall(_ context.Context, id elicit.CallID, record []byte) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.calls == nil {
		h.calls = map[elicit.CallID]string{}
	}
	h.calls[id] = string(record)
}

func (h *heard) onStop(_ context.Context, id elicit.CallID) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.stopped = append(h.stopped, id)
}

func (h *heard) stops() []elicit.CallID {
	h.mu.Lock()
	defer h.mu.Unlock()
	return append([]elicit.CallID(nil), h.stopped...)
}

func (h *heard) onDecided(_ context.Context, p elicit.Pending) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.refuse > 0 {
		h.refuse--
		return errors.New("not now")
	}
	h.decided = append(h.decided, p)
	return nil
}

func (h *heard) onOrphan(_ context.Context, id elicit.CallID) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.orphans = append(h.orphans, id)
}

func (h *heard) onSettled(_ context.Context, p elicit.Pending) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.settled = append(h.settled, p)
}

func (h *heard) counts() (decided, settled int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.decided), len(h.settled)
}

func options(t *testing.T, c redis.UniversalClient, replica string, h *heard, keys ...correlate.SealKey) correlate.Options {
	t.Helper()
	return correlate.Options{
		Client: c, Team: "T_HOME", Replica: elicit.ReplicaID(replica), Keys: keys, Log: slog.New(slog.DiscardHandler), Rand: rand.Reader,
		OnDecided: h.onDecided, OnSettled: h.onSettled, OnStop: h.onStop, OnOrphan: h.onOrphan,
		OnUndrawn: h.onUndrawn, OnUnplaced: h.onUnplaced, OnNudge: h.onNudge, OnCall: h.onCall, Heartbeat: 200 * time.Millisecond, Lease: time.Second, Sweep: 100 * time.Millisecond,
	}
}

func open(t *testing.T, o correlate.Options) *correlate.Store {
	t.Helper()
	s, err := correlate.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// run runs a store until the test ends, or until stop.
func run(t *testing.T, s *correlate.Store) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context()) // all stores of a test stop at once
	done := make(chan error, 1)
	go func() { done <- s.Run(ctx) }()
	var once sync.Once
	stop = func() {
		once.Do(func() {
			cancel()
			if err := <-done; err != nil {
				t.Errorf("Run: %v", err)
			}
		})
	}
	t.Cleanup(stop)
	return stop
}

func eventually(t *testing.T, what string, cond func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for !cond() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatalf("waited in vain for: %s", what)
		}
	}
}

func mustCreate(t *testing.T, s *correlate.Store, p elicit.Pending) {
	t.Helper()
	if err := s.Create(t.Context(), p); err != nil {
		t.Fatal(err)
	}
}

func TestEmbedded_KeepsTheContract(t *testing.T) {
	n := 0
	correlatetest.Run(t, func(t *testing.T) correlatetest.Ledger {
		c, stop, err := correlate.Embedded()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(stop)
		n++
		return open(t, options(t, c, fmt.Sprintf("R%d", n), &heard{}, key(t)))
	})
}

func decisionOnAnotherReplicaReachesTheOwner(t *testing.T, at site) {
	k := key(t)
	owner, other := &heard{}, &heard{}
	s1 := at.open(t, "R1", owner, k)
	s2 := at.open(t, "R2", other, k)
	mustCreate(t, s1, correlatetest.Pending("p1"))
	// Decided before the owner listens: a stream keeps it.
	if s, _, err := s2.Decide(t.Context(), "p1", correlatetest.Accept("U_ANN"), []byte("{}")); err != nil || !s.Won {
		t.Fatalf("Decide: %+v, %v", s, err)
	}
	owner.refuse = 1 // and what was not taken is offered again
	run(t, s1)
	run(t, s2)
	eventually(t, "the owner hears of the decision", func() bool { n, _ := owner.counts(); return n == 1 })
	if n, _ := other.counts(); n != 0 {
		t.Errorf("the other replica heard of %d decisions that are not its own", n)
	}
}

func durableDecisionReachesExactlyOneReplica(t *testing.T, at site) {
	k := key(t)
	h1, h2 := &heard{}, &heard{}
	s1 := at.open(t, "R1", h1, k)
	s2 := at.open(t, "R2", h2, k)
	run(t, s1)
	run(t, s2)
	const n = 20
	for i := range n {
		p := correlatetest.Pending(fmt.Sprintf("p%d", i))
		p.Era = elicit.EraDurable
		mustCreate(t, s1, p)
		if _, _, err := s2.Decide(t.Context(), p.ID, correlatetest.Accept("U_ANN"), nil); err != nil {
			t.Fatal(err)
		}
	}
	eventually(t, "all are taken", func() bool { a, _ := h1.counts(); b, _ := h2.counts(); return a+b >= n })
	a, _ := h1.counts()
	b, _ := h2.counts()
	if a+b != n {
		t.Errorf("%d decisions were handed out for %d", a+b, n)
	}
}

func stopReachesTheReplicaThatRunsTheCallAndOnlyByItsRequester(t *testing.T, at site) {
	k := key(t)
	h1, h2 := &heard{}, &heard{}
	s1 := at.open(t, "R1", h1, k)
	s2 := at.open(t, "R2", h2, k)
	run(t, s1)
	run(t, s2)
	ann := elicit.User{Team: "T_HOME", ID: "U_ANN"}
	for _, id := range []elicit.CallID{"c1", "c2"} {
		if err := s1.CallRunning(t.Context(), id, ann, []byte("record")); err != nil {
			t.Fatal(err)
		}
	}
	if _, _, err := s2.StopCall(t.Context(), "c1", elicit.User{Team: "T_HOME", ID: "U_BOB"}); err != nil {
		t.Fatal(err)
	}
	if _, found, err := s2.StopCall(t.Context(), "c2", ann); !found || err != nil {
		t.Fatalf("StopCall: found %v, %v", found, err)
	}
	eventually(t, "the owner is told", func() bool { return len(h1.stops()) > 0 })
	if got := h1.stops(); len(got) != 1 || got[0] != "c2" {
		t.Errorf("stopped %v, want Ann's Stop of c2 only", got)
	}
}

func expiryIsSettledOnceByAnyReplica(t *testing.T, at site) {
	k := key(t)
	h1, h2 := &heard{}, &heard{}
	s1 := at.open(t, "R1", h1, k)
	s2 := at.open(t, "R2", h2, k)
	p := correlatetest.Pending("p1")
	p.Deadline = time.Now().Add(300 * time.Millisecond)
	mustCreate(t, s1, p)
	run(t, s1)
	run(t, s2)
	eventually(t, "the expiry is settled and heard of", func() bool {
		d, a := h1.counts()
		_, b := h2.counts()
		return a+b == 1 && d == 1
	})
	got, _, err := s2.Load(t.Context(), "p1")
	if err != nil || got.Decision == nil || got.Decision.Reason != elicit.ReasonExpired || got.Decision.At.Before(p.Deadline.Truncate(time.Millisecond)) {
		t.Errorf("the record: %+v, %v; want expired, not before its deadline", got.Decision, err)
	}
}

func deadOwnersBlockingQuestionsAreSettledDurableOnesWait(t *testing.T, at site) {
	k := key(t)
	h2 := &heard{}
	s1 := at.open(t, "R1", &heard{}, k) // never runs: its lease runs out
	s2 := at.open(t, "R2", h2, k)
	blocking, durable := correlatetest.Pending("p1"), correlatetest.Pending("p2")
	durable.Era = elicit.EraDurable
	mustCreate(t, s1, blocking)
	mustCreate(t, s1, durable)
	run(t, s2)
	eventually(t, "the blocking question is settled", func() bool { _, n := h2.counts(); return n == 1 })
	got, _, err := s2.Load(t.Context(), "p1")
	if err != nil || got.State != elicit.StateLost || got.Decision.Reason != elicit.ReasonOwnerLost || got.Decision.Action != elicit.Cancel {
		t.Errorf("the blocking one: %+v, %v; want cancel, owner_lost", got, err)
	}
	if got, _, err := s2.Load(t.Context(), "p2"); err != nil || got.State != elicit.StatePending {
		t.Errorf("the durable one: %s, %v; want it to wait", got.State, err)
	}
}

func suspendedOwnerLearnsWhatBecameOfItsQuestions(t *testing.T, at site) {
	k := key(t)
	h1, h2 := &heard{}, &heard{}
	s1 := at.open(t, "R1", h1, k)
	s2 := at.open(t, "R2", h2, k)
	mustCreate(t, s1, correlatetest.Pending("p1"))
	run(t, s2)
	eventually(t, "the other one buries it", func() bool { _, n := h2.counts(); return n == 1 })
	run(t, s1) // it was not dead
	eventually(t, "it hears of it", func() bool { n, _ := h1.counts(); return n == 1 })
}

func TestRedis_ThatComesBackEmptyIsTakenUpAgain(t *testing.T) {
	srv := redistest.Start(t)
	h := &heard{}
	s := open(t, options(t, connect(t, srv.URL), "R1", h, key(t)))
	run(t, s)
	mustCreate(t, s, correlatetest.Pending("gone"))
	srv.Restart()
	eventually(t, "Redis answers", func() bool { return s.Ping(t.Context()) == nil })
	if _, known, err := s.Load(t.Context(), "gone"); known || err != nil {
		t.Fatalf("the old record: known %v, %v", known, err)
	}
	for i, era := range []elicit.Era{elicit.EraBlocking, elicit.EraDurable} {
		p := correlatetest.Pending(fmt.Sprintf("new%d", i))
		p.Era = era
		mustCreate(t, s, p)
		if _, _, err := s.Decide(t.Context(), p.ID, correlatetest.Accept("U_ANN"), nil); err != nil {
			t.Fatal(err)
		}
	}
	eventually(t, "new decisions are heard of", func() bool { n, _ := h.counts(); return n == 2 })
}

func TestRedis_PausedMakesDecideFailInTimeAndLosesNothing(t *testing.T) {
	srv := redistest.Start(t)
	s := open(t, options(t, connect(t, srv.URL), "R1", &heard{}, key(t)))
	mustCreate(t, s, correlatetest.Pending("p1"))
	srv.Pause()
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	if _, _, err := s.Decide(ctx, "p1", correlatetest.Accept("U_ANN"), []byte("{}")); err == nil {
		t.Error("a decision was recorded by a Redis that does not answer")
	}
	srv.Resume()
	eventually(t, "Redis answers", func() bool { return s.Ping(t.Context()) == nil })
	got, found, err := s.Decide(t.Context(), "p1", correlatetest.Accept("U_ANN"), []byte("{}"))
	if err != nil || !found || got.Pending.Decision.Responder.ID != "U_ANN" {
		t.Errorf("afterwards: %+v, %v, %v; want Ann's decision to stand", got, found, err)
	}
}

func TestSeal_NothingReadableIsInRedisAndAnswersGo(t *testing.T) {
	srv := redistest.Start(t)
	s := open(t, options(t, connect(t, srv.URL), "R1", &heard{}, key(t)))
	mustCreate(t, s, correlatetest.Pending("p1"))
	if _, _, err := s.Decide(t.Context(), "p1", correlatetest.Accept("U_ANN"), []byte(`{"x":"s3cret-answer"}`)); err != nil {
		t.Fatal(err)
	}
	if dump := srv.Dump(t); strings.Contains(dump, "s3cret") {
		t.Errorf("Redis holds plain text:\n%s", dump)
	}
	if err := s.Delivered(t.Context(), "p1"); err != nil {
		t.Fatal(err)
	}
	c := connect(t, srv.URL)
	keys, err := c.Keys(t.Context(), "*").Result()
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range keys {
		if !strings.HasPrefix(k, "{sb:T_HOME}:") {
			t.Errorf("%s has not the hash tag of its workspace", k)
		}
		if ok, _ := c.HExists(t.Context(), k, "answer").Result(); ok {
			t.Errorf("%s still holds an answer", k)
		}
	}
}

func TestSeal_WrongKeyIsRefusedAndRotationWorks(t *testing.T) {
	srv := redistest.Start(t)
	c := connect(t, srv.URL)
	older, newer := key(t), key(t)
	s := open(t, options(t, c, "R1", &heard{}, older))
	mustCreate(t, s, correlatetest.Pending("p1"))
	var wrong *correlate.WrongKeyError
	if _, err := correlate.Open(t.Context(), options(t, c, "R2", &heard{}, newer)); !errors.As(err, &wrong) {
		t.Errorf("Open with another key: %v, want a WrongKeyError", err)
	}
	if err := correlate.CheckKeys(t.Context(), c, "T_HOME", []correlate.SealKey{newer}); !errors.As(err, &wrong) {
		t.Errorf("CheckKeys with another key: %v, want a WrongKeyError", err)
	}
	rotated := open(t, options(t, c, "R3", &heard{}, newer, older))
	if p, known, err := rotated.Load(t.Context(), "p1"); err != nil || !known || len(p.Question) == 0 {
		t.Errorf("after rotation: %v, %v; want the old record readable", known, err)
	}
}

func TestSecrets_AreInNoError(t *testing.T) {
	for _, list := range []string{"canary", "Y2FuYXJ5", "Y2FuYXJ5,not base64 canary", ""} {
		_, err := correlate.ParseKeys(list)
		if err == nil || strings.Contains(err.Error(), "canary") || strings.Contains(err.Error(), "Y2FuYXJ5") {
			t.Errorf("ParseKeys(%q): %v; want an error without the key", list, err)
		}
	}
	for _, url := range []string{
		"http://:canary@h:6379", "redis://:canary@", "redis://:canary@h:port/x", "canary", "redis-sentinel://:canary@h", "redis://u:canary@h:6379/notanumber", "redis://u:cana%ry@h",
	} {
		if _, err := correlate.Connect(url); err == nil || strings.Contains(err.Error(), "canary") || strings.Contains(err.Error(), "cana%ry") {
			t.Errorf("Connect(%q): %v; want an error without the password", url, err)
		}
	}
}

func TestConnect_TakesEveryForm(t *testing.T) {
	for _, url := range []string{
		"redis://h", "redis://h:6379/2", "rediss://user:pw@h:6380", "redis://h1:1,h2:2", "redis-cluster://h1,h2:7001", "redis-sentinel://h1:26379,h2/mymaster",
	} {
		c, err := correlate.Connect(url)
		if err != nil {
			t.Errorf("Connect(%q): %v", url, err)
			continue
		}
		if err := c.Close(); err != nil {
			t.Errorf("Connect(%q).Close: %v", url, err)
		}
	}
}

func TestRun_LeavesNoGoroutine(t *testing.T) {
	srv := redistest.Start(t)
	before := goleak.IgnoreCurrent()
	c, err := correlate.Connect(srv.URL)
	if err != nil {
		t.Fatal(err)
	}
	s := open(t, options(t, c, "R1", &heard{}, key(t)))
	run(t, s)()
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	goleak.VerifyNone(t, before)
}
