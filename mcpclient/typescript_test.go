package mcpclient

import (
	"fmt"
	"strings"
	"testing"

	"github.com/slackbridge/slackbridge/elicit"
)

// tsPeer is a server on the official TypeScript SDK, version 2.
const tsPeer = "../internal/npmtest/peer.mjs"

// tsWorlds runs a test against it over both transports, in the era that is
// negotiated and, over stdio, in the one before. Over HTTP the SDK serves that
// one without sessions, where it cannot ask.
func tsWorlds(t *testing.T, test func(t *testing.T, servers string, era elicit.Era)) {
	t.Helper()
	stdio := func(pin string) string {
		return fmt.Sprintf(`{"mcpServers":{"s":{"command":"node","args":[%q]%s}}}`, tsPeer, pin)
	}
	t.Run("stdio durable", func(t *testing.T) { test(t, stdio(""), elicit.EraDurable) })
	t.Run("stdio blocking", func(t *testing.T) { test(t, stdio(`,"protocol":"2025-11-25"`), elicit.EraBlocking) })
	t.Run("http durable", func(t *testing.T) {
		port := nodeOverHTTP(t, func(port int) []string { return []string{tsPeer, fmt.Sprint(port)} })
		test(t, remote(fmt.Sprintf("http://127.0.0.1:%d/mcp", port), ""), elicit.EraDurable)
	})
}

// playOnce plays one question of a call to its result, in whichever era.
func playOnce(t *testing.T, w *world, tool string, a elicit.Answer) (elicit.Question, outcome) {
	t.Helper()
	c := callFor(ann, "s", tool, `{}`)
	if w.host.Servers()[0].Era == elicit.EraBlocking {
		done := w.start(t.Context(), c)
		q := w.question()
		q.answer(t, a)
		return q.Question, receiveFrom(t, done, "the result")
	}
	out, err := w.host.Call(t.Context(), c)
	if err != nil || out.Parked == nil || len(out.Parked.Questions) != 1 {
		t.Fatalf("%+v, %v, want a question", out, err)
	}
	q := out.Parked.Questions[0]
	out, err = w.host.Resume(t.Context(), *out.Parked, map[string]elicit.Answer{q.RequestID: a})
	return q, outcome{out, err}
}

func TestTypeScript_FormsAndPages(t *testing.T) {
	tsWorlds(t, func(t *testing.T, servers string, era elicit.Era) {
		w := newWorld(t, servers, nil)
		if _, err := w.host.Tools(t.Context(), "s", ann); err != nil {
			t.Fatal(err)
		}
		if got := w.host.Servers()[0]; got.Era != era || got.Err != nil {
			t.Fatalf("the server speaks %+v", got)
		}
		for _, tt := range []struct {
			tool string
			a    elicit.Answer
			want string
		}{
			{"form", accept(`{"zone":"eu","count":3,"areas":["a","c"]}`), `"content":{"zone":"eu","count":3,"areas":["a","c"]}`},
			{"form", elicit.Answer{Action: elicit.Decline}, `{"action":"decline"}`},
			{"form", elicit.Answer{Action: elicit.Cancel}, `{"action":"cancel"}`},
			{"page", elicit.Answer{Action: elicit.Accept}, `{"action":"accept"}`},
		} {
			q, out := playOnce(t, w, tt.tool, tt.a)
			if url := strings.Contains(string(q.Params), `"mode":"url"`); url != (tt.tool == "page") {
				t.Errorf("%s asks %s", tt.tool, q.Params)
			}
			if got := strings.Join(out.texts(t), ""); !strings.Contains(got, tt.want) {
				t.Errorf("%s, answered %s: the server got %s, want %s", tt.tool, tt.a.Action, got, tt.want)
			}
		}
	})
}
