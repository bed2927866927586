package correlate_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/slackbridge/slackbridge/correlate"
	"github.com/slackbridge/slackbridge/elicit"
	"github.com/slackbridge/slackbridge/internal/redistest"
)

func TestStats_SeesWhatWaitsAndWhatIsLate(t *testing.T) {
	c := connect(t, redistest.Start(t).URL)
	k := key(t)
	a, b := open(t, options(t, c, "R1", &heard{}, k)), open(t, options(t, c, "R2", &heard{}, k)) // neither runs: what is late stays late
	ctx := t.Context()
	stats := func(s *correlate.Store) correlate.Stats {
		t.Helper()
		got, err := s.Stats(ctx)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	if got := stats(a); got.Replicas != 2 || got.Pending+got.Decided+got.Undrawn+got.Owner.Length+got.Resume.Length != 0 || got.Overdue != 0 || got.LeaseAge > time.Second {
		t.Errorf("at the start: %+v", got)
	}

	create := func(id string, owner elicit.ReplicaID, era elicit.Era, deadline time.Time) {
		t.Helper()
		err := a.Create(ctx, elicit.Pending{
			ID: elicit.PendingID(id), Kind: elicit.KindElicitation, Era: era, Mode: elicit.ModeForm, Owner: owner,
			Created: time.Now(), Deadline: deadline, Question: []byte("q"),
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	soon := time.Now().Add(time.Hour)
	for i := range 3 {
		create(fmt.Sprintf("mine%d", i), "R1", elicit.EraBlocking, soon)
	}
	create("theirs", "R2", elicit.EraBlocking, soon)
	create("anyone's", "R2", elicit.EraDurable, soon)
	if got := stats(b); got.Pending != 5 || got.Decided != 0 {
		t.Errorf("with 5 questions: %+v", got)
	}

	for _, id := range []elicit.PendingID{"mine0", "mine1", "theirs", "anyone's"} {
		if _, found, err := b.Decide(ctx, id, elicit.Decision{Action: elicit.Decline, Reason: elicit.ReasonDeclined}, nil); err != nil || !found {
			t.Fatalf("deciding %s: %t, %v", id, found, err)
		}
	}
	c.XGroupCreateMkStream(ctx, "{sb:T_HOME}:resume", "replicas", "0")
	got := stats(a)
	if got.Pending != 1 || got.Decided != 4 || got.Undrawn != 4 || got.Owner.Length != 2 || got.Resume.Length != 1 || got.Resume.Claimed != 0 {
		t.Errorf("after 4 decisions: %+v", got)
	}
	if got.Owner.Lag < 0 || got.Owner.Lag > patience || got.Overdue != 0 {
		t.Errorf("after 4 decisions: lag %s, overdue %s", got.Owner.Lag, got.Overdue)
	}

	create("late", "R1", elicit.EraBlocking, time.Now().Add(-time.Minute))
	if got := stats(a).Overdue; got < time.Minute-time.Second || got > time.Minute+patience {
		t.Errorf("overdue: %s, want a minute", got)
	}
	if err := b.Close(ctx); err != nil {
		t.Fatal(err)
	}
	if got := stats(a); got.Replicas != 1 {
		t.Errorf("%d replicas live, want 1", got.Replicas)
	}
	if got := stats(b); got.LeaseAge != time.Second {
		t.Errorf("a lease that is gone is %s old, want all of it", got.LeaseAge)
	}
}

func TestStats_SaysWhenRedisIsGone(t *testing.T) {
	r := redistest.Start(t)
	s := open(t, options(t, connect(t, r.URL), "R1", &heard{}, key(t)))
	r.Stop()
	if got, err := s.Stats(t.Context()); err == nil {
		t.Errorf("without Redis: %+v", got)
	}
}
