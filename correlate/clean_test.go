package correlate_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/slackbridge/slackbridge/correlate/correlatetest"
	"github.com/slackbridge/slackbridge/elicit"
	"github.com/slackbridge/slackbridge/internal/redistest"
)

func TestRedis_EveryKeyEndsOrIsTrimmed(t *testing.T) {
	srv := redistest.Start(t)
	c := connect(t, srv.URL)
	h := &heard{}
	s := open(t, options(t, c, "R1", h, key(t)))
	run(t, s)
	const n = 50
	for i := range n {
		p := correlatetest.Pending(fmt.Sprintf("p%d", i))
		mustCreate(t, s, p)
		if _, _, err := s.Decide(t.Context(), p.ID, correlatetest.Accept("U_ANN"), []byte("{}")); err != nil {
			t.Fatal(err)
		}
		if err := s.Delivered(t.Context(), p.ID); err != nil {
			t.Fatal(err)
		}
		if err := s.Drawn(t.Context(), p.ID, elicit.StateDelivered); err != nil {
			t.Fatal(err)
		}
	}
	eventually(t, "all decisions are taken", func() bool { d, _ := h.counts(); return d == n })
	trimmed := []string{"expiry", "resume", "canary", "undrawn"} // emptied by decide and acknowledgement, or a single value
	eventually(t, "everything else has an end", func() bool {
		keys, err := c.Keys(t.Context(), "*").Result()
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range keys {
			name := strings.TrimPrefix(k, "{sb:T_HOME}:")
			ttl, err := c.TTL(t.Context(), k).Result()
			if err != nil {
				t.Fatal(err)
			}
			if ttl < 0 && !strings.Contains(strings.Join(trimmed, " "), name) {
				return false
			}
		}
		return true
	})
	for _, k := range []string{"{sb:T_HOME}:owner:R1"} {
		eventually(t, k+" is empty", func() bool { n, err := c.XLen(t.Context(), k).Result(); return err == nil && n == 0 })
	}
	for _, set := range []string{"expiry", "undrawn"} {
		if left, err := c.ZCard(t.Context(), "{sb:T_HOME}:"+set).Result(); err != nil || left != 0 {
			t.Errorf("%s holds %d, %v; want nothing", set, left, err)
		}
	}
	if left, err := c.SCard(t.Context(), "{sb:T_HOME}:holds:R1").Result(); err != nil || left != 0 {
		t.Errorf("the replica still holds %d, %v; want nothing", left, err)
	}
}
