package mcpclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/slackbridge/slackbridge/elicit"
)

func TestHTTP_QuestionAndAnswerPassUnchanged(t *testing.T) {
	for _, id := range []string{`1`, `"1"`, `9007199254740993`} {
		t.Run(id, func(t *testing.T) {
			s := newRawHTTP(t, false, func(x *exchangeHTTP) {
				x.stream()
				x.write(": comment\r\nevent: message\r\ndata: {\"jsonrpc\":\"2.0\",\"id\":" + id + ",\r\ndata: \"method\":\"elicitation/create\",\"params\":" + rawQuestion + "}\r\n\r\n")
				x.flush()
				x.event("", x.text(x.response(id)))
			})
			w := newWorld(t, remote(s.srv.URL, `"headers":{"Authorization":"Bearer abc"}`), nil)
			done := w.start(t.Context(), callFor(ann, "s", "run", `{"zeta": 1.0, "alpha":"<&>"}`))
			q := w.question()
			if q.RequestID != id || string(q.Params) != rawQuestion || q.Era != elicit.EraBlocking {
				t.Errorf("question %s %s %s, want %s %s", q.Era, q.RequestID, q.Params, id, rawQuestion)
			}
			q.answer(t, accept(`{"zeta": 9007199254740993}`))
			want := []string{`{"jsonrpc":"2.0","id":` + id + `,"result":{"action":"accept","content":{"zeta": 9007199254740993}}}`}
			if d := cmp.Diff(want, receiveFrom(t, done, "the result").texts(t)); d != "" {
				t.Errorf("on the wire (-want +got):\n%s", d)
			}
			answer := s.all(responses)[0]
			for name, want := range map[string]string{"Authorization": "Bearer abc", sessionHeader: "session-1", versionHeader: "2025-11-25", "Content-Type": "application/json"} {
				if got := answer.header.Get(name); got != want {
					t.Errorf("the answer has %s: %q, want %q", name, got, want)
				}
			}
			if call := s.all(method("tools/call"))[0]; !strings.Contains(call.body, `"arguments":{"zeta": 1.0, "alpha":"<&>"}`) {
				t.Errorf("the arguments were changed: %s", call.body)
			}
		})
	}
}

func TestHTTP_AnswerThatTheServerRefusesIsAnError(t *testing.T) {
	s := newRawHTTP(t, false, func(x *exchangeHTTP) {
		x.stream()
		x.event("", ask("3"))
		x.response("3")
		x.event("", x.text("over"))
	})
	s.post = func(x *exchangeHTTP) bool {
		if x.m.method != "" {
			return false
		}
		x.w.WriteHeader(http.StatusInternalServerError)
		return true
	}
	w := newWorld(t, remote(s.srv.URL, ""), nil)
	done := w.start(t.Context(), callFor(ann, "s", "run", ""))
	q := w.question()
	wantMention(t, q.reply(t.Context(), accept(`{}`)), "answering question 3 of server s", "500")
	q.done()
	receiveFrom(t, done, "the result").texts(t)
}

func TestHTTP_WithdrawnQuestionIsNotAnswered(t *testing.T) {
	s := newRawHTTP(t, false, func(x *exchangeHTTP) {
		x.stream()
		x.event("", ask(`"elicit-9"`))
		x.event("", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"elicit-9"}}`)
		x.event("", `{"jsonrpc":"2.0","id":"p","method":"ping"}`)
		x.response(`"p"`)
		x.event("", x.text("over"))
	})
	w := newWorld(t, remote(s.srv.URL, ""), nil)
	done := w.start(t.Context(), callFor(ann, "s", "run", ""))
	q := w.question()
	if cause := q.cause(t); !errors.Is(cause, elicit.ErrWithdrawn) {
		t.Errorf("the question ended with %v, want ErrWithdrawn", cause)
	}
	if err := q.reply(t.Context(), accept(`{}`)); !errors.Is(err, elicit.ErrWithdrawn) {
		t.Errorf("reply returned %v, want ErrWithdrawn", err)
	}
	receiveFrom(t, done, "the result").texts(t)
	if got := s.all(responses); len(got) != 1 {
		t.Errorf("there were %d responses, want that to the ping alone", len(got))
	}
}

// soon makes all waits short: what is waited for in these tests is a pause
// between two attempts.
func soon(o *Options) {
	o.After = func(d time.Duration) <-chan time.Time {
		if d <= maxRetry {
			d = time.Millisecond
		}
		return time.After(d)
	}
	o.IdleTime = time.Hour
}

func TestHTTP_BrokenStreamIsResumedAfterItsOwnLastEvent(t *testing.T) {
	s := newRawHTTP(t, false, func(x *exchangeHTTP) {
		x.stream()
		x.event("A-1", ask("3"))
		panic(http.ErrAbortHandler) // the connection breaks inside a chunk
	})
	resumed := 0
	s.get = func(x *exchangeHTTP) {
		switch x.header.Get("Last-Event-Id") {
		case "":
			x.stream()
			x.event("G-8", `{"jsonrpc":"2.0","method":"notifications/message","params":{}}`)
			<-x.closed()
		case "A-1":
			if resumed++; resumed == 1 {
				x.w.WriteHeader(http.StatusServiceUnavailable) // not back yet
				return
			}
			x.stream()
			x.event("A-1", ask("3")) // replayed: must not be asked again
			answer := x.response("3")
			call := s.all(method("tools/call"))[0]
			again := exchangeHTTP{heardHTTP: call}
			x.event("A-2", again.text(answer))
		default:
			x.w.WriteHeader(http.StatusNotFound)
		}
	}
	w := newWorld(t, remote(s.srv.URL, ""), soon)
	done := w.start(t.Context(), callFor(ann, "s", "run", ""))
	q := w.question()
	s.await(t.Context().Done(), func(h heardHTTP) bool { return h.header.Get("Last-Event-Id") == "A-1" })
	q.answer(t, accept(`{"a":1}`))
	want := []string{`{"jsonrpc":"2.0","id":3,"result":{"action":"accept","content":{"a":1}}}`}
	if d := cmp.Diff(want, receiveFrom(t, done, "the result").texts(t)); d != "" {
		t.Errorf("on the wire (-want +got):\n%s", d)
	}
	w.noQuestion()
	if got := s.all(method("tools/call")); len(got) != 1 {
		t.Errorf("the call was sent %d times", len(got))
	}
}

func TestHTTP_StreamThatTheServerEndsEarlyIsPolled(t *testing.T) {
	s := newRawHTTP(t, false, func(x *exchangeHTTP) {
		x.stream()
		x.write("retry: 5\n")
		x.event("B-1", ask("3"))
	})
	polls := 0
	s.get = func(x *exchangeHTTP) {
		if x.header.Get("Last-Event-Id") == "" {
			x.w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		x.stream()
		if polls++; polls < 12 { // more often than an opening may fail
			return
		}
		call := s.all(method("tools/call"))[0]
		again := exchangeHTTP{heardHTTP: call}
		x.event("B-2", again.text(x.response("3")))
	}
	w := newWorld(t, remote(s.srv.URL, ""), soon)
	done := w.start(t.Context(), callFor(ann, "s", "run", ""))
	w.question().answer(t, accept(`{}`))
	receiveFrom(t, done, "the result").texts(t)
}

func TestHTTP_BrokenStreamWithoutAnIDEndsTheCall(t *testing.T) {
	s := newRawHTTP(t, false, func(x *exchangeHTTP) {
		x.stream()
		x.event("", ask("3"))
		panic(http.ErrAbortHandler)
	})
	w := newWorld(t, remote(s.srv.URL, ""), soon)
	done := w.start(t.Context(), callFor(ann, "s", "run", ""))
	q := w.question()
	if cause := q.cause(t); !errors.Is(cause, elicit.ErrConnectionLost) {
		t.Errorf("the question ended with %v, want ErrConnectionLost", cause)
	}
	out := receiveFrom(t, done, "the end of the call")
	wantError[*ServerDownError](t, out.err)
	wantMention(t, out.err, "lost its connection", "not known")
}

func TestHTTP_QuestionOnTheStandingStreamReachesTheOpenCall(t *testing.T) {
	s := newRawHTTP(t, false, func(x *exchangeHTTP) {
		x.stream()
		x.event("", x.text(x.response("3")))
	})
	s.get = func(x *exchangeHTTP) {
		x.stream()
		s.await(x.closed(), method("tools/call"))
		x.event("", ask("3"))
		<-x.closed()
	}
	w := newWorld(t, remote(s.srv.URL, ""), nil)
	done := w.start(t.Context(), callFor(ann, "s", "run", ""))
	q := w.question()
	if q.Call != "call-U_ANN" || q.Origin.Requester != "U_ANN" {
		t.Errorf("the question belongs to %s of %s", q.Call, q.Origin.Requester)
	}
	q.answer(t, accept(`{}`))
	receiveFrom(t, done, "the result").texts(t)
}

func TestHTTP_StandingStreamThatFailsHurtsNothing(t *testing.T) {
	tests := map[string]func(first bool, x *exchangeHTTP){
		"405 at once": func(_ bool, x *exchangeHTTP) { x.w.WriteHeader(http.StatusMethodNotAllowed) },
		"404 at once": func(_ bool, x *exchangeHTTP) { x.w.WriteHeader(http.StatusNotFound) },
		"an event without id, then 405": func(first bool, x *exchangeHTTP) {
			if !first {
				x.w.WriteHeader(http.StatusMethodNotAllowed)
				return
			}
			x.stream()
			x.event("", `{"jsonrpc":"2.0","method":"notifications/message","params":{}}`)
		},
		"breaks, then 500 for ever": func(first bool, x *exchangeHTTP) {
			if !first {
				x.w.WriteHeader(http.StatusInternalServerError)
				return
			}
			x.stream()
			panic(http.ErrAbortHandler)
		},
	}
	for name, get := range tests {
		t.Run(name, func(t *testing.T) {
			s := newRawHTTP(t, false, func(x *exchangeHTTP) {
				x.stream()
				x.event("", ask("3"))
				x.event("", x.text(x.response("3")))
			})
			gets := make(chan struct{}, 1<<20)
			s.get = func(x *exchangeHTTP) {
				defer func() { gets <- struct{}{} }()
				get(len(s.all(func(h heardHTTP) bool { return h.method == http.MethodGet })) == 1, x)
			}
			w := newWorld(t, remote(s.srv.URL, ""), soon)
			done := w.start(t.Context(), callFor(ann, "s", "run", ""))
			q := w.question()
			receiveFrom(t, gets, "the end of the standing stream")
			q.answer(t, accept(`{}`))
			receiveFrom(t, done, "the result").texts(t)
			if n := strings.Count(w.logs.String(), "level=WARN") + strings.Count(w.logs.String(), "level=ERROR"); n > 0 {
				t.Errorf("an optional stream that failed made %d warnings", n)
			}
			if n := strings.Count(w.logs.String(), "the standing stream broke"); n > 1 {
				t.Errorf("the log says %d times that the stream broke", n)
			}
		})
	}
}

func TestHTTP_ForgottenSessionIsBegunAnew(t *testing.T) {
	s := newRawHTTP(t, false, func(x *exchangeHTTP) { x.json([]byte(x.text(x.header.Get(sessionHeader)))) })
	w := newWorld(t, remote(s.srv.URL, ""), nil)
	if got := w.call("s", "run", "").texts(t); got[0] != "session-1" {
		t.Fatalf("the first call ran on %s", got)
	}
	s.post = func(x *exchangeHTTP) bool {
		if x.header.Get(sessionHeader) != "session-1" {
			return false
		}
		x.w.WriteHeader(http.StatusNotFound)
		return true
	}
	if got := w.call("s", "run", "").texts(t); got[0] != "session-2" {
		t.Errorf("the second call ran on %s, want a new session", got)
	}
}

func TestHTTP_OneSessionPerUser(t *testing.T) {
	s := newRawHTTP(t, false, func(x *exchangeHTTP) { x.json([]byte(x.text(x.header.Get(sessionHeader)))) })
	w := newWorld(t, remote(s.srv.URL, ""), nil)
	anns := w.call("s", "run", "").texts(t)[0]
	bobs := receiveFrom(t, w.start(t.Context(), callFor(bob, "s", "run", "")), "Bob's result").texts(t)[0]
	if again := w.call("s", "run", "").texts(t)[0]; again != anns || bobs == anns {
		t.Errorf("Ann had sessions %s and %s, Bob %s", anns, again, bobs)
	}
	w.close()
	if ends := s.all(func(h heardHTTP) bool { return h.method == http.MethodDelete }); len(ends) != 2 {
		t.Errorf("%d sessions were ended, want 2", len(ends))
	}
}

func TestHTTP_StoppedCallAnswersItsQuestionThenTellsTheServer(t *testing.T) {
	s := newRawHTTP(t, false, func(x *exchangeHTTP) {
		x.stream()
		x.event("", ask("3"))
		<-x.closed()
	})
	w := newWorld(t, remote(s.srv.URL, ""), nil)
	ctx, stop := context.WithCancelCause(t.Context())
	done := w.start(ctx, callFor(ann, "s", "run", ""))
	q := w.question()
	stop(elicit.ErrStopped)
	if err := q.reply(context.WithoutCancel(ctx), elicit.Answer{Action: elicit.Cancel}); err != nil && !errors.Is(err, ErrAnswered) {
		t.Errorf("the answer of a stopped call was not sent: %v", err)
	}
	if out := receiveFrom(t, done, "the end of the call"); !errors.Is(out.err, elicit.ErrStopped) {
		t.Errorf("the call ended with %v, want ErrStopped", out.err)
	}
	var order []string
	for _, h := range s.all(func(h heardHTTP) bool { return responses(h) || h.m.method == "notifications/cancelled" }) {
		order = append(order, h.body)
	}
	id := string(s.all(method("tools/call"))[0].m.id)
	want := []string{
		`{"jsonrpc":"2.0","id":3,"result":{"action":"cancel"}}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + id + `,"reason":"stopped"}}`,
	}
	if d := cmp.Diff(want, order); d != "" {
		t.Errorf("on the wire (-want +got):\n%s", d)
	}
}

func TestHTTP_ShutdownEndsCallsWithItsCause(t *testing.T) {
	s := newRawHTTP(t, false, func(x *exchangeHTTP) {
		x.stream()
		x.event("", ask("3"))
		<-x.closed()
	})
	w := newWorld(t, remote(s.srv.URL, ""), nil)
	done := w.start(t.Context(), callFor(ann, "s", "run", ""))
	q := w.question()
	w.close()
	if cause := q.cause(t); !errors.Is(cause, elicit.ErrShutdown) {
		t.Errorf("the question ended with %v, want ErrShutdown", cause)
	}
	if out := receiveFrom(t, done, "the end of the call"); !errors.Is(out.err, elicit.ErrShutdown) {
		t.Errorf("the call ended with %v, want ErrShutdown", out.err)
	}
	if _, err := w.host.Call(t.Context(), callFor(ann, "s", "run", "")); !errors.Is(err, elicit.ErrShutdown) {
		t.Errorf("a call after Close returned %v, want ErrShutdown", err)
	}
}

func TestCheck_SaysWhatIsWrongWithAnAddress(t *testing.T) {
	status := func(code int, contentType string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", contentType)
			w.Header().Set("Location", "https://elsewhere.example/mcp?key=canary")
			if code < 300 || code > 399 {
				w.Header().Del("Location")
			}
			w.WriteHeader(code)
			_, _ = w.Write([]byte("<html>"))
		}
	}
	tests := map[string]struct {
		handler http.Handler
		words   []string
	}{
		"no token":        {status(401, "text/plain"), []string{"401", "headers", "Authorization"}},
		"wrong token":     {status(403, "text/plain"), []string{"403", "headers"}},
		"wrong path":      {status(404, "text/html"), []string{"404", "/mcp"}},
		"old transport":   {status(405, "text/plain"), []string{"405", "HTTP+SSE"}},
		"a web page":      {status(200, "text/html"), []string{"no MCP endpoint", "text/html"}},
		"a redirect":      {status(307, "text/plain"), []string{"redirects", "https://elsewhere.example/mcp", "servers file"}},
		"broken":          {status(502, "text/html"), []string{"502"}},
		"not JSON at all": {status(200, "application/json"), []string{"broke the protocol"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			s := newRawHTTP(t, false, nil)
			s.srv.Config.Handler = tc.handler
			w := newWorld(t, remote(s.srv.URL+"/?token=canary", ""), nil)
			err := w.host.Check(t.Context(), "s")
			wantError[*ServerDownError](t, err)
			wantMention(t, err, tc.words...)
			if strings.Contains(err.Error(), "canary") {
				t.Errorf("the error shows a key: %v", err)
			}
		})
	}
	t.Run("nobody there", func(t *testing.T) {
		s := newRawHTTP(t, false, nil)
		address := s.srv.URL
		s.srv.Close()
		w := newWorld(t, remote(address+"/?token=canary", ""), nil)
		err := w.host.Check(t.Context(), "s")
		wantMention(t, err, "server s cannot be reached", "refused", "url")
		if strings.Contains(err.Error(), "canary") {
			t.Errorf("the error shows a key: %v", err)
		}
	})
}

func TestHTTP_ErrorOfTheServerKeepsCodeAndData(t *testing.T) {
	s := newRawHTTP(t, false, func(x *exchangeHTTP) {
		x.w.Header().Set("Content-Type", "application/json")
		x.w.WriteHeader(http.StatusBadRequest)
		x.write(`{"jsonrpc":"2.0","id":` + string(x.m.id) + `,"error":{"code":-32021,"message":"need \u001b[1m url","data":{"requiredCapabilities":{"elicitation":{"url":{}}}}}}`)
	})
	w := newWorld(t, remote(s.srv.URL, ""), nil)
	out := w.call("s", "run", "")
	e := wantError[*RPCError](t, out.err)
	if e.Code != -32021 || string(e.Data) != `{"requiredCapabilities":{"elicitation":{"url":{}}}}` {
		t.Errorf("got %+v with data %s", e, e.Data)
	}
	if strings.Contains(e.Error(), "\x1b") {
		t.Error("a control character of the server is in the error text")
	}
}

func TestHTTP_CallThatIsAnsweredByAStatusIsServerDown(t *testing.T) {
	s := newRawHTTP(t, false, func(x *exchangeHTTP) { x.w.WriteHeader(http.StatusBadGateway) })
	w := newWorld(t, remote(s.srv.URL, ""), nil)
	for range 2 { // the second one on a session of its own
		out := w.call("s", "run", "")
		wantError[*ServerDownError](t, out.err)
		wantMention(t, out.err, "server s answers 502 Bad Gateway")
	}
	sessions := map[string]bool{}
	for _, h := range s.all(method("tools/call")) {
		sessions[h.header.Get(sessionHeader)] = true
	}
	if len(sessions) != 2 {
		t.Errorf("the calls ran on the sessions %v, want two", sessions)
	}
}

func TestHTTP_QuestionOnTheStandingStreamWithoutACallIsCancelled(t *testing.T) {
	s := newRawHTTP(t, false, func(x *exchangeHTTP) { x.json([]byte(x.text("over"))) })
	listed := make(chan struct{})
	s.get = func(x *exchangeHTTP) {
		x.stream()
		select {
		case <-listed:
			x.event("", ask("3"))
		case <-x.closed():
		}
		<-x.closed()
	}
	w := newWorld(t, remote(s.srv.URL, ""), nil)
	if _, err := w.host.Tools(t.Context(), "s", ann); err != nil {
		t.Fatal(err)
	}
	close(listed)
	got := s.await(t.Context().Done(), responses).body
	if want := `{"jsonrpc":"2.0","id":3,"result":{"action":"cancel"}}`; got != want {
		t.Errorf("on the wire %s, want %s", got, want)
	}
	w.noQuestion()
}

func TestHTTP_ProgressIsAskedForAndTaken(t *testing.T) {
	s := newRawHTTP(t, false, func(x *exchangeHTTP) {
		var p struct {
			Meta struct {
				Token json.RawMessage `json:"progressToken"`
			} `json:"_meta"`
		}
		if err := json.Unmarshal(x.m.params, &p); err != nil || p.Meta.Token == nil {
			t.Errorf("the call carries no progressToken: %s", x.m.params)
			return
		}
		x.stream()
		for n := range 3 {
			x.event("", string(encodeNotification("notifications/progress", json.RawMessage(fmt.Sprintf(`{"progressToken":%s,"progress":%d,"total":3}`, p.Meta.Token, n)))))
			x.event("", string(encodeNotification("notifications/progress", json.RawMessage(`{"progressToken":"of nobody","progress":1}`))))
		}
		x.event("", string(encodeResult(x.m.id, json.RawMessage(`{"content":[{"type":"text","text":"done"}]}`))))
	})
	w := newWorld(t, remote(s.srv.URL, ""), nil)
	if got := w.call("s", "run", "").texts(t); len(got) != 1 || got[0] != "done" {
		t.Errorf("result %q", got)
	}
}
