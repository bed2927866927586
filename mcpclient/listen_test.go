package mcpclient

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

func eventually(t *testing.T, what string, cond func() bool) {
	t.Helper()
	over := time.After(patience)
	for !cond() {
		select {
		case <-over:
			t.Fatalf("waited in vain for: %s", what)
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// announcing is a server of 2026-07-28 that says that it tells of changes.
// listen plays each subscriptions/listen that comes.
func announcing(t *testing.T, listen func(x *exchangeHTTP, n int64)) (s *rawHTTP, lists, listens *atomic.Int64) {
	t.Helper()
	lists, listens = &atomic.Int64{}, &atomic.Int64{}
	s = newRawHTTP(t, true, func(x *exchangeHTTP) { x.json([]byte(x.text("done"))) })
	s.post = func(x *exchangeHTTP) bool {
		switch x.m.method {
		case "server/discover":
			x.json(encodeResult(x.m.id, []byte(`{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{"listChanged":true}}}`)))
		case "tools/list":
			lists.Add(1)
			return false
		case "subscriptions/listen":
			listen(x, listens.Add(1))
		default:
			return false
		}
		return true
	}
	return s, lists, listens
}

func TestListen_ChangeOfTheToolsIsHeard(t *testing.T) {
	change := make(chan struct{})
	s, lists, listens := announcing(t, func(x *exchangeHTTP, _ int64) {
		if !strings.Contains(x.body, `"toolsListChanged":true`) || x.header.Get("Mcp-Method") != "subscriptions/listen" {
			t.Errorf("asked for %s with %v", x.body, x.header)
		}
		x.stream()
		x.event("", `{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{}}`)
		select {
		case <-change:
		case <-x.r.Context().Done():
			return
		}
		x.event("", `{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{}}`)
		<-x.r.Context().Done()
	})
	w := newWorld(t, remote(s.srv.URL, ""), nil)
	for range 2 {
		w.call("s", "run", "").texts(t)
	}
	if n := lists.Load(); n != 1 {
		t.Fatalf("the tools were listed %d times before the change", n)
	}
	close(change)
	eventually(t, "the tools are listed anew", func() bool {
		w.call("s", "run", "").texts(t)
		return lists.Load() == 2
	})
	if n := listens.Load(); n != 1 {
		t.Errorf("%d subscriptions for one server", n)
	}
}

func TestListen_BrokenSubscriptionIsTakenUpAgain(t *testing.T) {
	used := make(chan struct{})
	s, lists, listens := announcing(t, func(x *exchangeHTTP, n int64) {
		x.stream()
		x.event("", `{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{}}`)
		if n > 1 {
			<-x.r.Context().Done()
		}
		<-used
	})
	w := newWorld(t, remote(s.srv.URL, ""), soon)
	w.call("s", "run", "").texts(t)
	close(used)
	eventually(t, "it is taken up again", func() bool { return listens.Load() == 2 })
	eventually(t, "what was missed is made up for", func() bool {
		w.call("s", "run", "").texts(t)
		return lists.Load() == 2
	})
}

func TestListen_RefusalIsNotAskedForAgain(t *testing.T) {
	s, _, listens := announcing(t, func(x *exchangeHTTP, _ int64) {
		x.w.WriteHeader(http.StatusMethodNotAllowed)
	})
	w := newWorld(t, remote(s.srv.URL, ""), soon)
	for range 3 {
		w.call("s", "run", "").texts(t)
	}
	eventually(t, "it was asked once", func() bool { return listens.Load() == 1 })
	w.call("s", "run", "").texts(t)
	if n := listens.Load(); n != 1 {
		t.Errorf("asked %d times", n)
	}
}
