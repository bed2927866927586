package main

import (
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/slackbridge/slackbridge/internal/demo"
	"github.com/slackbridge/slackbridge/internal/slacksim"
)

// pressesInModal presses a button of the form that is open.
func (h human) pressesInModal(label string) {
	h.w.t.Helper()
	if err := h.p.PressInModal(h.w.t.Context(), label); err != nil {
		h.w.t.Fatalf("%s presses %q: %v\n%s", h.id, label, err, h.w.situation())
	}
}

func (h human) seesLink() slacksim.Modal {
	h.w.t.Helper()
	var m slacksim.Modal
	h.w.wait(h.id+" sees where the link leads", func() bool {
		var ok bool
		m, ok = h.p.Modal()
		return ok && strings.Contains(m.Text, "https://example.com/connect?state=5f3a")
	})
	return m
}

func TestLink_BlockingEraIsToldWhenThePageIsOpened(t *testing.T) {
	bothTransports(t, worldOptions{}, func(t *testing.T, w *world) {
		w.replica()
		ann, bob := w.human("U_ANN"), w.human("U_BOB")
		ann.types("/mcp deploy.connect_account")
		q := ann.seesQuestion("Please sign in", "example.com")
		if strings.Contains(q.Text, "state=5f3a") {
			t.Errorf("everybody reads the address: %s", q.Text)
		}
		ann.seesLink() // opens by itself: the command is fresh
		bob.presses(q, "Review link…")
		bob.sees("Only", "can answer this question")
		if _, open := bob.p.Modal(); open {
			t.Error("a stranger sees the link")
		}
		ann.pressesInModal("Open link")
		if got := ann.p.Opened(); !slices.Equal(got, []string{"https://example.com/connect?state=5f3a"}) {
			t.Errorf("opened %q", got)
		}
		w.wantReceived(`{"action":"accept"}`)
		ann.seesPage("Finish on example.com in your browser. You can close this window.")
		ann.sees("Connected.")
		ann.becomes(q, "Accepted by", "Ann")
	})
}

func TestLink_EveryOtherEnd(t *testing.T) {
	for _, tt := range []struct {
		name string
		do   func(h human, q slacksim.Message)
		wire string
		card string
	}{
		{"Decline on the card", func(h human, q slacksim.Message) { h.killsApp(); h.presses(q, "Decline") }, `{"action":"decline"}`, "Declined by"},
		{"Decline in the view", func(h human, _ slacksim.Message) { h.pressesInModal("Decline") }, `{"action":"decline"}`, "Declined by"},
		{"closed view", func(h human, _ slacksim.Message) {
			if err := h.p.CloseModal(h.w.t.Context()); err != nil {
				h.w.t.Fatal(err)
			}
		}, `{"action":"cancel"}`, "Dismissed by"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, worldOptions{})
			w.replica()
			ann := w.human("U_ANN")
			ann.types("/mcp deploy.connect_account")
			q := ann.seesQuestion("Please sign in")
			ann.seesLink()
			tt.do(ann, q)
			w.wantReceived(tt.wire)
			ann.becomes(q, tt.card)
			if got := ann.p.Opened(); len(got) != 0 {
				t.Errorf("opened %q", got)
			}
		})
	}
}

func TestLink_PolicyDecidesWhatMayBeOpened(t *testing.T) {
	w := newWorld(t, worldOptions{policy: "urls: {deny: [example.com]}\n"})
	w.replica()
	ann := w.human("U_ANN")
	ann.types("/mcp deploy.connect_account")
	ann.sees("Not shown", "example.com", "urls.deny")
	w.wantReceived(`{"action":"cancel"}`)
	audit, err := os.ReadFile(w.audit)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(audit), "url_refused") {
		t.Errorf("the audit record: %s", audit)
	}
}

func TestLink_DurableEraIsToldWhenThePersonIsDone(t *testing.T) {
	for name, tt := range map[string]struct {
		policy string
		do     func(h human, q slacksim.Message)
		want   string
		card   string
	}{
		"Done in the view":   {"", func(h human, _ slacksim.Message) { h.pressesInModal("Done") }, "Connected.", "Accepted by"},
		"Done on the card":   {"", func(h human, q slacksim.Message) { h.killsApp(); h.presses(q, "Done") }, "Connected.", "Accepted by"},
		"Cancel":             {"", func(h human, q slacksim.Message) { h.killsApp(); h.presses(q, "Cancel") }, "Not connected.", "Cancelled by"},
		"the deadline comes": {"defaults: {deadlines: {durable: 6s}}\n", func(human, slacksim.Message) {}, "Connected.", "Accepted by"},
	} {
		t.Run(name, func(t *testing.T) {
			srv := httptest.NewServer(demo.Handler(demo.ServerOptions{}))
			t.Cleanup(srv.Close)
			w := newWorld(t, worldOptions{policy: tt.policy, servers: serversFile(t, map[string]any{"deploy": map[string]any{"type": "http", "url": srv.URL}})})
			w.replica()
			ann := w.human("U_ANN")
			ann.types("/mcp deploy.connect_account")
			q := ann.seesQuestion("Please sign in")
			ann.seesLink()
			ann.pressesInModal("Open link")
			ann.seesPage("then press Done")
			w.wait("the card says that it was opened", func() bool {
				m := ann.message(q)
				return strings.Contains(m.Text, "Opened by") && len(m.Buttons) == 2
			})
			tt.do(ann, q)
			ann.sees(tt.want)
			ann.becomes(q, tt.card, "Ann")
		})
	}
}

func TestLink_CallThatNeedsAPageFirstIsRunAgain(t *testing.T) {
	w := newWorld(t, worldOptions{servers: serversFile(t, map[string]any{"everything": map[string]any{"command": "node", "args": []string{everythingJS}}})})
	w.replica()
	ann, bob := w.human("U_ANN"), w.human("U_BOB")
	ann.types(`/mcp everything.trigger-url-elicitation url=https://example.com/a message="Please sign in" errorPath=true`)
	q := ann.seesQuestion("modelcontextprotocol.io")
	ann.seesPage("https://modelcontextprotocol.io")
	ann.pressesInModal("Open link")
	ann.seesPage("then press Done")
	ann.pressesInModal("Done")
	ann.becomes(q, "Accepted by", "Ann")
	again := ann.sees("has been opened", "has not run")
	bob.presses(again, "Run again")
	bob.sees("cannot be run again from here")
	ann.presses(again, "Run again")
	second := ann.seesQuestion("Please sign in", "example.com")
	ann.killsApp()
	ann.presses(second, "Decline")
	ann.becomes(second, "Declined by")
	if now := ann.message(again); len(now.Buttons) != 0 || !strings.Contains(now.Text, "again") {
		t.Errorf("the offer that was taken reads %q with %v", now.Text, now.Buttons)
	}
}
