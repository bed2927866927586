package mcpclient

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/slackbridge/slackbridge/elicit"
)

// The transcripts of this file are meant to be read: testdata/transcripts.

const (
	shortQuestion  = `{"message":"Which cluster?","requestedSchema":{"type":"object","properties":{"cluster":{"type":"string"}}}}`
	secondQuestion = `{"message":"How many?","requestedSchema":{"type":"object","properties":{"n":{"type":"integer","maximum":9007199254740993}}}}`
)

func elicitation(id, params string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"elicitation/create","params":` + params + `}`
}

var euAnswer = accept(`{"cluster":"prod-eu"}`)

func TestTranscript_BlockingOverStdio(t *testing.T) {
	asks := func(s *pipeServer, id []byte) {
		s.send(elicitation("3", shortQuestion))
		s.next()
		s.over(id)
	}
	replies := func(with elicit.Answer) func(*testing.T, *asked) {
		return func(t *testing.T, q *asked) { q.answer(t, with) }
	}
	clocks := make(chan chan time.Time, 3)
	for name, tc := range map[string]struct {
		call func(s *pipeServer, id []byte)
		act  func(t *testing.T, q *asked)
	}{
		"accept":  {asks, replies(euAnswer)},
		"decline": {asks, replies(elicit.Answer{Action: elicit.Decline})},
		"cancel":  {asks, replies(elicit.Answer{Action: elicit.Cancel})},
		"invalid": {asks, replies(elicit.Answer{Invalid: &elicit.InvalidParamsError{Path: "requestedSchema", Problem: "is too deep"}})},
		"withdrawn": {
			func(s *pipeServer, id []byte) {
				s.send(elicitation("3", shortQuestion))
				s.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3,"reason":"not needed any more"}}`)
				s.over(id)
			},
			func(t *testing.T, q *asked) {
				if cause := q.cause(t); !errors.Is(cause, elicit.ErrWithdrawn) {
					t.Errorf("the question ended with %v, want ErrWithdrawn", cause)
				}
			},
		},
		"progress": {
			func(s *pipeServer, id []byte) {
				s.send(elicitation("3", `{"_meta":{"progressToken":"token"},`+shortQuestion[1:]))
				for range 3 {
					s.next()
				}
				s.over(id)
			},
			func(t *testing.T, q *asked) {
				receiveFrom(t, clocks, "the first wait") <- time.Time{}
				receiveFrom(t, clocks, "the second wait") <- time.Time{}
				receiveFrom(t, clocks, "the end of the second note")
				q.answer(t, euAnswer)
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			tape := &tape{}
			w := newWorld(t, newPipeServer(t, tape, tc.call), func(o *Options) {
				patientProbe(o)
				o.ProgressInterval = crowdProgress
				o.After = func(d time.Duration) <-chan time.Time {
					if d != crowdProgress {
						return time.After(d)
					}
					clock := make(chan time.Time, 1)
					clocks <- clock
					return clock
				}
			})
			done := w.start(t.Context(), callFor(ann, "s", "run", ""))
			tc.act(t, w.question())
			receiveFrom(t, done, "the result").texts(t)
			tape.golden(t, "stdio-"+name)
		})
	}
}

func TestTranscript_StoppedOverStdio(t *testing.T) {
	tape := &tape{}
	told := make(chan struct{})
	w := newWorld(t, newPipeServer(t, tape, func(s *pipeServer, _ []byte) {
		defer close(told)
		s.send(elicitation("3", shortQuestion))
		s.next() // the answer
		s.next() // notifications/cancelled
	}), patientProbe)
	ctx, stop := context.WithCancelCause(t.Context())
	done := w.start(ctx, callFor(ann, "s", "run", ""))
	w.question()
	stop(elicit.ErrStopped)
	receiveFrom(t, done, "the end of the call")
	receiveFrom(t, told, "the end of the request")
	tape.golden(t, "stdio-stopped")
}

func TestTranscript_BlockingOverHTTP(t *testing.T) {
	resumed := make(chan struct{})
	for name, build := range map[string]func(*rawHTTP){
		"post-stream": func(s *rawHTTP) {
			s.call = func(x *exchangeHTTP) {
				x.stream()
				x.event("", elicitation("3", shortQuestion))
				x.response("3")
				x.event("", x.text("done"))
			}
		},
		"get-stream": func(s *rawHTTP) {
			s.call = func(x *exchangeHTTP) {
				x.response("3")
				x.json([]byte(x.text("done")))
			}
			s.get = func(x *exchangeHTTP) {
				x.stream()
				s.await(x.closed(), method("tools/call"))
				x.event("", elicitation("3", shortQuestion))
				<-x.closed()
			}
		},
		"resumed-stream": func(s *rawHTTP) {
			s.call = func(x *exchangeHTTP) {
				x.stream()
				x.event("A-1", elicitation("3", shortQuestion))
				x.w.(*tapedWriter).tape.note("the connection breaks")
				panic(http.ErrAbortHandler)
			}
			s.get = func(x *exchangeHTTP) {
				if !resuming(x.heardHTTP) {
					x.w.WriteHeader(http.StatusMethodNotAllowed)
					return
				}
				x.stream()
				close(resumed)
				x.response("3")
				again := exchangeHTTP{heardHTTP: s.all(method("tools/call"))[0]}
				x.event("A-2", again.text("done"))
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			tape := &tape{}
			s := newRawHTTP(t, false, nil)
			build(s)
			onTape(s, tape)
			w := newWorld(t, remote(s.srv.URL, ""), soon)
			done := w.start(t.Context(), callFor(ann, "s", "run", ""))
			q := w.question()
			if name == "resumed-stream" {
				receiveFrom(t, resumed, "the resumption of the stream")
			}
			q.answer(t, euAnswer)
			receiveFrom(t, done, "the result").texts(t)
			tape.golden(t, "http-"+name)
		})
	}
}

func TestTranscript_Durable(t *testing.T) {
	input := func(key, params string) string {
		return string(quote(key)) + `:{"method":"elicitation/create","params":` + params + `}`
	}
	asks := func(state string, inputs ...string) string {
		result := `{"resultType":"input_required"`
		if len(inputs) > 0 {
			result += `,"inputRequests":{` + strings.Join(inputs, ",") + `}`
		}
		if state != "" {
			result += `,"requestState":` + state
		}
		return result + "}"
	}
	one, two := input("cluster", shortQuestion), input("how many", secondQuestion)
	for name, results := range map[string][]string{
		"one-question":            {asks("", one), finished},
		"several-in-one-round":    {asks(`"s1"`, two, one), finished},
		"several-rounds":          {asks(`"s1"`, one), asks(`"s2"`, two), asks("", one), finished},
		"load-shedding":           {asks(`"later"`), asks(`"later still"`), asks(`"s1"`, one), asks(`"after the answer"`), finished},
		"state-byte-for-byte":     {asks(`"S<&>\u00e9\n\/ \ud800 é  end "`, one), finished},
		"state-empty-but-present": {asks(`""`, one), finished},
	} {
		t.Run(name, func(t *testing.T) {
			tape := &tape{}
			s, _ := durable(t, results...)
			onTape(s, tape)
			w := newWorld(t, remote(s.srv.URL, ""), soon)
			out := w.call("s", "run", `{"zeta": 1.0, "alpha":"<&>", "n":9007199254740993}`)
			for out.Parked != nil {
				answers := map[string]elicit.Answer{"cluster": euAnswer, "how many": accept(`{"n": 9007199254740993}`)}
				next, err := w.host.Resume(t.Context(), *out.Parked, answers)
				out = outcome{next, err}
			}
			out.texts(t)
			tape.golden(t, "durable-"+name)
		})
	}
}

func TestTranscript_Handshake(t *testing.T) {
	check := func(t *testing.T, tape *tape, servers, name string) {
		t.Helper()
		if err := newWorld(t, servers, patientProbe).host.Check(t.Context(), "s"); err != nil {
			t.Fatal(err)
		}
		tape.golden(t, name)
	}
	t.Run("stdio", func(t *testing.T) {
		tape := &tape{on: true}
		check(t, tape, newPipeServer(t, tape, nil), "stdio-handshake")
	})
	for name, durable := range map[string]bool{"http-handshake": false, "durable-handshake": true} {
		t.Run(name, func(t *testing.T) {
			tape := &tape{on: true}
			s := newRawHTTP(t, durable, nil)
			onTape(s, tape)
			check(t, tape, remote(s.srv.URL, ""), name)
		})
	}
}
