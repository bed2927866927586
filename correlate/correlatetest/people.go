package correlatetest

import (
	"slices"
	"testing"
	"time"

	"github.com/slackbridge/slackbridge/elicit"
)

func approve(t *testing.T, l Ledger, who string) elicit.Settlement {
	t.Helper()
	s, found, err := l.Approve(t.Context(), "p1", elicit.User{Team: "T_HOME", ID: who})
	if err != nil || !found {
		t.Fatalf("Approve by %s: found %v, %v", who, found, err)
	}
	return s
}

func approvalsAreOfDistinctPeople(t *testing.T, l Ledger) {
	p := Pending("p1")
	p.Era, p.Kind, p.Needs = elicit.EraDurable, elicit.KindGate, 2
	create(t, l, p)
	for _, step := range []struct {
		who          string
		counted, won bool
		approvals    int
	}{
		{"U_ANN", true, false, 1},
		{"U_ANN", false, false, 1},
		{"U_BOB", true, true, 2},
		{"U_CARL", false, false, 2},
	} {
		s := approve(t, l, step.who)
		if s.Counted != step.counted || s.Won != step.won || len(s.Pending.Approvals) != step.approvals {
			t.Errorf("Approve by %s: counted %v, won %v, %d approvals; want %v, %v, %d",
				step.who, s.Counted, s.Won, len(s.Pending.Approvals), step.counted, step.won, step.approvals)
		}
	}
	got := load(t, l, "p1")
	if got.Decision == nil || got.Decision.Action != elicit.Accept || got.Decision.Responder.ID != "U_BOB" {
		t.Errorf("the decision is %+v, want the accept that Bob completed", got.Decision)
	}
	if len(got.Approvals) != 2 || got.Approvals[0].By.ID != "U_ANN" || got.Approvals[0].At.IsZero() || got.Needs != 2 {
		t.Errorf("needs %d, approvals %+v", got.Needs, got.Approvals)
	}
}

func oneDeclineEndsApprovals(t *testing.T, l Ledger) {
	p := Pending("p1")
	p.Era, p.Kind, p.Needs = elicit.EraDurable, elicit.KindGate, 2
	create(t, l, p)
	approve(t, l, "U_ANN")
	decide(t, l, "p1", elicit.Decision{Action: elicit.Decline, Reason: elicit.ReasonDeclined, Responder: elicit.User{Team: "T_HOME", ID: "U_BOB"}}, nil)
	s := approve(t, l, "U_CARL")
	if s.Won || s.Counted || s.Pending.Decision == nil || s.Pending.Decision.Action != elicit.Decline || len(s.Pending.Approvals) != 1 {
		t.Errorf("Approve after a decline: %+v", s)
	}
}

func onlyWhatWaitsIsAmended(t *testing.T, l Ledger) {
	create(t, l, Pending("p1"))
	carl := elicit.User{Team: "T_HOME", ID: "U_CARL"}
	p, done, found, err := l.Delegate(t.Context(), "p1", carl)
	if err != nil || !found || !done || p.Delegate != carl {
		t.Errorf("Delegate: %v, done %v, found %v, %v", p.Delegate, done, found, err)
	}
	p, done, found, err = l.Escalate(t.Context(), "p1")
	if err != nil || !found || !done || !p.Escalated || p.Delegate != carl {
		t.Errorf("Escalate: %+v, done %v, found %v, %v", p, done, found, err)
	}
	decide(t, l, "p1", Accept("U_ANN"), []byte("{}"))
	p, done, found, err = l.Delegate(t.Context(), "p1", elicit.User{Team: "T_HOME", ID: "U_DAVE"})
	if err != nil || !found || done || p.Delegate != carl || p.Decision == nil {
		t.Errorf("Delegate after the end: %+v, done %v, found %v, %v", p, done, found, err)
	}
	if _, _, found, err = l.Escalate(t.Context(), "gone"); found || err != nil {
		t.Errorf("Escalate of an unknown one: found %v, %v", found, err)
	}
}

func muteHoldsForItsPerson(t *testing.T, l Ledger) {
	ann, bob := elicit.User{Team: "T_HOME", ID: "U_ANN"}, elicit.User{Team: "T_HOME", ID: "U_BOB"}
	for _, server := range []string{"deploy", "billing", "deploy"} {
		if err := l.Mute(t.Context(), ann, server); err != nil {
			t.Fatal(err)
		}
	}
	want := func(u elicit.User, servers ...string) {
		t.Helper()
		if got, err := l.Muted(t.Context(), u); err != nil || !slices.Equal(got, servers) {
			t.Errorf("Muted(%s) = %q, %v; want %q", u.ID, got, err, servers)
		}
	}
	want(ann, "billing", "deploy")
	want(bob)
	for _, had := range []bool{true, false} {
		if was, err := l.Unmute(t.Context(), ann, "deploy"); err != nil || was != had {
			t.Errorf("Unmute = %v, %v; want %v", was, err, had)
		}
	}
	want(ann, "billing")
}

func spendLetsSoManyThrough(t *testing.T, l Ledger) {
	for i := range 3 {
		ok, after, err := l.Spend(t.Context(), "server:deploy", 2, time.Minute)
		if err != nil || ok != (i < 2) {
			t.Errorf("Spend number %d = %v, %v", i+1, ok, err)
		}
		if !ok && (after <= 0 || after > time.Minute) {
			t.Errorf("the next one may pass after %s", after)
		}
	}
	if ok, _, err := l.Spend(t.Context(), "server:billing", 2, time.Minute); err != nil || !ok {
		t.Errorf("another key: %v, %v", ok, err)
	}
}
