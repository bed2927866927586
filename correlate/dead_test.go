package correlate_test

import (
	"testing"
	"time"

	"github.com/slackbridge/slackbridge/correlate"
	"github.com/slackbridge/slackbridge/correlate/correlatetest"
	"github.com/slackbridge/slackbridge/elicit"
	"github.com/slackbridge/slackbridge/internal/redistest"
)

var ann = elicit.User{Team: "T_HOME", ID: "U_ANN"}

// deadAndHeir are a replica whose lease runs out, and the one that buries it.
func deadAndHeir(t *testing.T) (dead, heir *correlate.Store, h *heard) {
	t.Helper()
	srv := redistest.Start(t)
	k := key(t)
	h = &heard{}
	dead = open(t, options(t, connect(t, srv.URL), "R1", &heard{}, k))
	return dead, open(t, options(t, connect(t, srv.URL), "R2", h, k)), h
}

func (h *heard) read(f func()) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	f()
	return true
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestOwner_DeadOnesUndeliveredDecisionIsLostAndItsCardDrawn(t *testing.T) {
	dead, heir, h := deadAndHeir(t)
	p := correlatetest.Pending("p1")
	mustCreate(t, dead, p)
	if s, _, err := heir.Decide(t.Context(), p.ID, correlatetest.Accept("U_ANN"), []byte(`{"a":1}`)); err != nil || !s.Won {
		t.Fatalf("Decide: %+v, %v", s, err)
	}
	run(t, heir)
	eventually(t, "somebody is told to draw it", func() bool {
		n := 0
		h.read(func() { n = len(h.undrawn) })
		return n == 1
	})
	got, _, err := heir.Load(t.Context(), p.ID)
	if err != nil || got.State != elicit.StateLost || got.Decision.Action != elicit.Accept {
		t.Errorf("the record: %+v, %v; want an accept that was lost", got, err)
	}
	if _, err := heir.Answer(t.Context(), p.ID); err == nil {
		t.Error("the answer is still kept")
	}
	// It was not dead after all, and the answer did reach the server.
	must(t, dead.Delivered(t.Context(), p.ID))
	if got, _, err := heir.Load(t.Context(), p.ID); err != nil || got.State != elicit.StateDelivered {
		t.Errorf("the record: %s, %v; want delivered", got.State, err)
	}
}

func TestOwner_DeadOnesCallsAreHandedToOneHeir(t *testing.T) {
	dead, heir, h := deadAndHeir(t)
	for id, record := range map[elicit.CallID]string{"running": "rec-1", "ended": "rec-2", "waiting": "rec-3", "resuming": "rec-4"} {
		must(t, dead.CallRunning(t.Context(), id, ann, []byte(record)))
	}
	must(t, dead.CallEnded(t.Context(), "ended"))
	for _, id := range []elicit.CallID{"waiting", "resuming"} {
		must(t, dead.Park(t.Context(), id, []byte("parked"), time.Minute))
	}
	if won, err := dead.ClaimPark(t.Context(), "resuming"); err != nil || !won {
		t.Fatalf("ClaimPark: %v, %v", won, err)
	}
	run(t, heir)
	eventually(t, "the heir is told", func() bool {
		calls, orphans := 0, 0
		h.read(func() { calls, orphans = len(h.calls), len(h.orphans) })
		return calls == 1 && orphans == 1
	})
	h.read(func() {
		if h.calls["running"] != "rec-1" || h.orphans[0] != "resuming" {
			t.Errorf("calls %v, orphans %v; want the running one with its record, and the one that was resumed", h.calls, h.orphans)
		}
	})
	if won, err := heir.ClaimPark(t.Context(), "waiting"); err != nil || !won {
		t.Errorf("the one that waits can not be gone on with: %v, %v", won, err)
	}
}

func TestOwner_DeadOnesUnplacedDurableQuestionIsHandedOver(t *testing.T) {
	dead, heir, h := deadAndHeir(t)
	for _, id := range []string{"placed", "unplaced"} {
		p := correlatetest.Pending(id)
		p.Era, p.Card = elicit.EraDurable, elicit.MessageRef{}
		mustCreate(t, dead, p)
	}
	_, err := dead.Placed(t.Context(), "placed", elicit.MessageRef{Channel: "C1", TS: "1.2"})
	must(t, err)
	run(t, heir)
	eventually(t, "the heir is told", func() bool {
		n := 0
		h.read(func() { n = len(h.unplaced) })
		return n > 0
	})
	h.read(func() {
		if len(h.unplaced) != 1 || h.unplaced[0].ID != "unplaced" {
			t.Errorf("unplaced: %v", h.unplaced)
		}
	})
}

func TestUndrawn_IsToldUntilSomebodyHasDrawnTheNewestState(t *testing.T) {
	srv := redistest.Start(t)
	c := connect(t, srv.URL)
	h := &heard{}
	o := options(t, c, "R1", h, key(t))
	o.Redraw = 50 * time.Millisecond
	s := open(t, o)
	run(t, s)
	for _, id := range []string{"drawn", "undrawn"} {
		p := correlatetest.Pending(id)
		p.Card = elicit.MessageRef{Channel: "C1", TS: id}
		mustCreate(t, s, p)
		if _, _, err := s.Decide(t.Context(), p.ID, correlatetest.Accept("U_ANN"), []byte(`{}`)); err != nil {
			t.Fatal(err)
		}
	}
	must(t, s.Drawn(t.Context(), "drawn", elicit.StateDecided))
	told := func() (n int, last elicit.State) {
		h.read(func() {
			for _, p := range h.undrawn {
				if p.ID == "undrawn" {
					n, last = n+1, p.State
				}
			}
		})
		return n, last
	}
	eventually(t, "it is told twice", func() bool { n, _ := told(); return n >= 2 })
	must(t, s.Lost(t.Context(), "undrawn", elicit.ReasonConnectionLost))
	must(t, s.Drawn(t.Context(), "undrawn", elicit.StateDecided)) // an older truth, drawn late
	eventually(t, "it is told of the newer state", func() bool { _, last := told(); return last == elicit.StateLost })
	must(t, s.Drawn(t.Context(), "undrawn", elicit.StateLost))
	if n, err := c.ZCard(t.Context(), "{sb:T_HOME}:undrawn").Result(); err != nil || n != 0 {
		t.Errorf("%d cards are owed, %v; want none", n, err)
	}
}

func TestSeal_OldKeyCanBeGivenUpAfterARotation(t *testing.T) {
	srv := redistest.Start(t)
	c := connect(t, srv.URL)
	before, after := key(t), key(t)
	open(t, options(t, c, "R1", &heard{}, before))
	open(t, options(t, c, "R2", &heard{}, before, after)) // everybody knows the new one first
	open(t, options(t, c, "R3", &heard{}, after, before))
	open(t, options(t, c, "R4", &heard{}, after))
	_, err := correlate.Open(t.Context(), options(t, c, "R5", &heard{}, before))
	if _, wrong := err.(*correlate.WrongKeyError); !wrong {
		t.Errorf("the old key alone: %v, want it refused", err)
	}
}
