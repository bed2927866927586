package mcpclient

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slackbridge/slackbridge/elicit"
)

// goPeer builds the server on the official Go SDK, a module of its own.
func goPeer(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "peer")
	if out, err := exec.Command("go", "build", "-C", "../internal/gosdkpeer", "-o", path, ".").CombinedOutput(); err != nil {
		t.Fatalf("building the peer: %v\n%s", err, out)
	}
	return path
}

func TestGoSDK_FormsAndPages(t *testing.T) {
	peer := goPeer(t)
	stdio := func(pin string) string { return fmt.Sprintf(`{"mcpServers":{"s":{"command":%q%s}}}`, peer, pin) }
	for name, tt := range map[string]struct {
		servers string
		era     elicit.Era
	}{
		"stdio durable":  {stdio(""), elicit.EraDurable},
		"stdio blocking": {stdio(`,"protocol":"2025-11-25"`), elicit.EraBlocking},
		"http":           {"", elicit.EraBlocking}, // its handler keeps sessions, and so speaks the revisions with them
	} {
		t.Run(name, func(t *testing.T) {
			if tt.servers == "" {
				port := programOverHTTP(t, peer, func(port int) []string { return []string{fmt.Sprintf("127.0.0.1:%d", port)} })
				tt.servers = remote(fmt.Sprintf("http://127.0.0.1:%d/", port), "")
			}
			w := newWorld(t, tt.servers, nil)
			if _, err := w.host.Tools(t.Context(), "s", ann); err != nil {
				t.Fatal(err)
			}
			if got := w.host.Servers()[0]; got.Era != tt.era || got.Err != nil {
				t.Fatalf("the server speaks %+v, want the era %s", got, tt.era)
			}
			for _, a := range []struct {
				tool   string
				answer elicit.Answer
				want   string
			}{
				{"form", accept(`{"zone":"eu","count":3,"areas":["a","c"]}`), `"action":"accept"`},
				{"form", elicit.Answer{Action: elicit.Decline}, `"action":"decline"`},
				{"form", elicit.Answer{Action: elicit.Cancel}, `"action":"cancel"`},
				{"page", elicit.Answer{Action: elicit.Accept}, `"action":"accept"`},
			} {
				q, out := playOnce(t, w, a.tool, a.answer)
				if zone, count := strings.Index(string(q.Params), `"zone"`), strings.Index(string(q.Params), `"count"`); a.tool == "form" && (zone < 0 || count < zone) {
					t.Errorf("%s asks %s", a.tool, q.Params)
				}
				if got := strings.Join(out.texts(t), ""); !strings.Contains(got, a.want) {
					t.Errorf("%s, answered %s: the server got %s", a.tool, a.answer.Action, got)
				}
			}
		})
	}
}
