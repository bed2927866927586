package mcpclient

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/slackbridge/slackbridge/elicit"
)

// cutServer asks question 3 and loses the stream of the call at a moment:
// before, during or after the delivery of the answer. With an event id the
// stream can be resumed.
func cutServer(t *testing.T, moment, eventID string) *rawHTTP {
	cut := make(chan struct{})
	if moment == "before" {
		close(cut)
	}
	s := newRawHTTP(t, false, func(x *exchangeHTTP) {
		x.stream()
		x.event(eventID, ask("3"))
		select {
		case <-cut:
			panic(http.ErrAbortHandler)
		case <-x.closed():
		}
	})
	s.post = func(x *exchangeHTTP) bool {
		if !responses(x.heardHTTP) {
			return false
		}
		switch {
		case moment == "during" && eventID != "":
			close(cut)
			s.await(x.closed(), resuming)
		case moment == "during":
			close(cut)
			<-x.closed()
		case moment == "after":
			x.w.WriteHeader(http.StatusAccepted)
			x.flush()
			close(cut)
			return true
		}
		return false
	}
	s.get = func(x *exchangeHTTP) {
		if !resuming(x.heardHTTP) {
			x.w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		x.stream()
		again := exchangeHTTP{heardHTTP: s.all(method("tools/call"))[0]}
		x.event("A-2", again.text(x.response("3")))
	}
	return s
}

func resuming(h heardHTTP) bool { return h.header.Get("Last-Event-Id") == "A-1" }

func TestFault_StreamCutAroundTheAnswerIsResumedAndTheAnswerArrivesOnce(t *testing.T) {
	for _, moment := range []string{"before", "during", "after"} {
		t.Run(moment, func(t *testing.T) {
			s := cutServer(t, moment, "A-1")
			w := newWorld(t, remote(s.srv.URL, ""), soon)
			done := w.start(t.Context(), callFor(ann, "s", "run", ""))
			q := w.question()
			if moment == "before" {
				s.await(t.Context().Done(), resuming)
			}
			q.answer(t, accept(`{"a":1}`))
			want := []string{`{"jsonrpc":"2.0","id":3,"result":{"action":"accept","content":{"a":1}}}`}
			if d := cmp.Diff(want, receiveFrom(t, done, "the result").texts(t)); d != "" {
				t.Errorf("on the wire (-want +got):\n%s", d)
			}
			if calls, answers := len(s.all(method("tools/call"))), len(s.all(responses)); calls != 1 || answers != 1 {
				t.Errorf("the call was sent %d times and the answer %d times, want once each", calls, answers)
			}
			w.noQuestion()
		})
	}
}

func TestFault_StreamCutAroundTheAnswerWithoutAnEventIDEndsTheCall(t *testing.T) {
	for _, moment := range []string{"before", "during", "after"} {
		t.Run(moment, func(t *testing.T) {
			s := cutServer(t, moment, "")
			w := newWorld(t, remote(s.srv.URL, ""), soon)
			done := w.start(t.Context(), callFor(ann, "s", "run", ""))
			q := w.question()
			switch moment {
			case "before":
				if cause := q.cause(t); !errors.Is(cause, elicit.ErrConnectionLost) {
					t.Errorf("the question ended with %v, want ErrConnectionLost", cause)
				}
			case "during":
				if err := q.reply(t.Context(), accept(`{}`)); err == nil {
					t.Error("reply says that the server has the answer, which it never said")
				}
			case "after":
				// The stream may break before the 202 is read.
				_ = q.reply(t.Context(), accept(`{}`))
			}
			q.done()
			out := receiveFrom(t, done, "the end of the call")
			wantError[*ServerDownError](t, out.err)
			wantMention(t, out.err, "lost its connection", "not known")
			if calls, answers := len(s.all(method("tools/call"))), len(s.all(responses)); calls != 1 || answers > 1 {
				t.Errorf("the call was sent %d times and the answer %d times", calls, answers)
			}
		})
	}
}

func TestFault_ResponseWithAWrongIDOverHTTP(t *testing.T) {
	forged := []byte(`{"content":[{"type":"text","text":"forged"}]}`)
	t.Run("as JSON it ends the call", func(t *testing.T) {
		s := newRawHTTP(t, false, func(x *exchangeHTTP) { x.json(encodeResult([]byte(`"other"`), forged)) })
		out := newWorld(t, remote(s.srv.URL, ""), nil).call("s", "run", "")
		if e := wantError[*ProtocolError](t, out.err); e.Path != "response.id" {
			t.Errorf("the error names %s, want response.id", e.Path)
		}
	})
	t.Run("on a stream it is passed over", func(t *testing.T) {
		s := newRawHTTP(t, false, func(x *exchangeHTTP) {
			x.stream()
			for _, id := range []string{`"other"`, `1`, `9007199254740993`} {
				x.event("", string(encodeResult([]byte(id), forged)))
			}
			x.event("", x.text("done"))
		})
		if got := newWorld(t, remote(s.srv.URL, ""), nil).call("s", "run", "").texts(t); got[0] != "done" {
			t.Errorf("the result is %s", got)
		}
	})
}

func TestFault_GarbageEventsAreSkipped(t *testing.T) {
	s := newRawHTTP(t, false, func(x *exchangeHTTP) {
		x.stream()
		for _, garbage := range []string{"", "banner \x1b[31m", "{", "[]", "null", `{"jsonrpc":"2.0"}`, `{"id":{},"method":"ping"}`, `{"id":1,"method":7}`} {
			x.event("", garbage)
		}
		x.write("garbage without a colon\n\nevent: only\n\n")
		x.event("", ask("3"))
		x.event("", x.text(x.response("3")))
	})
	w := newWorld(t, remote(s.srv.URL, ""), nil)
	done := w.start(t.Context(), callFor(ann, "s", "run", ""))
	w.question().answer(t, accept(`{}`))
	receiveFrom(t, done, "the result").texts(t)
	if strings.Contains(w.logs.String(), "\x1b") {
		t.Error("a control character of the server reached the log as it is")
	}
}

func TestFault_MessageOfTenMegabytesPassesOverHTTPAndOfTwentyDoesNot(t *testing.T) {
	for name, answer := range map[string]func(x *exchangeHTTP, text string){
		"as JSON":     func(x *exchangeHTTP, text string) { x.json([]byte(x.text(text))) },
		"on a stream": func(x *exchangeHTTP, text string) { x.stream(); x.event("", x.text(text)) },
	} {
		t.Run(name, func(t *testing.T) {
			size := 10_000_000
			s := newRawHTTP(t, false, func(x *exchangeHTTP) { answer(x, strings.Repeat("x", size)) })
			w := newWorld(t, remote(s.srv.URL, ""), nil)
			if got := w.call("s", "run", "").texts(t); len(got[0]) != size {
				t.Errorf("a result of 10 MB arrived with %d bytes", len(got[0]))
			}
			size = 20_000_000
			out := w.call("s", "run", "")
			wantError[*ServerDownError](t, out.err)
			wantMention(t, out.err, "server s sent a message longer than 16 MiB")
		})
	}
}

func TestFault_OtherRequestsOverHTTPAreRefused(t *testing.T) {
	methods := []string{"no/such", "sampling/createMessage", "roots/list"}
	s := newRawHTTP(t, false, func(x *exchangeHTTP) {
		x.stream()
		var got []string
		for i, name := range methods {
			id := fmt.Sprint(i)
			x.event("", fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q}`, id, name))
			got = append(got, x.response(id))
		}
		x.event("", x.text(strings.Join(got, "\n")))
	})
	var want []string
	for i, name := range methods {
		want = append(want, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"error":{"code":-32601,"message":"slackbridge does not serve %s"}}`, i, name))
	}
	got := strings.Split(newWorld(t, remote(s.srv.URL, ""), nil).call("s", "run", "").texts(t)[0], "\n")
	if !slices.Equal(got, want) {
		t.Errorf("on the wire %s, want %s", got, want)
	}
}

func TestFault_HandshakeOverHTTPThatHangsIsGivenUp(t *testing.T) {
	for _, hanging := range []string{"server/discover", "initialize", "notifications/initialized"} {
		t.Run(hanging, func(t *testing.T) {
			s := newRawHTTP(t, false, nil)
			s.post = func(x *exchangeHTTP) bool {
				if x.m.method != hanging {
					return false
				}
				<-x.closed()
				return true
			}
			w := newWorld(t, remote(s.srv.URL, ""), func(o *Options) {
				o.HandshakeTimeout, o.DiscoverTimeout = 100*time.Millisecond, patience
			})
			err := w.host.Check(t.Context(), "s")
			wantError[*ServerDownError](t, err)
			wantMention(t, err, "server s", "took too long", "100ms")
		})
	}
}
