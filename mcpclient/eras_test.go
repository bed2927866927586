package mcpclient

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/slackbridge/slackbridge/elicit"
)

const (
	blocking = "2025-11-25"
	modern   = "2026-07-28"
)

// changing is a server whose revision changes with its next start.
type changing struct {
	servers, tool string
	restart       func(t *testing.T, w *world, protocol string)
}

func changingStdio(t *testing.T) changing {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "kind")
	script := fmt.Sprintf(`%s="$(cat "$1")" GORACE=atexit_sleep_ms=0 exec "$0"`, serverVariable)
	return changing{
		servers: fmt.Sprintf(`{"mcpServers":{"s":{"command":"/bin/sh","args":["-c",%s,%s,%s]}}}`, quote(script), quote(self), quote(file)),
		tool:    "script",
		restart: func(t *testing.T, w *world, protocol string) {
			kind := map[string]string{blocking: "raw", modern: "modern"}[protocol]
			if w != nil && w.call("s", "script", steps(`{"exit":0}`)).err == nil {
				t.Error("the server did not end")
			}
			if err := os.WriteFile(file, []byte(kind), 0o600); err != nil {
				t.Fatal(err)
			}
		},
	}
}

func changingHTTP(t *testing.T) changing {
	t.Helper()
	s := newRawHTTP(t, false, func(x *exchangeHTTP) { x.json([]byte(x.text("done"))) })
	s.post = func(x *exchangeHTTP) bool {
		session := x.header.Get(sessionHeader) != ""
		switch {
		case session && s.modern: // it knows no sessions
			x.w.WriteHeader(http.StatusNotFound)
		case !session && !s.modern && x.m.method == "tools/call": // as SDKs refuse it
			x.w.Header().Set("Content-Type", "application/json")
			x.w.WriteHeader(http.StatusBadRequest)
			x.write(`{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"Bad Request: Mcp-Session-Id header is required"}}`)
		default:
			return false
		}
		return true
	}
	return changing{
		servers: remote(s.srv.URL, ""), tool: "run",
		restart: func(_ *testing.T, _ *world, protocol string) { s.modern = protocol == modern },
	}
}

// afterRestart makes calls until one succeeds, so many at most, after the
// server came back with another revision.
func afterRestart(t *testing.T, s changing, first, then string, calls int) {
	t.Helper()
	s.restart(t, nil, first)
	w := newWorld(t, s.servers, patientProbe)
	w.call("s", s.tool, steps()).texts(t)
	if got := w.host.Servers()[0].Protocol; got != first {
		t.Fatalf("negotiated %s at first, want %s", got, first)
	}
	s.restart(t, w, then)
	var out outcome
	for range calls {
		if out = w.call("s", s.tool, steps()); out.err == nil {
			break
		}
	}
	out.texts(t)
	if state := w.host.Servers()[0]; state.Protocol != then || state.Err != nil {
		t.Errorf("negotiated %s after the restart (%v), want %s", state.Protocol, state.Err, then)
	}
}

func TestEras_ServerThatComesBackWithAnotherRevisionIsSpokenToInThatOne(t *testing.T) {
	// A server known to be blocking is not probed: it may take a failed call
	// until it is. See TestBug_CallAfterAServerBecameDurableFails.
	t.Run("stdio, durable now", func(t *testing.T) { afterRestart(t, changingStdio(t), blocking, modern, 2) })
	t.Run("http, durable now", func(t *testing.T) { afterRestart(t, changingHTTP(t), blocking, modern, 2) })
	t.Run("stdio, blocking now", func(t *testing.T) { afterRestart(t, changingStdio(t), modern, blocking, 1) })
}

func patientProbe(o *Options) { o.HandshakeTimeout, o.DiscoverTimeout = patience, patience }

func TestEras_ParkedCallOfAServerThatIsBlockingNowFailsAndSendsNothing(t *testing.T) {
	s, came := durable(t, asking("a", `"state"`), finished)
	parked := newWorld(t, remote(s.srv.URL, ""), nil).call("s", "run", "").Parked
	s.modern = false
	out := resume(t, s, parked, map[string]elicit.Answer{"a": accept(`{}`)})
	wantError[*ServerDownError](t, out.err)
	wantMention(t, out.err, "server s", blocking, "parked call")
	if n := len(came()); n != 1 {
		t.Errorf("the call was sent %d times, want once", n)
	}
}
