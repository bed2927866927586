package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/slackbridge/slackbridge/internal/slacksim"
)

// human drives one person of the world and fails the test when Slack would
// have shown an error.
type human struct {
	w  *world
	p  *slacksim.Person
	id string
}

func (w *world) human(id string) human { return human{w: w, p: w.sim.Person(id), id: id} }

const deploys = "C_DEPLOYS"

func (h human) types(text string) {
	h.w.t.Helper()
	if err := h.p.Type(h.w.t.Context(), deploys, text); err != nil {
		h.w.t.Fatalf("%s types %q: %v\n%s", h.id, text, err, h.w.situation())
	}
}

// sees waits for a message in any conversation or thread of this person whose
// visible text holds all of want, and returns it.
func (h human) sees(want ...string) slacksim.Message {
	h.w.t.Helper()
	var found slacksim.Message
	h.w.wait(h.id+" sees "+strings.Join(want, " … "), func() bool {
		var ok bool
		found, ok = h.find(want...)
		return ok
	})
	return found
}

// find returns the newest message that holds all of want.
func (h human) find(want ...string) (slacksim.Message, bool) {
	all := h.all()
	for i := len(all) - 1; i >= 0; i-- {
		if holdsAll(all[i].Text, want) {
			return all[i], true
		}
	}
	return slacksim.Message{}, false
}

// all lists everything this person can read, threads after their parents.
func (h human) all() []slacksim.Message {
	var out []slacksim.Message
	seen := map[string]bool{}
	for _, c := range h.p.Channels() {
		for _, m := range h.p.Messages(c.ID) {
			for _, r := range append([]slacksim.Message{m}, h.p.Thread(c.ID, m.TS)...) {
				if key := r.Channel + r.TS; !seen[key] {
					seen[key] = true
					out = append(out, r)
				}
			}
		}
	}
	return out
}

func holdsAll(text string, want []string) bool {
	for _, w := range want {
		if !strings.Contains(text, w) {
			return false
		}
	}
	return true
}

// seesQuestion waits for an open question that holds want.
func (h human) seesQuestion(want ...string) slacksim.Message {
	h.w.t.Helper()
	var found slacksim.Message
	h.w.wait(h.id+" sees an open question "+strings.Join(want, " … "), func() bool {
		for _, m := range h.all() {
			isQuestion := slices.ContainsFunc(m.Buttons, func(b slacksim.Button) bool { return b.Label == "Decline" })
			if isQuestion && holdsAll(m.Text, want) {
				found = m
				return true
			}
		}
		return false
	})
	return found
}

func (h human) presses(m slacksim.Message, label string) {
	h.w.t.Helper()
	if err := h.p.Press(h.w.t.Context(), m.Channel, m.TS, label); err != nil {
		h.w.t.Fatalf("%s presses %q: %v\n%s", h.id, label, err, h.w.situation())
	}
}

// form waits until this person has a form with fields in front.
func (h human) form() slacksim.Modal {
	h.w.t.Helper()
	var form slacksim.Modal
	h.w.wait(h.id+" has a form open", func() bool {
		m, ok := h.p.Modal()
		form = m
		return ok && len(m.Fields) > 0
	})
	return form
}

func (h human) fills(label string, values ...string) {
	h.w.t.Helper()
	if err := h.p.Fill(label, values...); err != nil {
		h.w.t.Fatalf("%s fills %q with %q: %v\n%s", h.id, label, values, err, h.w.situation())
	}
}

func (h human) submits() {
	h.w.t.Helper()
	if err := h.p.Submit(h.w.t.Context()); err != nil {
		h.w.t.Fatalf("%s submits: %v\n%s", h.id, err, h.w.situation())
	}
}

// hasNoForm waits until nothing is open any more.
func (h human) hasNoForm() {
	h.w.t.Helper()
	h.w.wait(h.id+" has no form open", func() bool { _, open := h.p.Modal(); return !open })
}

// killsApp makes open forms vanish without any event, so that nothing is
// decided by it.
func (h human) killsApp() { h.p.KillApp() }

// message returns the message as it stands now.
func (h human) message(m slacksim.Message) slacksim.Message {
	h.w.t.Helper()
	thread := m.ThreadTS
	if thread == "" {
		thread = m.TS
	}
	for _, r := range h.p.Thread(m.Channel, thread) {
		if r.TS == m.TS {
			return r
		}
	}
	h.w.t.Fatalf("%s cannot see message %s any more", h.id, m.TS)
	return slacksim.Message{}
}

// becomes waits until the message shows want, without buttons.
func (h human) becomes(m slacksim.Message, want ...string) slacksim.Message {
	h.w.t.Helper()
	var now slacksim.Message
	h.w.wait("the card becomes "+strings.Join(want, " … "), func() bool {
		now = h.message(m)
		return holdsAll(now.Text, want) && len(now.Buttons) == 0
	})
	return now
}

// wantReceived waits until the server has got exactly these, in this order.
func (w *world) wantReceived(want ...string) {
	w.t.Helper()
	w.wait("the server receives "+strings.Join(want, " and "), func() bool { return len(w.received()) >= len(want) })
	if got := w.received(); strings.Join(got, "\n") != strings.Join(want, "\n") {
		w.t.Errorf("the server received\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// bothTransports runs a test over Socket Mode and over signed HTTP.
func bothTransports(t *testing.T, o worldOptions, body func(t *testing.T, w *world)) {
	t.Helper()
	for name, http := range map[string]bool{"socket": false, "http": true} {
		t.Run(name, func(t *testing.T) {
			o := o
			o.http = http
			body(t, newWorld(t, o))
		})
	}
}
