package correlate_test

import (
	"slices"
	"testing"
	"time"

	"github.com/slackbridge/slackbridge/correlate/correlatetest"
	"github.com/slackbridge/slackbridge/internal/redistest"
)

func (h *heard) allNudges() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.nudges)
}

func TestNudge_WhatIsDueIsToldUntilItIsDoneAndNotAfterTheEnd(t *testing.T) {
	h := &heard{}
	o := options(t, connect(t, redistest.Start(t).URL), "R1", h, key(t))
	o.Redraw = 200 * time.Millisecond
	s := open(t, o)
	past := time.Now().Add(-time.Second)
	for _, id := range []string{"waits", "decided"} {
		p := correlatetest.Pending(id)
		p.RemindAt, p.EscalateAt = past, past
		mustCreate(t, s, p)
	}
	later := correlatetest.Pending("later")
	later.RemindAt = time.Now().Add(time.Hour)
	mustCreate(t, s, later)
	if _, _, err := s.Decide(t.Context(), "decided", correlatetest.Accept("U_ANN"), []byte("{}")); err != nil {
		t.Fatal(err)
	}
	run(t, s)
	eventually(t, "both are told", func() bool { return len(h.allNudges()) >= 2 })
	must(t, s.Nudged(t.Context(), "waits", "remind"))
	eventually(t, "what is not done is told again", func() bool {
		n := 0
		for _, what := range h.allNudges() {
			if what == "escalate waits" {
				n++
			}
		}
		return n >= 2
	})
	for _, what := range h.allNudges() {
		if what != "remind waits" && what != "escalate waits" {
			t.Errorf("told of %q", what)
		}
	}
}
