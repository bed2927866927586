package correlate_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/slackbridge/slackbridge/correlate"
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
	if left, err := c.ZCard(t.Context(), "{sb:T_HOME}:holds:R1").Result(); err != nil || left != 0 {
		t.Errorf("the replica still holds %d, %v; want nothing", left, err)
	}
}

// TestRedis_IsIdleAgainAfterTenThousandQuestions ends many questions in every
// way and sees that nothing of them is left once their records have run out.
func TestRedis_IsIdleAgainAfterTenThousandQuestions(t *testing.T) {
	n := 10_000
	if testing.Short() {
		n = 500
	}
	srv := redistest.Start(t)
	c := connect(t, srv.URL)
	h := &heard{}
	o := options(t, c, "R1", h, key(t))
	o.Keep, o.Redraw = time.Second, time.Second
	s := open(t, o)
	run(t, s)
	size := func() int64 {
		n, err := c.DBSize(t.Context()).Result()
		must(t, err)
		return n
	}
	eventually(t, "the consumer group stands", func() bool { return size() >= 4 }) // lease, replicas, canary, resume
	idle := size() + 1                                                             // the stream of the replica stays, empty, as long as it runs
	ends := []elicit.Decision{
		correlatetest.Accept("U_ANN"),
		{Action: elicit.Decline, Reason: elicit.ReasonDeclined, Responder: ann},
		{Action: elicit.Cancel, Reason: elicit.ReasonWithdrawn},
		{Action: elicit.Cancel, Reason: elicit.ReasonConnectionLost},
		{}, // nobody: it expires
	}
	var wg sync.WaitGroup
	const workers = 8
	for w := range workers {
		wg.Go(func() {
			for i := w; i < n; i += workers {
				if err := endOne(t.Context(), s, i, ends[i%len(ends)]); err != nil {
					t.Errorf("question %d: %v", i, err)
					return
				}
			}
		})
	}
	wg.Wait()
	eventually(t, "Redis is as it was", func() bool { return size() == idle })
	eventually(t, "and no more is awaited or owed", func() bool {
		left := int64(0)
		for _, set := range []string{"expiry", "undrawn"} {
			k, err := c.ZCard(t.Context(), "{sb:T_HOME}:"+set).Result()
			must(t, err)
			left += k
		}
		return left == 0
	})
}

// endOne lets a question, its call, its draft and its parked call come and go.
func endOne(ctx context.Context, s *correlate.Store, i int, d elicit.Decision) error {
	p := correlatetest.Pending(fmt.Sprintf("q%d", i))
	p.Era = []elicit.Era{elicit.EraBlocking, elicit.EraDurable}[i%2]
	p.Deadline = time.Now().Add(2 * time.Second)
	call := elicit.CallID(p.ID)
	errs := []error{
		s.CallRunning(ctx, call, ann, []byte("record")), s.Park(ctx, call, []byte("call"), time.Second),
		s.SaveDraft(ctx, string(p.ID), ann, []byte("draft"), time.Second), s.Create(ctx, p),
	}
	if d.Action != "" {
		_, _, err := s.Decide(ctx, p.ID, d, []byte("{}"))
		errs = append(errs, err, s.Delivered(ctx, p.ID), s.DropDraft(ctx, string(p.ID), ann), s.DropPark(ctx, call))
	}
	return errors.Join(append(errs, s.CallEnded(ctx, call))...)
}
