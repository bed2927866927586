package main

import (
	"os"
	"strings"
	"testing"

	"github.com/slackbridge/slackbridge/internal/slacksim"
)

const deployCommand = "/mcp deploy.deploy_service service=payments version=2.3.1"

func TestDeploy_FormIsAnsweredAndTheServerGetsExactlyThat(t *testing.T) {
	bothTransports(t, worldOptions{}, func(t *testing.T, w *world) {
		w.replica()
		ann := w.human("U_ANN")
		ann.types(deployCommand)
		ann.form() // opens by itself: the command is fresh
		ann.killsApp()

		q := ann.seesQuestion("deploy", "Cluster", "Maintenance window", "Confirm")
		if heading := ann.message(slacksim.Message{Channel: q.Channel, TS: q.ThreadTS}); !strings.Contains(heading.Text, "deploy.deploy_service") || !strings.Contains(heading.Text, "Ann") {
			t.Errorf("the thread is headed %q, want who runs what", heading.Text)
		}
		if q.Channel != deploys || len(q.Mentions) != 1 || q.Mentions[0] != "U_ANN" {
			t.Errorf("asked in %s, pinging %v; want #deploys and Ann", q.Channel, q.Mentions)
		}
		ann.presses(q, "Respond…")
		form := ann.form()
		if got := labels(form); strings.Join(got, ", ") != "Cluster, Maintenance window, Confirm" {
			t.Errorf("the form asks %q", got)
		}
		ann.fills("Cluster", "prod-eu")
		ann.fills("Maintenance window", "22:00–23:00 UTC, “no” <freeze> & go")
		ann.fills("Confirm", "Yes")
		ann.submits()

		w.wantReceived(`{"action":"accept","content":{"cluster":"prod-eu","window":"22:00–23:00 UTC, “no” <freeze> & go","confirm":true}}`)
		ann.hasNoForm()
		ended := ann.becomes(q, "Accepted by", "Ann")
		for _, value := range []string{"prod-eu", "freeze"} {
			if strings.Contains(ended.Text, value) || strings.Contains(ended.Fallback, value) {
				t.Errorf("the ended card shows the value %q: %s", value, ended.Text)
			}
		}
		ann.sees("Deployed payments 2.3.1 to prod-eu")
	})
}

func TestDeploy_EveryOtherEnd(t *testing.T) {
	policy := "defaults: {deadlines: {form: 4s}}\n"
	for _, tt := range []struct {
		name string
		do   func(h human, q slacksim.Message)
		wire string
		card string
		// rules: only the case that waits for the deadline gets a short one
		short bool
	}{
		{name: "Decline on the card", wire: `{"action":"decline"}`, card: "Declined by", do: func(h human, q slacksim.Message) {
			h.presses(q, "Decline")
		}},
		{name: "Decline in the form", wire: `{"action":"decline"}`, card: "Declined by", do: func(h human, q slacksim.Message) {
			h.presses(q, "Respond…")
			h.form()
			if err := h.p.PressInModal(h.w.t.Context(), "Decline"); err != nil {
				h.w.t.Fatal(err)
			}
		}},
		{name: "Cancel", wire: `{"action":"cancel"}`, card: "Cancelled by", do: func(h human, q slacksim.Message) {
			h.presses(q, "Cancel")
		}},
		{name: "closed form", wire: `{"action":"cancel"}`, card: "Dismissed by", do: func(h human, q slacksim.Message) {
			h.presses(q, "Respond…")
			h.form()
			if err := h.p.CloseModal(h.w.t.Context()); err != nil {
				h.w.t.Fatal(err)
			}
		}},
		{name: "nobody answers", wire: `{"action":"cancel"}`, card: "Expired", short: true, do: func(human, slacksim.Message) {}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := worldOptions{}
			if tt.short {
				o.policy = policy
			}
			bothTransports(t, o, func(t *testing.T, w *world) {
				w.replica()
				ann := w.human("U_ANN")
				ann.types(deployCommand)
				ann.form()
				ann.killsApp()
				q := ann.seesQuestion("deploy")
				tt.do(ann, q)
				w.wantReceived(tt.wire)
				ann.becomes(q, tt.card)
				ann.sees("Not deployed")
			})
		})
	}
}

func TestDeploy_WhatCannotBeShownIsRefusedWithItsReason(t *testing.T) {
	w := newWorld(t, worldOptions{})
	w.replica()
	ann := w.human("U_ANN")
	ann.types("/mcp deploy.broken_form")
	ann.sees("Not shown", "not valid", "requestedSchema.properties.")
	w.wait("the server receives an error", func() bool { return len(w.received()) == 1 })
	if got := w.received()[0]; !strings.Contains(got, `-32602`) || !strings.Contains(got, "requestedSchema.properties.") {
		t.Errorf("the server received %s, want -32602 and the path", got)
	}
}

func TestDeploy_FieldErrorsStandAtTheirFieldAndTheFormStaysOpen(t *testing.T) {
	w := newWorld(t, worldOptions{})
	w.replica()
	ann := w.human("U_ANN")
	ann.types("/mcp deploy.report_incident")
	ann.form()
	if err := ann.p.Submit(t.Context()); err == nil {
		if m, _ := ann.p.Modal(); !anyError(m) {
			t.Errorf("an empty required form was taken without an error")
		}
	}
	if got := w.received(); len(got) != 0 {
		t.Errorf("the server received %q", got)
	}
}

func TestDeploy_ConfirmWithoutFieldsIsOneTap(t *testing.T) {
	w := newWorld(t, worldOptions{})
	w.replica()
	ann := w.human("U_ANN")
	ann.types("/mcp deploy.restart_service service=payments")
	q := ann.seesQuestion("deploy")
	ann.presses(q, "Accept")
	w.wantReceived(`{"action":"accept","content":{}}`)
	ann.becomes(q, "Accepted by")
}

func TestQuestion_StrangerIsToldAndNothingChanges(t *testing.T) {
	w := newWorld(t, worldOptions{})
	w.replica()
	ann, bob := w.human("U_ANN"), w.human("U_BOB")
	ann.types(deployCommand)
	ann.form()
	ann.killsApp()
	q := bob.seesQuestion("deploy")
	for _, label := range []string{"Respond…", "Decline", "Cancel"} {
		bob.presses(q, label)
	}
	bob.sees("can answer this question")
	if _, open := bob.p.Modal(); open {
		t.Error("Bob got the form of Ann's question")
	}
	if _, leaked := ann.find("can answer this question"); leaked {
		t.Error("Bob's note is visible to Ann")
	}
	ann.presses(q, "Decline")
	w.wantReceived(`{"action":"decline"}`)
}

func TestQuestion_ClickAfterTheDecisionIsTold(t *testing.T) {
	w := newWorld(t, worldOptions{})
	w.replica()
	ann := w.human("U_ANN")
	ann.types(deployCommand)
	ann.form() // stays open while the card is declined elsewhere
	q := ann.seesQuestion("deploy")
	ann.presses(q, "Decline")
	ann.becomes(q, "Declined by")
	ann.fills("Cluster", "staging")
	ann.fills("Maintenance window", "now")
	ann.fills("Confirm", "No")
	ann.submits()
	w.wait("the form says what happened", func() bool {
		m, ok := ann.p.Modal()
		return ok && len(m.Fields) == 0 && strings.Contains(m.Text, "Declined")
	})
	w.wantReceived(`{"action":"decline"}`)
}

func TestQuestion_DoubleClickAndDoubleDeliveryAnswerOnce(t *testing.T) {
	bothTransports(t, worldOptions{}, func(t *testing.T, w *world) {
		w.replica()
		ann := w.human("U_ANN")
		w.sim.DuplicateNext(2)
		ann.types("/mcp deploy.restart_service service=payments")
		q := ann.seesQuestion("deploy")
		w.sim.DuplicateNext(3)
		ann.presses(q, "Accept")
		w.wantReceived(`{"action":"accept","content":{}}`)
		ann.becomes(q, "Accepted by")
		ann.sees("Restarted")
		if got := w.received(); len(got) != 1 {
			t.Errorf("the server received %q", got)
		}
		if n := strings.Count(textOf(ann.all()), "deploy.restart_service"); n == 0 {
			t.Error("the call has no heading")
		}
	})
}

func TestQuestion_SubmitAfterExpiryIsTold(t *testing.T) {
	w := newWorld(t, worldOptions{policy: "defaults: {deadlines: {form: 4s}}\n"})
	w.replica()
	ann := w.human("U_ANN")
	ann.types(deployCommand)
	ann.form()
	ann.fills("Cluster", "prod-us")
	ann.fills("Maintenance window", "now")
	ann.fills("Confirm", "Yes")
	w.wantReceived(`{"action":"cancel"}`)
	ann.submits()
	w.wait("the form says that it expired", func() bool {
		m, ok := ann.p.Modal()
		return ok && len(m.Fields) == 0 && strings.Contains(m.Text, "xpired")
	})
	w.wantReceived(`{"action":"cancel"}`)
}

func TestIsolation_TwoUsersOfOneServerAnswerTheirOwnCallsInReverseOrder(t *testing.T) {
	w := newWorld(t, worldOptions{})
	w.replica()
	ann, bob := w.human("U_ANN"), w.human("U_BOB")
	ann.types("/mcp deploy.deploy_service service=payments version=1.0.0")
	bob.types("/mcp deploy.deploy_service service=search version=2.0.0")
	annForm, bobForm := ann.form(), bob.form()
	if !strings.Contains(annForm.Text, "payments") || strings.Contains(annForm.Text, "search") {
		t.Errorf("Ann's form speaks of %q", annForm.Text)
	}
	if !strings.Contains(bobForm.Text, "search") || strings.Contains(bobForm.Text, "payments") {
		t.Errorf("Bob's form speaks of %q", bobForm.Text)
	}
	for _, h := range []struct {
		human
		cluster, result string
	}{
		{bob, "prod-us", "Deployed search 2.0.0 to prod-us"},
		{ann, "staging", "Deployed payments 1.0.0 to staging"},
	} {
		h.fills("Cluster", h.cluster)
		h.fills("Maintenance window", "now")
		h.fills("Confirm", "Yes")
		h.submits()
		h.sees(h.result)
	}
}

func TestPrivacy_TypedValuesAreInNoLogNoAuditAndNoRedisDump(t *testing.T) {
	const canary = "canary-7f3a-value"
	w := newWorld(t, worldOptions{})
	w.replica()
	ann := w.human("U_ANN")
	ann.types(deployCommand)
	ann.form()
	ann.fills("Cluster", "prod-eu")
	ann.fills("Maintenance window", canary)
	ann.fills("Confirm", "Yes")
	ann.submits()
	w.wait("the server receives the value", func() bool { return strings.Contains(strings.Join(w.received(), ""), canary) })
	ann.sees("Deployed payments")
	audit, err := os.ReadFile(w.audit)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(audit), `"window"`) {
		t.Errorf("the audit record does not name the field: %s", audit)
	}
	for where, text := range map[string]string{"the log": w.logs.String(), "the audit file": string(audit), "Redis": w.redis.Dump(t)} {
		if strings.Contains(text, canary) {
			t.Errorf("the value stands in %s", where)
		}
		if text == "" {
			t.Errorf("nothing was looked at in %s", where)
		}
	}
}

func labels(m slacksim.Modal) []string {
	var out []string
	for _, f := range m.Fields {
		out = append(out, f.Label)
	}
	return out
}

func anyError(m slacksim.Modal) bool {
	for _, f := range m.Fields {
		if f.Error != "" {
			return true
		}
	}
	return false
}

func textOf(ms []slacksim.Message) string {
	var b strings.Builder
	for _, m := range ms {
		b.WriteString(m.Text)
		b.WriteByte('\n')
	}
	return b.String()
}
