package bridge_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/slackbridge/slackbridge/blockkit"
	"github.com/slackbridge/slackbridge/bridge"
	"github.com/slackbridge/slackbridge/elicit"
)

// fakeLedger is the contract of bridge.Ledger in memory, with time.Now as its
// clock: inside a synctest bubble that is the bubble's. The contract test of
// package correlate runs against it too, so that it cannot drift.
type fakeLedger struct {
	mu      sync.Mutex
	records map[elicit.PendingID]*elicit.Pending
	answers map[elicit.PendingID][]byte
	seen    map[string]time.Time
	running map[elicit.CallID]elicit.User
	runs    map[elicit.CallID][]byte
	drawn   map[elicit.PendingID]elicit.State
	drafts  map[string][]byte
	parked  map[elicit.CallID][]byte
	claimed map[elicit.CallID]bool
	decided func(context.Context, elicit.Pending) error // as correlate's OnDecided, of the durable era
	stopped func(context.Context, elicit.CallID)        // as correlate\'s OnStop
	timers  []*time.Timer
	settled func(context.Context, elicit.Pending)               // as correlate's OnSettled
	nudge   func(context.Context, elicit.Pending, elicit.Nudge) // as correlate's OnNudge
	nudged  []string
	mutes   map[elicit.User][]string
	spent   map[string][]time.Time
	down    error         // every operation fails with it
	slow    time.Duration // every Load takes this long
}

func newFakeLedger() *fakeLedger {
	return &fakeLedger{
		records: map[elicit.PendingID]*elicit.Pending{}, answers: map[elicit.PendingID][]byte{}, seen: map[string]time.Time{},
		running: map[elicit.CallID]elicit.User{}, runs: map[elicit.CallID][]byte{}, drawn: map[elicit.PendingID]elicit.State{}, drafts: map[string][]byte{}, parked: map[elicit.CallID][]byte{}, claimed: map[elicit.CallID]bool{},
		mutes: map[elicit.User][]string{}, spent: map[string][]time.Time{},
	}
}

func (l *fakeLedger) fail(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.down = err
}

// forget empties the ledger, as a Redis that came back without its data.
func (l *fakeLedger) forget() {
	l.mu.Lock()
	defer l.mu.Unlock()
	clear(l.records)
}

// stall keeps the ledger from ending anything by itself.
func (l *fakeLedger) stall() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, t := range l.timers {
		t.Stop()
	}
}

func (l *fakeLedger) Create(_ context.Context, p elicit.Pending) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.down != nil {
		return l.down
	}
	if old := l.records[p.ID]; old != nil {
		if old.Call != p.Call || old.Owner != p.Owner || !old.Created.Equal(p.Created) {
			return errors.New("the id is taken")
		}
		return nil
	}
	p.State = elicit.StatePending
	l.records[p.ID] = &p
	l.timers = append(l.timers, time.AfterFunc(time.Until(p.Deadline), func() { l.expire(p.ID) }))
	l.nudgeLater(p)
	return nil
}

func (l *fakeLedger) expire(id elicit.PendingID) {
	l.mu.Lock()
	s, found := l.settle(id, elicit.Decision{Action: elicit.Cancel, Reason: elicit.ReasonExpired}, nil)
	settled := l.settled
	l.mu.Unlock()
	if found && s.Won && settled != nil {
		settled(context.Background(), s.Pending)
	}
}

// settle is the atomic step; l.mu is held.
func (l *fakeLedger) settle(id elicit.PendingID, d elicit.Decision, answer []byte) (elicit.Settlement, bool) {
	p := l.records[id]
	if p == nil {
		return elicit.Settlement{}, false
	}
	if p.Decision != nil {
		return elicit.Settlement{Pending: *p}, true
	}
	now := time.Now()
	won := true
	if !now.Before(p.Deadline) && d.Reason != elicit.ReasonExpired {
		d, answer, won = elicit.Decision{Action: elicit.Cancel, Reason: elicit.ReasonExpired}, nil, false
	}
	if d.Reason == elicit.ReasonExpired && !p.OpenedBy.IsZero() {
		d = elicit.Decision{Action: elicit.Accept, Reason: elicit.ReasonSubmitted, Responder: p.OpenedBy}
	}
	d.At = now
	p.Decision = &d
	switch d.Reason {
	case elicit.ReasonWithdrawn:
		p.State = elicit.StateWithdrawn
	case elicit.ReasonOwnerLost, elicit.ReasonConnectionLost:
		p.State = elicit.StateLost
	default:
		p.State = elicit.StateDecided
	}
	if answer != nil {
		l.answers[id] = slices.Clone(answer)
	}
	if p.Era == elicit.EraDurable && l.decided != nil {
		word := *p
		go func() { // a failed one would be delivered again
			if err := l.decided(context.Background(), word); err != nil {
				panic(err)
			}
		}()
	}
	return elicit.Settlement{Won: won, Pending: *p}, true
}

func (l *fakeLedger) Decide(_ context.Context, id elicit.PendingID, d elicit.Decision, answer []byte) (elicit.Settlement, bool, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.down != nil {
		return elicit.Settlement{}, false, l.down
	}
	s, found := l.settle(id, d, answer)
	return s, found, nil
}

func (l *fakeLedger) Placed(_ context.Context, id elicit.PendingID, card elicit.MessageRef) (elicit.MessageRef, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	p := l.records[id]
	if p == nil || l.down != nil {
		return elicit.MessageRef{}, l.down
	}
	if p.Card.IsZero() {
		p.Card = card
	}
	return p.Card, nil
}

func (l *fakeLedger) Load(_ context.Context, id elicit.PendingID) (elicit.Pending, bool, error) {
	if l.slow > 0 {
		time.Sleep(l.slow) // the bubble's time
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if p := l.records[id]; p != nil && l.down == nil {
		return *p, true, nil
	}
	return elicit.Pending{}, false, l.down
}

func (l *fakeLedger) Opened(_ context.Context, id elicit.PendingID, by elicit.User) (elicit.Pending, bool, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	p := l.records[id]
	if p == nil || l.down != nil {
		return elicit.Pending{}, false, l.down
	}
	if p.Decision == nil && p.OpenedBy.IsZero() {
		p.OpenedBy = by
	}
	return *p, true, nil
}

func (l *fakeLedger) Answer(_ context.Context, id elicit.PendingID) ([]byte, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	a, ok := l.answers[id]
	if !ok {
		return nil, fmt.Errorf("no answer is kept for %s", id)
	}
	return a, l.down
}

func (l *fakeLedger) Delivered(_ context.Context, id elicit.PendingID) error {
	return l.finish(id, elicit.StateDelivered)
}

func (l *fakeLedger) Lost(_ context.Context, id elicit.PendingID, _ elicit.Reason) error {
	return l.finish(id, elicit.StateLost)
}

func (l *fakeLedger) finish(id elicit.PendingID, s elicit.State) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.answers, id)
	if p := l.records[id]; p != nil && p.State == elicit.StateDecided {
		p.State = s
	}
	return l.down
}

func (l *fakeLedger) Drawn(_ context.Context, id elicit.PendingID, shown elicit.State) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.down == nil {
		l.drawn[id] = shown
	}
	return l.down
}

func (l *fakeLedger) CallRunning(_ context.Context, id elicit.CallID, requester elicit.User, record []byte) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.down == nil {
		l.running[id], l.runs[id] = requester, slices.Clone(record)
	}
	return l.down
}

func (l *fakeLedger) CallEnded(_ context.Context, id elicit.CallID) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.running, id)
	delete(l.runs, id)
	return l.down
}

func (l *fakeLedger) StopCall(ctx context.Context, id elicit.CallID, by elicit.User) (elicit.User, bool, error) {
	l.mu.Lock()
	requester, found := l.running[id]
	stopped, down := l.stopped, l.down
	l.mu.Unlock()
	if down == nil && found && requester == by && stopped != nil {
		stopped(ctx, id)
	}
	return requester, found, down
}

func (l *fakeLedger) Park(_ context.Context, id elicit.CallID, call []byte, _ time.Duration) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.down == nil {
		l.parked[id], l.claimed[id] = slices.Clone(call), false
	}
	return l.down
}

func (l *fakeLedger) Parked(_ context.Context, id elicit.CallID) ([]byte, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.parked[id], l.down
}

func (l *fakeLedger) ClaimPark(_ context.Context, id elicit.CallID) (bool, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.down != nil || l.parked[id] == nil || l.claimed[id] {
		return false, l.down
	}
	l.claimed[id] = true
	return true, nil
}

func (l *fakeLedger) DropPark(_ context.Context, id elicit.CallID) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.parked, id)
	return l.down
}

func draftKey(form string, who elicit.User) string { return form + " " + who.Team + " " + who.ID }

func (l *fakeLedger) SaveDraft(_ context.Context, form string, who elicit.User, draft []byte, _ time.Duration) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.down == nil {
		l.drafts[draftKey(form, who)] = slices.Clone(draft)
	}
	return l.down
}

func (l *fakeLedger) Draft(_ context.Context, form string, who elicit.User) ([]byte, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.drafts[draftKey(form, who)], l.down
}

func (l *fakeLedger) DropDraft(_ context.Context, form string, who elicit.User) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.drafts, draftKey(form, who))
	return l.down
}

func (l *fakeLedger) FirstTime(_ context.Context, key string, ttl time.Duration) (bool, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.down != nil {
		return false, l.down
	}
	until, ok := l.seen[key]
	if ok && time.Now().Before(until) {
		return false, nil
	}
	l.seen[key] = time.Now().Add(ttl)
	return true, nil
}

func (l *fakeLedger) only() (elicit.Pending, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, p := range l.records {
		return *p, len(l.records) == 1
	}
	return elicit.Pending{}, false
}

// posted is one thing that was sent to Slack.
type posted struct {
	how     string // post, update, ephemeral, respond, open, view
	channel string
	thread  string
	ts      string
	user    string
	message blockkit.Message
	modal   blockkit.Modal
}

// fakeSlack keeps what was sent and fails as told.
type fakeSlack struct {
	mu   sync.Mutex
	n    int
	sent []posted
	fail map[string]error // by how, or by how+" "+channel
	then func(posted)     // hears of everything that was taken

	unheard string // the ts of a message that is taken, and nobody hears of it
}

func newFakeSlack() *fakeSlack { return &fakeSlack{fail: map[string]error{}} }

func (s *fakeSlack) add(p posted) (posted, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := errors.Join(s.fail[p.how], s.fail[p.how+" "+p.channel]); err != nil {
		return p, err
	}
	if p.ts == "" {
		s.n++
		p.ts = fmt.Sprintf("1.%d", s.n)
	}
	s.sent = append(s.sent, p)
	if s.then != nil {
		go s.then(p)
	}
	if p.how == "post" && p.ts == s.unheard {
		return p, fmt.Errorf("%s: the connection broke: %w", p.how, elicit.ErrSlackUnreachable)
	}
	return p, nil
}

func (s *fakeSlack) setFail(how string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fail[how] = err
}

func (s *fakeSlack) of(how string) []posted {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []posted
	for _, p := range s.sent {
		if p.how == how {
			out = append(out, p)
		}
	}
	return out
}

func (s *fakeSlack) Post(_ context.Context, to elicit.Place, m blockkit.Message) (elicit.MessageRef, error) {
	p, err := s.add(posted{how: "post", channel: to.Channel, thread: to.Thread, message: m})
	return elicit.MessageRef{Channel: p.channel, TS: p.ts}, err
}

func (s *fakeSlack) Update(_ context.Context, ref elicit.MessageRef, m blockkit.Message) error {
	_, err := s.add(posted{how: "update", channel: ref.Channel, ts: ref.TS, message: m})
	return err
}

func (s *fakeSlack) Ephemeral(_ context.Context, to elicit.Place, user string, m blockkit.Message) error {
	_, err := s.add(posted{how: "ephemeral", channel: to.Channel, thread: to.Thread, user: user, message: m})
	return err
}

func (s *fakeSlack) Respond(_ context.Context, url string, m blockkit.Message) error {
	_, err := s.add(posted{how: "respond", channel: url, message: m})
	return err
}

func (s *fakeSlack) OpenView(_ context.Context, trigger string, m blockkit.Modal) (string, error) {
	p, err := s.add(posted{how: "open", user: trigger, modal: m})
	return "V" + p.ts, err
}

func (s *fakeSlack) PushView(_ context.Context, trigger string, m blockkit.Modal) error {
	_, err := s.add(posted{how: "push", user: trigger, modal: m})
	return err
}

func (s *fakeSlack) UpdateView(_ context.Context, id string, m blockkit.Modal) error {
	_, err := s.add(posted{how: "view", ts: id, modal: m})
	return err
}

func (s *fakeSlack) DirectMessage(_ context.Context, user string) (string, error) {
	_, err := s.add(posted{how: "dm", user: user})
	return "D_" + user, err
}

func (s *fakeSlack) Reader(context.Context, string) blockkit.Reader {
	return blockkit.Reader{Zone: time.UTC}
}

// fakeHost runs a script in the place of a server.
type fakeHost struct {
	tools  []elicit.Tool
	call   func(context.Context, elicit.Call) (elicit.Outcome, error)
	resume func(context.Context, elicit.Parked, map[string]elicit.Answer) (elicit.Outcome, error)
	down   error
}

func (h *fakeHost) Tools(context.Context, string, elicit.User) ([]elicit.Tool, error) {
	return h.tools, h.down
}

func (h *fakeHost) Call(ctx context.Context, c elicit.Call) (elicit.Outcome, error) {
	return h.call(ctx, c)
}

func (h *fakeHost) Resume(ctx context.Context, p elicit.Parked, a map[string]elicit.Answer) (elicit.Outcome, error) {
	return h.resume(ctx, p, a)
}

func (h *fakeHost) Servers() []elicit.ServerState {
	return []elicit.ServerState{{Name: "deploy", Transport: "stdio"}}
}

// fakeAudit keeps records and fails as told.
type fakeAudit struct {
	mu      sync.Mutex
	records []bridge.Record
	err     error
}

func (a *fakeAudit) Record(_ context.Context, r bridge.Record) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.err != nil {
		return a.err
	}
	a.records = append(a.records, r)
	return nil
}

func (a *fakeAudit) all() []bridge.Record {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.records)
}
