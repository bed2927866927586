package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/slackbridge/slackbridge/internal/slacksim"
)

func TestReplicas_AnyOfThemSettlesAnyClick(t *testing.T) {
	w := newWorld(t, worldOptions{})
	a, _ := w.replica()
	b, _ := w.replica()
	w.wait("both are connected", func() bool { return a.socket.Ready() && b.socket.Ready() })
	ann := w.human("U_ANN")
	const calls = 4
	for i := range calls {
		// Slack hands each payload to any one socket: the command, the click and
		// the submission of one question go their own ways.
		ann.types(fmt.Sprintf("/mcp deploy.deploy_service service=s%d version=1", i))
		q := ann.seesQuestion(fmt.Sprintf("Deploy s%d", i))
		ann.form()
		ann.killsApp()
		ann.presses(q, "Respond…")
		ann.form()
		ann.fills("Cluster", "staging")
		ann.fills("Maintenance window", fmt.Sprintf("window %d", i))
		ann.fills("Confirm", "Yes")
		ann.submits()
		ann.sees(fmt.Sprintf("Deployed s%d 1 to staging (window: window %d)", i, i))
		ann.becomes(q, "Accepted by")
	}
	if got := w.received(); len(got) != calls {
		t.Errorf("%d answers reached the server, want %d: %q", len(got), calls, got)
	}
}

func TestReplicas_StoppedOneCancelsItsQuestionsAndSaysSo(t *testing.T) {
	w := newWorld(t, worldOptions{})
	_, stop := w.replica()
	ann := w.human("U_ANN")
	ann.types("/mcp deploy.restart_service service=payments")
	q := ann.seesQuestion("deploy")
	stop()
	w.wantReceived(`{"action":"cancel"}`)
	now := ann.message(q)
	if len(now.Buttons) != 0 || !strings.Contains(now.Text, "Cancelled") {
		t.Errorf("after the stop the card reads %q with buttons %v", now.Text, now.Buttons)
	}
}

func TestReplicas_StopWorksOnWhicheverItLands(t *testing.T) {
	w := newWorld(t, worldOptions{})
	w.replica()
	w.replica()
	ann := w.human("U_ANN")
	for i := range 4 {
		ann.types(fmt.Sprintf("/mcp deploy.restart_service service=s%d", i))
		q := ann.seesQuestion(fmt.Sprintf("Restart s%d?", i))
		ann.presses(ann.message(slacksim.Message{Channel: q.Channel, TS: q.ThreadTS}), "Stop")
		ann.becomes(q, "Cancelled", "stopped")
	}
	for _, got := range w.received() {
		if got != `{"action":"cancel"}` {
			t.Errorf("a stopped question was answered %s", got)
		}
	}
}
