package slackapp

import (
	"fmt"
	"testing"
	"time"
)

func TestSeen_IsForgottenAfterItsTimeAndNotBefore(t *testing.T) {
	now := noon
	s := newSeen(func() time.Time { return now })
	for _, step := range []struct {
		after time.Duration
		want  bool
	}{{0, true}, {time.Minute, false}, {seenFor - time.Second, false}, {seenFor, true}, {3 * seenFor, true}} {
		now = noon.Add(step.after)
		if got := s.first("click 1"); got != step.want {
			t.Errorf("after %s: first is %t, want %t", step.after, got, step.want)
		}
	}
}

func TestSeen_KeepsTheLatestOfAFlood(t *testing.T) {
	s := newSeen(func() time.Time { return noon })
	for i := range 3 * seenMax {
		if !s.first(fmt.Sprint(i)) {
			t.Fatalf("%d is not the first one", i)
		}
	}
	for i := 3*seenMax - seenMax/2; i < 3*seenMax; i++ {
		if s.first(fmt.Sprint(i)) {
			t.Fatalf("%d was forgotten although it was among the latest", i)
		}
	}
	if n := len(s.fresh) + len(s.old); n > seenMax {
		t.Errorf("%d are kept, want %d at most", n, seenMax)
	}
}

// A bot that is busy for ten minutes has as many as it keeps.
func BenchmarkSeen(b *testing.B) {
	s := newSeen(func() time.Time { return noon })
	for i := range seenMax {
		s.first(fmt.Sprint(i))
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		s.first(fmt.Sprint(seenMax + i))
	}
}

func TestLimits_ForgetChannelsThatAreQuiet(t *testing.T) {
	now := noon
	var l limits
	l.init(func() time.Time { return now }, nil)
	for i := range 10 * minPurge {
		now = now.Add(10 * time.Millisecond)
		if err := l.reserve(t.Context(), fmt.Sprint(i), time.Second); err != nil {
			t.Fatal(err)
		}
	}
	if len(l.until) > minPurge {
		t.Errorf("%d channels are kept; only 100 were written to in the last second", len(l.until))
	}
}
