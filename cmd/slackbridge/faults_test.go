package main

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/slackbridge/slackbridge/internal/slacksim"
)

func TestRedis_AwayWhileSubmittingKeepsTheFormAndWhatWasTyped(t *testing.T) {
	w := newWorld(t, worldOptions{})
	w.replica()
	ann := w.human("U_ANN")
	ann.types(deployCommand)
	ann.form()
	q := ann.seesQuestion("deploy")
	ann.fills("Cluster", "prod-eu")
	ann.fills("Maintenance window", "typed once")
	ann.fills("Confirm", "Yes")
	w.redis.Pause()
	ann.submits()
	m := ann.form()
	if !anyError(m) {
		t.Errorf("the form shows no error: %+v", m)
	}
	ann.presses(q, "Decline")
	ann.sees("could not be recorded")
	if got := w.received(); len(got) != 0 {
		t.Fatalf("something was answered that was not recorded: %q", got)
	}
	w.redis.Resume()
	ann.submits()
	w.wantReceived(`{"action":"accept","content":{"cluster":"prod-eu","window":"typed once","confirm":true}}`)
}

func TestForm_LongListIsSearchedWhileTyping(t *testing.T) {
	bothTransports(t, worldOptions{}, func(t *testing.T, w *world) {
		w.replica()
		ann := w.human("U_ANN")
		ann.types("/mcp deploy.report_incident")
		ann.form()
		found, err := ann.p.Search(t.Context(), "Host", "host-14")
		if err != nil || len(found) != 10 {
			t.Fatalf("searching for host-14 finds %q, %v; want ten hosts", found, err)
		}
		ann.fills("Host", "host-149.example.com")
		ann.fills("Title", "Payments are slow")
		ann.fills("Severity", "Major")
		ann.fills("Started at", "2026-12-01 09:30")
		ann.fills("Areas", "web", "api")
		ann.fills("Error rate", "0.25")
		ann.submits()
		w.wantReceived(`{"action":"accept","content":{"title":"Payments are slow","severity":"sev2","started":"2026-12-01T09:30:00+01:00",` +
			`"customers":0,"error_rate":0.25,"paged":true,"areas":["api","web"],"host":"host-149.example.com"}}`)
	})
}

func TestForm_ErrorsOfTheServersRulesStandAtTheirFields(t *testing.T) {
	w := newWorld(t, worldOptions{})
	w.replica()
	ann := w.human("U_ANN")
	ann.types("/mcp deploy.report_incident")
	ann.form()
	ann.fills("Title", "Payments")
	ann.fills("Severity", "Minor")
	ann.fills("Started at", "2026-12-01 09:30")
	ann.fills("Ticket", "4711") // Slack knows no patterns: only we can tell
	ann.submits()
	w.wait("an error at Ticket", func() bool {
		m, _ := ann.p.Modal()
		for _, f := range m.Fields {
			if f.Label == "Ticket" && strings.Contains(f.Error, "INC-") {
				return true
			}
		}
		return false
	})
	ann.fills("Ticket", "INC-4711")
	ann.submits()
	w.wantReceived(`{"action":"accept","content":{"title":"Payments","severity":"sev3","started":"2026-12-01T09:30:00+01:00","ticket":"INC-4711","customers":0,"paged":true}}`)
}

func TestSlack_MessageOfAChannelThatTurnsReadOnlyGoesToADM(t *testing.T) {
	w := newWorld(t, worldOptions{})
	w.replica()
	ann := w.human("U_ANN")
	// The call's message is taken; the question after it is not.
	w.sim.Fault("chat.postMessage", slacksim.Fault{After: 1, Error: "restricted_action_read_only_channel"})
	ann.types("/mcp deploy.restart_service service=payments")
	q := ann.seesQuestion("deploy")
	if q.Channel != ann.p.DM() {
		t.Errorf("asked in %s, want Ann's DM", q.Channel)
	}
	ann.presses(q, "Accept")
	w.wantReceived(`{"action":"accept","content":{}}`)
}

func TestSlack_QuestionThatIsRefusedIsCancelledAtOnceWithAReason(t *testing.T) {
	w := newWorld(t, worldOptions{})
	w.replica()
	ann := w.human("U_ANN")
	w.sim.Fault("chat.postMessage", slacksim.Fault{After: 1, Error: "invalid_blocks"})
	ann.types("/mcp deploy.restart_service service=payments")
	w.wantReceived(`{"action":"cancel"}`)
	ann.sees("Not shown", "Slack did not take the message")
}

func TestSlack_DeletedCardDoesNotTouchTheAnswer(t *testing.T) {
	w := newWorld(t, worldOptions{})
	w.replica()
	ann := w.human("U_ANN")
	ann.types(deployCommand)
	ann.form()
	q := ann.seesQuestion("deploy")
	w.sim.DeleteMessage(q.Channel, q.TS)
	ann.fills("Cluster", "staging")
	ann.fills("Maintenance window", "now")
	ann.fills("Confirm", "Yes")
	ann.submits()
	w.wantReceived(`{"action":"accept","content":{"cluster":"staging","window":"now","confirm":true}}`)
	ann.sees("Accepted by") // posted anew in the thread
}

func TestSlack_SocketIsReplacedWithoutLosingAnything(t *testing.T) {
	w := newWorld(t, worldOptions{})
	a, _ := w.replica()
	ann := w.human("U_ANN")
	for _, service := range []string{"one", "two"} {
		ann.types("/mcp deploy.restart_service service=" + service)
		q := ann.seesQuestion(service)
		w.sim.Disconnect("warning") // Slack says so some ten seconds before it hangs up
		ann.presses(q, "Accept")
		ann.becomes(q, "Accepted by")
		w.wait("a new socket stands", a.socket.Ready)
	}
	w.wantReceived(`{"action":"accept","content":{}}`, `{"action":"accept","content":{}}`)
}

func TestRedis_EmptiedUnderAnOpenQuestionEndsItHonestly(t *testing.T) {
	w := newWorld(t, worldOptions{policy: "defaults: {deadlines: {form: 4s}}\n"})
	w.replica()
	ann := w.human("U_ANN")
	ann.types(deployCommand)
	ann.form()
	q := ann.seesQuestion("deploy")
	w.redis.Restart() // it keeps nothing
	ann.killsApp()
	ann.presses(q, "Respond…")
	ann.sees("not known any more")
	w.wantReceived(`{"action":"cancel"}`)
	ann.types("/mcp deploy.restart_service service=payments")
	next := ann.seesQuestion("Restart payments")
	ann.presses(next, "Accept")
	w.wantReceived(`{"action":"cancel"}`, `{"action":"accept","content":{}}`)
}

func TestServer_ThatDiesWithItsQuestionOpenIsShownAsLost(t *testing.T) {
	w := newWorld(t, worldOptions{})
	w.replica()
	ann := w.human("U_ANN")
	ann.types(deployCommand)
	ann.form()
	q := ann.seesQuestion("deploy")
	// The child is known by the wire file that it was given.
	if out, err := exec.CommandContext(t.Context(), "pkill", "-KILL", "-f", w.wire).CombinedOutput(); err != nil {
		t.Fatalf("killing the server: %v %s", err, out)
	}
	ann.becomes(q, "Lost")
	ann.sees("Failed.", "deploy.deploy_service")
	ann.fills("Cluster", "staging")
	ann.fills("Maintenance window", "now")
	ann.fills("Confirm", "Yes")
	ann.submits()
	w.wait("the form says so", func() bool {
		m, ok := ann.p.Modal()
		return ok && len(m.Fields) == 0 && strings.Contains(m.Text, "ost")
	})
	if got := w.received(); len(got) != 0 {
		t.Errorf("something was sent on a dead request: %q", got)
	}
	ann.types("/mcp deploy.restart_service service=payments") // a new child
	ann.presses(ann.seesQuestion("Restart payments"), "Accept")
	w.wantReceived(`{"action":"accept","content":{}}`)
}

func TestSlack_PostOfWhichNothingWasHeardIsRepeatedAndAnsweredOnce(t *testing.T) {
	w := newWorld(t, worldOptions{})
	w.replica()
	ann := w.human("U_ANN")
	// Slack takes the question, and the connection breaks before it says so.
	w.sim.Fault("chat.postMessage", slacksim.Fault{After: 1, Drop: true})
	ann.types("/mcp deploy.restart_service service=payments")
	cards := func() (all []slacksim.Message) {
		for _, m := range ann.all() {
			if strings.Contains(m.Text, "Restart payments?") && len(m.Buttons) > 0 {
				all = append(all, m)
			}
		}
		return all
	}
	w.wait("the question stands, twice", func() bool { return len(cards()) == 2 })
	both := cards()
	for _, m := range both { // whichever is its card takes the answer; the other one gives way
		ann.presses(m, "Accept")
	}
	w.wantReceived(`{"action":"accept","content":{}}`)
	w.wait("no button is left", func() bool { return len(cards()) == 0 })
}

func TestSlack_ResultThatSlackFailedToTakeIsPostedAgain(t *testing.T) {
	w := newWorld(t, worldOptions{})
	w.replica()
	ann := w.human("U_ANN")
	ann.types("/mcp deploy.restart_service service=payments")
	q := ann.seesQuestion("Restart payments")
	w.sim.Fault("chat.postMessage", slacksim.Fault{Error: "internal_error", Times: 2})
	ann.presses(q, "Accept")
	ann.sees("Restarted payments.")
}

func TestSlack_StormOfLimitsAndErrorsDelaysTheCardsAndNotTheAnswers(t *testing.T) {
	w := newWorld(t, worldOptions{})
	w.replica()
	ann := w.human("U_ANN")
	const calls = 3
	var qs []slacksim.Message
	for range calls {
		ann.types("/mcp deploy.restart_service service=payments")
	}
	w.wait("all questions stand", func() bool {
		qs = qs[:0]
		for _, m := range ann.all() {
			if strings.Contains(m.Text, "Restart payments?") {
				qs = append(qs, m)
			}
		}
		return len(qs) == calls
	})
	for _, f := range []slacksim.Fault{{Status: 500, Times: 2}, {RetryAfter: 2_000_000_000, Times: 2}, {Status: 503}, {Drop: true}} {
		w.sim.Fault("chat.update", f)
	}
	for _, q := range qs {
		ann.presses(q, "Accept")
	}
	accept := `{"action":"accept","content":{}}`
	w.wantReceived(accept, accept, accept)
	for _, q := range qs {
		ann.becomes(q, "Accepted by")
	}
}

func TestSlack_BotThrownOutOfTheChannelStillTakesTheAnswer(t *testing.T) {
	w := newWorld(t, worldOptions{})
	w.replica()
	ann := w.human("U_ANN")
	ann.types(deployCommand)
	ann.form()
	ann.seesQuestion("deploy")
	w.sim.Fault("chat.update", slacksim.Fault{Times: -1, Error: "not_in_channel"})
	w.sim.Fault("chat.postMessage", slacksim.Fault{Error: "not_in_channel"}) // but not the one to Ann
	ann.fills("Cluster", "staging")
	ann.fills("Maintenance window", "now")
	ann.fills("Confirm", "Yes")
	ann.submits()
	w.wantReceived(`{"action":"accept","content":{"cluster":"staging","window":"now","confirm":true}}`)
	w.wait("the result reaches Ann in a direct message", func() bool {
		for _, m := range ann.all() {
			if m.Channel == ann.p.DM() && strings.Contains(m.Text, "Deployed payments") {
				return true
			}
		}
		return false
	})
}
