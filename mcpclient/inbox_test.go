package mcpclient

import (
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"testing"
)

// guestArguments are what the servers of a crowd look at.
func guestArguments(x *exchangeHTTP) (secret string, doomed bool) {
	var p struct {
		Arguments struct {
			Secret string
			Doomed bool
		}
	}
	if err := json.Unmarshal(x.m.params, &p); err != nil {
		x.s.t.Error(err)
	}
	return p.Arguments.Secret, p.Arguments.Doomed
}

// inboxes sorts what a server is posted beside requests by session.
type inboxes struct {
	mu  sync.Mutex
	all map[string]chan string
}

// sorted makes a server sort its post.
func sorted(s *rawHTTP) *inboxes {
	b := &inboxes{all: map[string]chan string{}}
	s.post = func(x *exchangeHTTP) bool {
		if x.m.method == "" || x.m.method == "notifications/progress" {
			b.of(x) <- x.body
		}
		return false
	}
	return b
}

func (b *inboxes) of(x *exchangeHTTP) chan string {
	b.mu.Lock()
	defer b.mu.Unlock()
	session := x.header.Get(sessionHeader)
	if b.all[session] == nil {
		b.all[session] = make(chan string, 1000)
	}
	return b.all[session]
}

// crowdServer does over HTTP what the script of a guest says.
func crowdServer(t *testing.T) *rawHTTP {
	s := newRawHTTP(t, false, nil)
	in := sorted(s)
	s.call = func(x *exchangeHTTP) {
		secret, doomed := guestArguments(x)
		x.stream()
		x.event("", secretQuestion("1", secret))
		x.event("", secretQuestion("2", secret))
		var got []string
		for len(got) < 4 && !(doomed && len(got) == 3) {
			select {
			case body := <-in.of(x):
				got = append(got, body)
			case <-x.closed():
				return
			}
		}
		if doomed {
			panic(http.ErrAbortHandler)
		}
		x.event("", x.text(strings.Join(got, "\n")))
	}
	return s
}
