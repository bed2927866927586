// Package correlatetest is the contract of the ledger that keeps pendings: one
// test that every ledger runs, the one in Redis and the fake of other tests.
package correlatetest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/slackbridge/slackbridge/elicit"
)

// Ledger is what is tested; see bridge.Ledger for what the methods mean.
type Ledger interface {
	Create(ctx context.Context, p elicit.Pending) error
	Placed(ctx context.Context, id elicit.PendingID, card elicit.MessageRef) (elicit.MessageRef, error)
	Load(ctx context.Context, id elicit.PendingID) (elicit.Pending, bool, error)
	Decide(ctx context.Context, id elicit.PendingID, d elicit.Decision, answer []byte) (elicit.Settlement, bool, error)
	Approve(ctx context.Context, id elicit.PendingID, by elicit.User) (elicit.Settlement, bool, error)
	Delegate(ctx context.Context, id elicit.PendingID, to elicit.User) (p elicit.Pending, done, found bool, err error)
	Escalate(ctx context.Context, id elicit.PendingID) (p elicit.Pending, done, found bool, err error)
	Mute(ctx context.Context, u elicit.User, server string) error
	Unmute(ctx context.Context, u elicit.User, server string) (bool, error)
	Muted(ctx context.Context, u elicit.User) ([]string, error)
	Spend(ctx context.Context, key string, n int, window time.Duration) (bool, time.Duration, error)
	Opened(ctx context.Context, id elicit.PendingID, by elicit.User) (elicit.Pending, bool, error)
	Answer(ctx context.Context, id elicit.PendingID) ([]byte, error)
	Delivered(ctx context.Context, id elicit.PendingID) error
	Lost(ctx context.Context, id elicit.PendingID, why elicit.Reason) error
	Drawn(ctx context.Context, id elicit.PendingID, shown elicit.State) error
	CallRunning(ctx context.Context, id elicit.CallID, requester elicit.User, record []byte) error
	CallEnded(ctx context.Context, id elicit.CallID) error
	StopCall(ctx context.Context, id elicit.CallID, by elicit.User) (elicit.User, bool, error)
	SaveDraft(ctx context.Context, form string, who elicit.User, draft []byte, ttl time.Duration) error
	Draft(ctx context.Context, form string, who elicit.User) ([]byte, error)
	DropDraft(ctx context.Context, form string, who elicit.User) error
	FirstTime(ctx context.Context, key string, ttl time.Duration) (bool, error)
}

// Pending returns a record that waits for a minute.
func Pending(id string) elicit.Pending {
	now := time.Now().Truncate(time.Millisecond)
	return elicit.Pending{
		ID: elicit.PendingID(id), State: elicit.StatePending, Kind: elicit.KindElicitation, Era: elicit.EraBlocking, Mode: elicit.ModeForm,
		Owner: "R1", Call: "call-1", Server: "deploy", Tool: "deploy_service", RequestID: `"elicit-9"`,
		Origin: elicit.Origin{Team: "T_HOME", Channel: "C1", Thread: "1.1", Requester: "U_ANN"},
		Fields: []string{"cluster", "名前"}, Created: now, Deadline: now.Add(time.Minute), Question: []byte(`{"q":"s3cret-question"}`),
	}
}

// Accept is a decision by a person.
func Accept(user string) elicit.Decision {
	return elicit.Decision{Action: elicit.Accept, Reason: elicit.ReasonSubmitted, Responder: elicit.User{Team: "T_HOME", ID: user}}
}

// Run runs the contract. open returns an empty ledger.
func Run(t *testing.T, open func(t *testing.T) Ledger) {
	for name, test := range map[string]func(*testing.T, Ledger){
		"LoadReturnsWhatWasCreated":      loadReturnsWhatWasCreated,
		"UnknownIDIsNotFound":            unknownIDIsNotFound,
		"PlacedMakesNoRecord":            placedMakesNoRecord,
		"CreateMayBeRepeated":            createMayBeRepeated,
		"OneWinnerAndLosersLearnWho":     oneWinnerAndLosersLearnWho,
		"LateDecisionLosesToTheExpiry":   lateDecisionLosesToTheExpiry,
		"AnswerIsKeptUntilDelivered":     answerIsKeptUntilDelivered,
		"AnswerIsKeptUntilLost":          answerIsKeptUntilLost,
		"ReasonDecidesTheState":          reasonDecidesTheState,
		"RunningCallIsFoundUntilItEnds":  runningCallIsFoundUntilItEnds,
		"OpenedPageExpiresAsAccepted":    openedPageExpiresAsAccepted,
		"DraftIsKeptForItsPerson":        draftIsKeptForItsPerson,
		"FirstTimeOncePerKey":            firstTimeOncePerKey,
		"ApprovalsAreOfDistinctPeople":   approvalsAreOfDistinctPeople,
		"OneDeclineEndsApprovals":        oneDeclineEndsApprovals,
		"OnlyWhatWaitsIsAmended":         onlyWhatWaitsIsAmended,
		"MuteHoldsForItsPerson":          muteHoldsForItsPerson,
		"SpendLetsSoManyThrough":         spendLetsSoManyThrough,
		"DecisionIsNotChangedByDelivery": decisionIsNotChangedByDelivery,
	} {
		t.Run(name, func(t *testing.T) { test(t, open(t)) })
	}
}

func create(t *testing.T, l Ledger, p elicit.Pending) {
	t.Helper()
	if err := l.Create(t.Context(), p); err != nil {
		t.Fatalf("Create(%s): %v", p.ID, err)
	}
}

func load(t *testing.T, l Ledger, id elicit.PendingID) elicit.Pending {
	t.Helper()
	p, known, err := l.Load(t.Context(), id)
	if err != nil || !known {
		t.Fatalf("Load(%s): known %v, %v", id, known, err)
	}
	return p
}

func decide(t *testing.T, l Ledger, id elicit.PendingID, d elicit.Decision, answer []byte) elicit.Settlement {
	t.Helper()
	s, found, err := l.Decide(t.Context(), id, d, answer)
	if err != nil || !found {
		t.Fatalf("Decide(%s): found %v, %v", id, found, err)
	}
	if s.Pending.Decision == nil {
		t.Fatalf("Decide(%s) returns a pending without a decision", id)
	}
	return s
}

func loadReturnsWhatWasCreated(t *testing.T, l Ledger) {
	p := Pending("p1")
	create(t, l, p)
	if diff := cmp.Diff(p, load(t, l, "p1")); diff != "" {
		t.Errorf("Load after Create (-want +got):\n%s", diff)
	}
	card := elicit.MessageRef{Channel: "C1", TS: "2.2"}
	twin := elicit.MessageRef{Channel: "C1", TS: "2.3"}
	for _, posted := range []elicit.MessageRef{card, card, twin} {
		stands, err := l.Placed(t.Context(), "p1", posted)
		if err != nil || stands != card {
			t.Fatalf("Placed(%v) = %v, %v; want %v: the first card stays the card", posted, stands, err, card)
		}
	}
	p.Card = card
	if diff := cmp.Diff(p, load(t, l, "p1")); diff != "" {
		t.Errorf("Load after Placed (-want +got):\n%s", diff)
	}
}

func createMayBeRepeated(t *testing.T, l Ledger) {
	p := Pending("p1")
	create(t, l, p)
	create(t, l, p) // its outcome had not come back
	other := p
	other.Call = "call-2"
	if err := l.Create(t.Context(), other); err == nil {
		t.Error("Create took an id that another call has")
	}
	decide(t, l, "p1", Accept("U_ANN"), []byte("{}"))
	create(t, l, p)
	if load(t, l, "p1").Decision == nil {
		t.Error("a repeated Create undid a decision")
	}
}

func unknownIDIsNotFound(t *testing.T, l Ledger) {
	if _, known, err := l.Load(t.Context(), "nosuch"); known || err != nil {
		t.Errorf("Load: known %v, %v; want not known", known, err)
	}
	if _, found, err := l.Decide(t.Context(), "nosuch", Accept("U_ANN"), []byte("{}")); found || err != nil {
		t.Errorf("Decide: found %v, %v; want not found", found, err)
	}
	if _, err := l.Answer(t.Context(), "nosuch"); err == nil {
		t.Error("Answer of an unknown pending: no error")
	}
}

func placedMakesNoRecord(t *testing.T, l Ledger) {
	if card, err := l.Placed(t.Context(), "gone", elicit.MessageRef{Channel: "C1", TS: "1.1"}); err != nil || !card.IsZero() {
		t.Fatalf("Placed of an unknown pending = %v, %v; want no card", card, err)
	}
	if _, known, _ := l.Load(t.Context(), "gone"); known {
		t.Error("Placed made a record of its own")
	}
}

func oneWinnerAndLosersLearnWho(t *testing.T, l Ledger) {
	create(t, l, Pending("p1"))
	const deciders = 50
	settled := make([]elicit.Settlement, deciders)
	errs := make([]error, deciders)
	var wg sync.WaitGroup
	for i := range deciders {
		wg.Go(func() {
			s, found, err := l.Decide(t.Context(), "p1", Accept(fmt.Sprintf("U%d", i)), []byte(fmt.Sprintf(`{"by":%d}`, i)))
			if err == nil && !found {
				err = errors.New("not found")
			}
			settled[i], errs[i] = s, err
		})
	}
	wg.Wait()
	winner := ""
	for i, s := range settled {
		if errs[i] != nil {
			t.Fatalf("decider %d: %v", i, errs[i])
		}
		if s.Won {
			if winner != "" {
				t.Errorf("both %s and U%d won", winner, i)
			}
			winner = fmt.Sprintf("U%d", i)
		}
	}
	if winner == "" {
		t.Fatal("nobody won")
	}
	for i, s := range settled {
		if s.Pending.Decision == nil || s.Pending.Decision.Responder.ID != winner {
			t.Errorf("decider %d learns %+v, want %s", i, s.Pending.Decision, winner)
		}
	}
	answer, err := l.Answer(t.Context(), "p1")
	if want := fmt.Sprintf(`{"by":%s}`, winner[1:]); err != nil || string(answer) != want {
		t.Errorf("Answer = %s, %v; want the winner's, %s", answer, err, want)
	}
}

func lateDecisionLosesToTheExpiry(t *testing.T, l Ledger) {
	p := Pending("p1")
	p.Deadline = p.Created // over already
	create(t, l, p)
	s := decide(t, l, "p1", Accept("U_ANN"), []byte("{}"))
	if s.Won || s.Pending.Decision.Action != elicit.Cancel || s.Pending.Decision.Reason != elicit.ReasonExpired || !s.Pending.Decision.Responder.IsZero() {
		t.Errorf("a late accept: won %v, %+v; want to lose to cancel, expired, by nobody", s.Won, s.Pending.Decision)
	}
	if _, err := l.Answer(t.Context(), "p1"); err == nil {
		t.Error("the late answer was kept")
	}
}

func answerIsKeptUntilDelivered(t *testing.T, l Ledger) {
	create(t, l, Pending("p1"))
	want := []byte(`{"window":"22:00","n":12345678901234567890}`)
	decide(t, l, "p1", Accept("U_ANN"), want)
	if got, err := l.Answer(t.Context(), "p1"); err != nil || string(got) != string(want) {
		t.Errorf("Answer = %s, %v; want %s", got, err, want)
	}
	if err := l.Delivered(t.Context(), "p1"); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Answer(t.Context(), "p1"); err == nil {
		t.Error("the answer is still kept after Delivered")
	}
	if s := load(t, l, "p1").State; s != elicit.StateDelivered {
		t.Errorf("state %s, want delivered", s)
	}
}

func answerIsKeptUntilLost(t *testing.T, l Ledger) {
	create(t, l, Pending("p1"))
	decide(t, l, "p1", Accept("U_ANN"), []byte("{}"))
	if err := l.Lost(t.Context(), "p1", elicit.ReasonConnectionLost); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Answer(t.Context(), "p1"); err == nil {
		t.Error("the answer is still kept after Lost")
	}
	if s := load(t, l, "p1").State; s != elicit.StateLost {
		t.Errorf("state %s, want lost", s)
	}
}

func reasonDecidesTheState(t *testing.T, l Ledger) {
	for reason, want := range map[elicit.Reason]elicit.State{
		elicit.ReasonDeclined: elicit.StateDecided, elicit.ReasonWithdrawn: elicit.StateWithdrawn,
		elicit.ReasonOwnerLost: elicit.StateLost, elicit.ReasonConnectionLost: elicit.StateLost, elicit.ReasonShutdown: elicit.StateDecided,
	} {
		id := elicit.PendingID("p-" + string(reason))
		create(t, l, Pending(string(id)))
		if s := decide(t, l, id, elicit.Decision{Action: elicit.Cancel, Reason: reason}, nil); s.Pending.State != want {
			t.Errorf("after %s the state is %s, want %s", reason, s.Pending.State, want)
		}
	}
}

func runningCallIsFoundUntilItEnds(t *testing.T, l Ledger) {
	ann, bob := elicit.User{Team: "T_HOME", ID: "U_ANN"}, elicit.User{Team: "T_HOME", ID: "U_BOB"}
	if _, found, err := l.StopCall(t.Context(), "c1", ann); found || err != nil {
		t.Errorf("StopCall before: found %v, %v", found, err)
	}
	if err := l.CallRunning(t.Context(), "c1", ann, []byte("record")); err != nil {
		t.Fatal(err)
	}
	for _, by := range []elicit.User{bob, ann} {
		if requester, found, err := l.StopCall(t.Context(), "c1", by); !found || err != nil || requester != ann {
			t.Errorf("StopCall by %s: %v, found %v, %v; want Ann's call", by.ID, requester, found, err)
		}
	}
	if err := l.CallEnded(t.Context(), "c1"); err != nil {
		t.Fatal(err)
	}
	if _, found, err := l.StopCall(t.Context(), "c1", ann); found || err != nil {
		t.Errorf("StopCall afterwards: found %v, %v", found, err)
	}
}

func firstTimeOncePerKey(t *testing.T, l Ledger) {
	for i, tt := range []struct {
		key  string
		want bool
	}{{"a", true}, {"a", false}, {"b", true}, {"a", false}} {
		if got, err := l.FirstTime(t.Context(), tt.key, time.Minute); err != nil || got != tt.want {
			t.Errorf("call %d: FirstTime(%s) = %v, %v; want %v", i, tt.key, got, err, tt.want)
		}
	}
}

func decisionIsNotChangedByDelivery(t *testing.T, l Ledger) {
	create(t, l, Pending("p1"))
	before := decide(t, l, "p1", elicit.Decision{Action: elicit.Decline, Reason: elicit.ReasonDeclined, Responder: elicit.User{Team: "T_HOME", ID: "U_ANN"}}, nil)
	if err := l.Delivered(t.Context(), "p1"); err != nil {
		t.Fatal(err)
	}
	after := decide(t, l, "p1", Accept("U_BOB"), []byte("{}"))
	if after.Won || !cmp.Equal(before.Pending.Decision, after.Pending.Decision) {
		t.Errorf("after delivery: won %v, %+v; want %+v to stand", after.Won, after.Pending.Decision, before.Pending.Decision)
	}
}

func draftIsKeptForItsPerson(t *testing.T, l Ledger) {
	ann, bob := elicit.User{Team: "T_HOME", ID: "U_ANN"}, elicit.User{Team: "T_HOME", ID: "U_BOB"}
	want := func(who elicit.User, form, want string) {
		t.Helper()
		if got, err := l.Draft(t.Context(), form, who); err != nil || string(got) != want {
			t.Errorf("the draft of %s in %s is %q (%v), want %q", who.ID, form, got, err, want)
		}
	}
	want(ann, "f1", "")
	for _, draft := range []string{"first", "second"} {
		if err := l.SaveDraft(t.Context(), "f1", ann, []byte(draft), time.Minute); err != nil {
			t.Fatal(err)
		}
		want(ann, "f1", draft)
	}
	want(bob, "f1", "")
	want(ann, "f2", "")
	if err := l.DropDraft(t.Context(), "f1", ann); err != nil {
		t.Fatal(err)
	}
	want(ann, "f1", "")
	if err := l.DropDraft(t.Context(), "f1", ann); err != nil {
		t.Errorf("dropping what is not there: %v", err)
	}
}

func openedPageExpiresAsAccepted(t *testing.T, l Ledger) {
	ann, bob := elicit.User{Team: "T_HOME", ID: "U_ANN"}, elicit.User{Team: "T_HOME", ID: "U_BOB"}
	if _, found, err := l.Opened(t.Context(), "nosuch", ann); found || err != nil {
		t.Errorf("an unknown pending: found %v, %v", found, err)
	}
	p := Pending("p1")
	p.Mode, p.Deadline = elicit.ModeURL, time.Now().Add(300*time.Millisecond)
	create(t, l, p)
	for _, who := range []elicit.User{ann, bob} { // the first one counts
		got, found, err := l.Opened(t.Context(), "p1", who)
		if err != nil || !found {
			t.Fatalf("found %v, %v", found, err)
		}
		if got.OpenedBy != ann {
			t.Errorf("opened by %+v", got.OpenedBy)
		}
	}
	<-time.After(time.Until(p.Deadline) + 50*time.Millisecond)
	s, found, err := l.Decide(t.Context(), "p1", elicit.Decision{Action: elicit.Decline, Reason: elicit.ReasonDeclined, Responder: bob}, nil)
	if err != nil || !found || s.Won {
		t.Fatalf("a late decision: won %v, found %v, %v", s.Won, found, err)
	}
	if d := s.Pending.Decision; d.Action != elicit.Accept || d.Responder != ann {
		t.Errorf("decision %+v, want an accept in the name of whoever opened it", d)
	}
	q := Pending("p2")
	q.Mode = elicit.ModeURL
	create(t, l, q)
	if _, _, err := l.Opened(t.Context(), "p2", ann); err != nil {
		t.Fatal(err)
	}
	s, _, err = l.Decide(t.Context(), "p2", elicit.Decision{Action: elicit.Cancel, Reason: elicit.ReasonCancelled, Responder: bob}, nil)
	if err != nil || !s.Won || s.Pending.Decision.Action != elicit.Cancel {
		t.Errorf("whoever opened it does not bind anybody before the deadline: %+v, %v", s.Pending.Decision, err)
	}
}
