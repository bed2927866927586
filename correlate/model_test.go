package correlate

import (
	"context"
	"crypto/rand"
	"flag"
	"fmt"
	"log/slog"
	mathrand "math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/redis/go-redis/v9"

	"github.com/slackbridge/slackbridge/elicit"
	"github.com/slackbridge/slackbridge/internal/redistest"
)

// orderLength is how many different steps follow on each other: 4 are 1,680
// orders in each era, 5 are 6,720 and take half a minute.
var orderLength = flag.Int("orders", 4, "how many steps of the decide model are played in every order")

// model is what a pending must be after a sequence of steps: the rules of this
// package written down a second time, without Redis.
type model struct {
	Era     elicit.Era
	Late    bool // its deadline is over
	State   elicit.State
	Action  elicit.Action
	Reason  elicit.Reason
	Who     string
	Answer  bool // an answer is kept
	Awaited bool // in the expiry set
	Held    bool // its owner is to deliver something, or still waits
	Words   int  // entries in the stream of whoever goes on with it
	Won     int  // attempts that were told that they won
	byOwner bool // decided, and then lost with its owner
	Needs   int  // approvals
	Votes   string
}

// approve is one person's yes of as many as are needed.
func (m *model) approve(who string) {
	if m.State == elicit.StatePending && !m.Late {
		if strings.Contains(m.Votes, who) {
			return
		}
		m.Votes += who + " "
		if strings.Count(m.Votes, " ") < m.Needs {
			return
		}
	}
	m.decide(elicit.Accept, elicit.ReasonSubmitted, who, false, false)
}

func (m *model) decide(action elicit.Action, reason elicit.Reason, who string, answer, onlyDue bool) {
	if m.State != elicit.StatePending || onlyDue && !m.Late {
		return
	}
	won := !m.Late || reason == elicit.ReasonExpired
	if m.Late {
		action, reason, who, answer = elicit.Cancel, elicit.ReasonExpired, "", false
	}
	m.State, m.Action, m.Reason, m.Who, m.Answer = stateAfter(reason), action, reason, who, answer
	m.Awaited = false
	if m.Era == elicit.EraDurable || m.State != elicit.StateDecided {
		m.Held = false
	}
	m.Words++
	if won {
		m.Won++
	}
}

func (m *model) finish(state elicit.State, owner bool) {
	m.Held, m.Answer = false, false
	switch {
	case m.State == elicit.StateDecided:
		m.State, m.byOwner = state, owner && state == elicit.StateLost
	case m.State == elicit.StateLost && m.byOwner && state == elicit.StateDelivered:
		m.State = state
	}
}

// step is one thing that somebody does, to the store and to the model.
type step struct {
	name string
	real func(ctx context.Context, s *Store, id elicit.PendingID) (won bool, err error)
	rule func(m *model)
}

func deciding(name string, d elicit.Decision, answer []byte, onlyDue bool) step {
	return step{
		name: name,
		real: func(ctx context.Context, s *Store, id elicit.PendingID) (bool, error) {
			out, _, err := s.decide(ctx, id, d, answer, how{onlyDue: onlyDue})
			return out.Won, err
		},
		rule: func(m *model) { m.decide(d.Action, d.Reason, d.Responder.ID, answer != nil, onlyDue) },
	}
}

func by(action elicit.Action, reason elicit.Reason, who string) elicit.Decision {
	return elicit.Decision{Action: action, Reason: reason, Responder: elicit.User{Team: "T", ID: who}}
}

func approving(name, who string) step {
	return step{
		name: name,
		real: func(ctx context.Context, s *Store, id elicit.PendingID) (bool, error) {
			out, _, err := s.Approve(ctx, id, elicit.User{Team: "T", ID: who})
			return out.Won, err
		},
		rule: func(m *model) { m.approve(who) },
	}
}

const modelOwner = elicit.ReplicaID("R1")

var steps = []step{
	deciding("Ann accepts", by(elicit.Accept, elicit.ReasonSubmitted, "U_ANN"), []byte(`{"a":1}`), false),
	deciding("Bob declines", by(elicit.Decline, elicit.ReasonDeclined, "U_BOB"), nil, false),
	deciding("the server withdraws", elicit.Decision{Action: elicit.Cancel, Reason: elicit.ReasonWithdrawn}, nil, false),
	deciding("a sweep looks for due ones", elicit.Decision{Action: elicit.Cancel, Reason: elicit.ReasonExpired}, nil, true),
	{
		name: "the deadline passes",
		real: func(ctx context.Context, s *Store, id elicit.PendingID) (bool, error) {
			return false, s.rdb.HSet(ctx, s.keys.pending(id), "deadline", 1).Err()
		},
		rule: func(m *model) { m.Late = true },
	},
	{
		name: "the owner's heir settles",
		real: func(ctx context.Context, s *Store, id elicit.PendingID) (bool, error) {
			won := false
			s.o.OnSettled = func(context.Context, elicit.Pending) { won = true }
			err := s.settleForDead(ctx, modelOwner, id)
			return won, err
		},
		rule: func(m *model) {
			switch {
			case m.Era == elicit.EraDurable:
			case m.State == elicit.StatePending:
				m.decide(elicit.Cancel, elicit.ReasonOwnerLost, "", false, false)
			case m.State == elicit.StateDecided:
				m.finish(elicit.StateLost, true)
			}
		},
	},
	{
		name: "the server has the answer",
		real: func(ctx context.Context, s *Store, id elicit.PendingID) (bool, error) {
			return false, s.Delivered(ctx, id)
		},
		rule: func(m *model) { m.finish(elicit.StateDelivered, false) },
	},
	{
		name: "the connection is gone",
		real: func(ctx context.Context, s *Store, id elicit.PendingID) (bool, error) {
			return false, s.Lost(ctx, id, elicit.ReasonConnectionLost)
		},
		rule: func(m *model) { m.finish(elicit.StateLost, false) },
	},
}

// votes are the steps of a pending that needs two approvals.
var votes = []step{
	approving("Ann approves", "U_ANN"),
	approving("Ann approves again", "U_ANN"),
	approving("Carl approves", "U_CARL"),
	steps[1], steps[2], steps[3], steps[4],
}

func modelStore(t *testing.T, url string, k SealKey) *Store {
	t.Helper()
	c, err := Connect(url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	ignore := func(context.Context, elicit.Pending) {}
	s, err := Open(t.Context(), Options{
		Client: c, Team: "T", Replica: modelOwner, Keys: []SealKey{k}, Log: slog.New(slog.DiscardHandler), Rand: rand.Reader,
		OnDecided: func(context.Context, elicit.Pending) error { return nil }, OnSettled: ignore, OnUndrawn: ignore, OnUnplaced: ignore,
		OnNudge: func(context.Context, elicit.Pending, elicit.Nudge) {},
		OnStop:  func(context.Context, elicit.CallID) {}, OnOrphan: func(context.Context, elicit.CallID) {},
		OnCall: func(context.Context, elicit.CallID, []byte) {},
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func modelKey(t *testing.T) SealKey {
	t.Helper()
	k, err := NewKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func modelPending(id elicit.PendingID, era elicit.Era) elicit.Pending {
	now := time.Now()
	return elicit.Pending{ID: id, Era: era, Owner: modelOwner, Card: elicit.MessageRef{Channel: "C", TS: "1"}, Created: now, Deadline: now.Add(time.Hour), Question: []byte("q")}
}

// observe reads from Redis what the model says.
func observe(t *testing.T, s *Store, id elicit.PendingID, era elicit.Era) model {
	t.Helper()
	ctx := t.Context()
	pipe := s.rdb.Pipeline()
	fields := pipe.HGetAll(ctx, s.keys.pending(id))
	awaited := pipe.ZScore(ctx, s.keys.expiry(), string(id))
	held := pipe.ZScore(ctx, s.keys.holds(modelOwner), string(id))
	owner, resume := pipe.XRange(ctx, s.keys.owner(modelOwner), "-", "+"), pipe.XRange(ctx, s.keys.resume(), "-", "+")
	_, _ = pipe.Exec(ctx) // a missing member is an error of its own
	f := fields.Val()
	m := model{
		Era: era, Late: f["deadline"] == "1", State: elicit.State(f["state"]), Action: elicit.Action(f["action"]), Reason: elicit.Reason(f["reason"]),
		Who: f["responder"], Answer: f["answer"] != "", Awaited: awaited.Err() == nil, Held: held.Err() == nil,
	}
	m.Needs, _ = strconv.Atoi(f["needs"])
	for i := 1; f["vote_user_"+strconv.Itoa(i)] != ""; i++ {
		m.Votes += f["vote_user_"+strconv.Itoa(i)] + " "
	}
	mine, other := owner.Val(), resume.Val()
	if era == elicit.EraDurable {
		mine, other = other, mine
	}
	if len(other) > 0 {
		t.Errorf("%d words in the stream of the other era", len(other))
	}
	m.Words = len(mine)
	return m
}

// sequences calls f with every order of n different ones out of all steps.
func sequences(n, all int, f func([]int)) {
	var seq []int
	var grow func()
	grow = func() {
		if len(seq) == n {
			f(seq)
			return
		}
		for i := range all {
			if !slices.Contains(seq, i) {
				seq = append(seq, i)
				grow()
				seq = seq[:len(seq)-1]
			}
		}
	}
	grow()
}

func TestDecide_IsWhatTheModelSaysInEveryOrder(t *testing.T) {
	length := *orderLength
	if testing.Short() {
		length = 3
	}
	for _, c := range []struct {
		name  string
		era   elicit.Era
		needs int
		steps []step
	}{
		{"blocking", elicit.EraBlocking, 0, steps},
		{"durable", elicit.EraDurable, 0, steps},
		{"two approvals", elicit.EraDurable, 2, votes},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := modelStore(t, redistest.Start(t).URL, modelKey(t))
			n := 0
			sequences(length, len(c.steps), func(seq []int) {
				n++
				if t.Failed() && n > 20 {
					return
				}
				play(t, s, c.era, c.needs, c.steps, seq)
			})
			t.Logf("%d orders of %d steps", n, length)
		})
	}
}

// play runs one sequence on the store and on the model, and compares them after
// every step.
func play(t *testing.T, s *Store, era elicit.Era, needs int, steps []step, seq []int) {
	t.Helper()
	ctx := t.Context()
	if err := s.rdb.FlushDB(ctx).Err(); err != nil {
		t.Fatal(err)
	}
	const id = elicit.PendingID("p")
	p := modelPending(id, era)
	p.Needs = needs
	if err := s.Create(ctx, p); err != nil {
		t.Fatal(err)
	}
	want := model{Era: era, State: elicit.StatePending, Awaited: true, Held: true, Needs: needs}
	won := 0
	var names []string
	for _, i := range seq {
		names = append(names, steps[i].name)
		mine, err := steps[i].real(ctx, s, id)
		if err != nil {
			t.Fatalf("%s: %v", strings.Join(names, ", "), err)
		}
		if mine {
			won++
		}
		steps[i].rule(&want)
		got := observe(t, s, id, era)
		got.Won, got.byOwner = won, want.byOwner
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(model{})); diff != "" {
			t.Errorf("after %s (-want +got):\n%s", strings.Join(names, ", "), diff)
			return
		}
		if won > 1 || want.Words > 1 {
			t.Errorf("after %s: %d winners, %d words", strings.Join(names, ", "), won, want.Words)
			return
		}
	}
}

// TestDecide_HasOneWinnerAmongManyAtOnce has replicas settle the same pendings
// at the same time in every way there is.
func TestDecide_HasOneWinnerAmongManyAtOnce(t *testing.T) {
	srv := redistest.Start(t)
	k := modelKey(t)
	stores := []*Store{modelStore(t, srv.URL, k), modelStore(t, srv.URL, k), modelStore(t, srv.URL, k)}
	const pendings, people = 150, 6
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	rng := mathrand.New(mathrand.NewPCG(seed, 1))
	for i := range pendings {
		id := elicit.PendingID("p" + strconv.Itoa(i))
		p := modelPending(id, []elicit.Era{elicit.EraBlocking, elicit.EraDurable}[i%2])
		if err := stores[0].Create(t.Context(), p); err != nil {
			t.Fatal(err)
		}
		var mu sync.Mutex
		var winners []string
		var wg sync.WaitGroup
		for n := range people {
			s, deciders := stores[rng.IntN(len(stores))], steps[:3]
			d := deciders[rng.IntN(len(deciders))]
			wg.Go(func() {
				won, err := d.real(context.WithoutCancel(t.Context()), s, id)
				if err != nil {
					t.Errorf("%s: %v", d.name, err)
				}
				if won {
					mu.Lock()
					defer mu.Unlock()
					winners = append(winners, fmt.Sprintf("%d: %s", n, d.name))
				}
			})
		}
		wg.Wait()
		if len(winners) != 1 {
			t.Fatalf("pending %d has the winners %q", i, winners)
		}
	}
	var words int64
	for _, key := range []string{stores[0].keys.owner(modelOwner), stores[0].keys.resume()} {
		n, err := stores[0].rdb.XLen(t.Context(), key).Result()
		if err != nil && err != redis.Nil {
			t.Fatal(err)
		}
		words += n
	}
	if words != pendings {
		t.Errorf("%d words for %d decisions", words, pendings)
	}
}
