package bridge_test

import (
	"crypto/rand"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/slackbridge/slackbridge/blockkit"
	"github.com/slackbridge/slackbridge/bridge"
	"github.com/slackbridge/slackbridge/elicit"
)

func TestDrain_OpenQuestionIsCancelledAndShownAsSuch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, nil)
		r.run()
		done := make(chan error, 1)
		go func() { done <- r.b.Drain(t.Context(), 20*time.Second) }()
		synctest.Wait()
		r.command("deploy.deploy_service service=late")
		r.wantNote("respond", "restarting")
		r.wantAnswers()
		if err := <-done; err != nil {
			t.Errorf("Drain: %v", err)
		}
		r.wantAnswers("cancel")
		if p := r.pending(); p.Decision.Reason != elicit.ReasonShutdown {
			t.Errorf("reason %s, want shutdown", p.Decision.Reason)
		}
	})
}

func TestDrain_AnswerGivenMeanwhileStillCounts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, nil)
		r.run()
		done := make(chan error, 1)
		go func() { done <- r.b.Drain(t.Context(), 20*time.Second) }()
		synctest.Wait()
		r.submit(ann, r.filled("x"))
		if err := <-done; err != nil {
			t.Errorf("Drain: %v", err)
		}
		r.wantAnswers(`accept {"cluster":"prod","window":"x"}`)
	})
}

func TestStop_EndsTheCallForItsRequesterOnly(t *testing.T) {
	bubble(t, nil, func(t *testing.T, r *rig) {
		r.run()
		call, heading := string(r.pending().Call), elicit.MessageRef{Channel: "C1", TS: "1.1"}
		r.clickOn(bob, blockkit.ActionStop, call, heading)
		r.wantAnswers()
		r.clickOn(ann, blockkit.ActionStop, call, heading)
		r.wantAnswers("cancel")
		if p := r.pending(); p.Decision.Reason != elicit.ReasonStopped {
			t.Errorf("reason %s, want stopped", p.Decision.Reason)
		}
		r.clickOn(ann, blockkit.ActionStop, call, heading)
		r.wantNote("ephemeral", "not running")
	})
}

func TestStop_ThatLandsOnAnotherReplicaReachesTheOneThatRunsTheCall(t *testing.T) {
	bubble(t, nil, func(t *testing.T, r *rig) {
		r.run()
		other := newRig(t, nil)
		defer other.end(t)
		b, err := bridge.New(bridge.Options{
			Replica: "R2", Team: team, Ledger: r.ledger, Slack: other.slack, Host: other.host, Audit: other.audit,
			Now: time.Now, Rand: rand.Reader, Log: slog.New(slog.DiscardHandler),
		})
		if err != nil {
			t.Fatal(err)
		}
		r.ledger.stopped = r.b.Stopped
		press := func(who elicit.User) {
			b.Click(t.Context(), blockkit.Click{User: who, Action: blockkit.ActionStop, Value: string(r.pending().Call), Message: elicit.MessageRef{Channel: "C1", TS: "1.1"}})
			synctest.Wait()
		}
		press(bob)
		r.wantAnswers()
		other.wantNote("ephemeral", "can stop this call")
		press(ann)
		r.wantAnswers("cancel")
		press(ann)
		other.wantNote("ephemeral", "not running")
	})
}

func TestCommand_EveryMistakeIsAnswered(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"", "/mcp"},
		{"help", "/mcp"},
		{"servers", "deploy"},
		{"deploy", "deploy_service"},
		{"nosuch.tool", "nosuch"},
		{"deploy.nosuch", "nosuch"},
		{"deploy.deploy_service servce=x", "servce"},
	} {
		t.Run(tt.text, func(t *testing.T) {
			bubble(t, nil, func(t *testing.T, r *rig) {
				r.command(tt.text)
				r.wantNote("respond", tt.want)
				if n := len(r.slack.of("post")); n != 0 {
					t.Errorf("%d messages were posted for everybody", n)
				}
			})
		})
	}
}

func TestCommand_StrangersRunNothing(t *testing.T) {
	bubble(t, nil, func(t *testing.T, r *rig) {
		r.b.Command(t.Context(), blockkit.Command{User: elicit.User{Team: "T_OTHER", ID: "U_EXT"}, Channel: "C1", Text: "deploy.deploy_service service=x", TriggerID: "t", ResponseURL: "https://respond"})
		synctest.Wait()
		r.wantNote("respond", "another workspace")
		if n := len(r.slack.of("post")); n != 0 {
			t.Errorf("%d messages posted", n)
		}
	})
}

func TestCommand_DeliveredTwiceRunsOnce(t *testing.T) {
	bubble(t, nil, func(t *testing.T, r *rig) {
		cmd := blockkit.Command{User: ann, Channel: "C1", Text: "deploy.deploy_service service=x", TriggerID: "same", At: time.Now()}
		r.b.Command(t.Context(), cmd)
		r.b.Command(t.Context(), cmd)
		synctest.Wait()
		r.pending() // exactly one
	})
}

func TestNew_NamesEverythingThatIsMissing(t *testing.T) {
	_, err := bridge.New(bridge.Options{})
	for _, want := range []string{"Replica", "Team", "Ledger", "Slack", "Host", "Audit", "Now", "Rand", "Log"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("New: %v does not name %s", err, want)
		}
	}
}
