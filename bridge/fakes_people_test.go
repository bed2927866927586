package bridge_test

import (
	"context"
	"slices"
	"time"

	"github.com/slackbridge/slackbridge/elicit"
)

func (l *fakeLedger) Approve(_ context.Context, id elicit.PendingID, by elicit.User) (elicit.Settlement, bool, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	p := l.records[id]
	if l.down != nil || p == nil {
		return elicit.Settlement{}, false, l.down
	}
	d := elicit.Decision{Action: elicit.Accept, Reason: elicit.ReasonSubmitted, Responder: by}
	if p.Decision != nil || !time.Now().Before(p.Deadline) {
		s, found := l.settle(id, d, nil)
		return s, found, nil
	}
	if slices.ContainsFunc(p.Approvals, func(a elicit.Approval) bool { return a.By == by }) {
		return elicit.Settlement{Pending: *p}, true, nil
	}
	p.Approvals = append(slices.Clone(p.Approvals), elicit.Approval{By: by, At: time.Now()})
	if len(p.Approvals) < p.Needs {
		return elicit.Settlement{Counted: true, Pending: *p}, true, nil
	}
	s, found := l.settle(id, d, nil)
	s.Counted = true
	return s, found, nil
}

func (l *fakeLedger) Delegate(_ context.Context, id elicit.PendingID, to elicit.User) (elicit.Pending, bool, bool, error) {
	return l.amend(id, func(p *elicit.Pending) { p.Delegate = to })
}

func (l *fakeLedger) Escalate(_ context.Context, id elicit.PendingID) (elicit.Pending, bool, bool, error) {
	return l.amend(id, func(p *elicit.Pending) { p.Escalated = true })
}

func (l *fakeLedger) amend(id elicit.PendingID, f func(*elicit.Pending)) (elicit.Pending, bool, bool, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	p := l.records[id]
	if l.down != nil || p == nil {
		return elicit.Pending{}, false, false, l.down
	}
	if p.Decision != nil {
		return *p, false, true, nil
	}
	f(p)
	return *p, true, true, nil
}

func (l *fakeLedger) Nudged(_ context.Context, id elicit.PendingID, kind elicit.Nudge) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.nudged = append(l.nudged, string(kind)+" "+string(id))
	return l.down
}

// nudgeLater plays the ledger's sweeps for one pending; l.mu is held.
func (l *fakeLedger) nudgeLater(p elicit.Pending) {
	for kind, at := range map[elicit.Nudge]time.Time{elicit.NudgeRemind: p.RemindAt, elicit.NudgeEscalate: p.EscalateAt} {
		if at.IsZero() {
			continue
		}
		l.timers = append(l.timers, time.AfterFunc(time.Until(at), func() {
			l.mu.Lock()
			now, nudge := *l.records[p.ID], l.nudge
			l.mu.Unlock()
			if now.Decision == nil && nudge != nil {
				nudge(context.Background(), now, kind)
			}
		}))
	}
}

func (l *fakeLedger) Mute(_ context.Context, u elicit.User, server string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.down == nil && !slices.Contains(l.mutes[u], server) {
		l.mutes[u] = append(l.mutes[u], server)
	}
	return l.down
}

func (l *fakeLedger) Unmute(_ context.Context, u elicit.User, server string) (bool, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	had := slices.Contains(l.mutes[u], server)
	l.mutes[u] = slices.DeleteFunc(l.mutes[u], func(s string) bool { return s == server })
	return had, l.down
}

func (l *fakeLedger) Muted(_ context.Context, u elicit.User) ([]string, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Sorted(slices.Values(l.mutes[u])), l.down
}

func (l *fakeLedger) Spend(_ context.Context, key string, n int, window time.Duration) (bool, time.Duration, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	l.spent[key] = slices.DeleteFunc(l.spent[key], func(at time.Time) bool { return !at.After(now.Add(-window)) })
	if l.down != nil {
		return false, 0, l.down
	}
	if len(l.spent[key]) >= n {
		return false, l.spent[key][0].Add(window).Sub(now), nil
	}
	l.spent[key] = append(l.spent[key], now)
	return true, 0, nil
}
