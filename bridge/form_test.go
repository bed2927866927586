package bridge_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/slackbridge/slackbridge/blockkit"
	"github.com/slackbridge/slackbridge/bridge"
	"github.com/slackbridge/slackbridge/elicit"
)

func TestRespond_SlowLookUpKeepsTheTriggerInALoadingView(t *testing.T) {
	bubble(t, nil, func(t *testing.T, r *rig) {
		r.run()
		r.ledger.slow = 2 * time.Second
		began := time.Now()
		r.click(ann, blockkit.ActionRespond)
		if len(r.slack.of("open")) != 1 || len(r.slack.of("view")) != 1 {
			t.Fatalf("%d opened, %d updated; want a loading view that becomes the form", len(r.slack.of("open")), len(r.slack.of("view")))
		}
		if took := time.Since(began); took < 2*time.Second {
			t.Errorf("the form came after %s, before its question was read", took)
		}
		if id := r.slack.of("open")[0].modal.View.CallbackID; id == blockkit.CallbackForm {
			t.Errorf("the loading view can be taken for the form: closing it would cancel")
		}
		if id := r.slack.of("view")[0].modal.View.CallbackID; id != blockkit.CallbackForm {
			t.Errorf("the loading view became %q", id)
		}
	})
}

func TestRespond_ExpiredTriggerLeavesTheQuestionOpen(t *testing.T) {
	bubble(t, nil, func(t *testing.T, r *rig) {
		r.run()
		r.slack.setFail("open", elicit.ErrTriggerExpired)
		r.click(ann, blockkit.ActionRespond)
		r.wantNote("ephemeral", "press the button again")
		r.slack.setFail("open", nil)
		r.click(ann, blockkit.ActionRespond)
		if n := len(r.slack.of("open")); n != 1 {
			t.Errorf("%d forms opened after the second press, want 1", n)
		}
	})
}

func TestRespond_DoubleClickIsToldWhileALaterPressOpensAnew(t *testing.T) {
	bubble(t, nil, func(t *testing.T, r *rig) {
		r.run()
		r.click(ann, blockkit.ActionRespond)
		time.Sleep(time.Minute / 2)
		r.click(ann, blockkit.ActionRespond)
		open := r.slack.of("open")
		if len(open) != 2 || open[0].modal.View.ExternalID == open[1].modal.View.ExternalID {
			t.Errorf("half a minute later the view has the same id, so a form lost on a phone would block it")
		}
		r.slack.setFail("open", elicit.ErrAlreadyOpen)
		r.click(ann, blockkit.ActionRespond)
		r.wantNote("ephemeral", "open already")
	})
}

func TestAutoOpen_OnlyWhileTheCommandIsFresh(t *testing.T) {
	for _, tt := range []struct {
		name  string
		think time.Duration
		want  int
	}{{"at once", 0, 1}, {"after 2.4 s", 2400 * time.Millisecond, 1}, {"after 2.6 s", 2600 * time.Millisecond, 0}} {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, func(o *bridge.Options) { o.AutoOpen = 2500 * time.Millisecond }, func(t *testing.T, r *rig) {
				r.host.call = func(ctx context.Context, c elicit.Call) (elicit.Outcome, error) {
					time.Sleep(tt.think)
					return r.asking(formParams)(ctx, c)
				}
				r.run()
				time.Sleep(tt.think)
				synctest.Wait()
				if n := len(r.slack.of("open")); n != tt.want {
					t.Errorf("%d forms opened by themselves, want %d", n, tt.want)
				}
			})
		})
	}
}
