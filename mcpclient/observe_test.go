package mcpclient

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/slackbridge/slackbridge/elicit"
)

func TestTrace_IsInMetaOfTheRequestsOfATracedCallOnly(t *testing.T) {
	const first, second = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", "00-4bf92f3577b34da6a3ce929d0e0e4736-1111111111111111-01"
	for _, traced := range []bool{true, false} {
		t.Run(fmt.Sprintf("traced=%t", traced), func(t *testing.T) {
			s, came := durable(t, asking("a", ""), finished)
			w := newWorld(t, remote(s.srv.URL, ""), nil)
			c := callFor(ann, "s", "run", "")
			if traced {
				c.Trace = first
			}
			out := receiveFrom(t, w.start(t.Context(), c), "the question")
			if out.err != nil {
				t.Fatal(out.err)
			}
			if out.Parked.Call.Trace != c.Trace {
				t.Errorf("the parked call has the trace %q, want %q", out.Parked.Call.Trace, c.Trace)
			}
			if traced {
				out.Parked.Call.Trace = second // of the span of the resume
			}
			resume(t, s, out.Parked, map[string]elicit.Answer{"a": accept(`{}`)}).texts(t)
			var got []string
			for _, r := range came() {
				var meta struct {
					Trace *string `json:"traceparent"`
				}
				if err := json.Unmarshal([]byte(r.meta), &meta); err != nil {
					t.Fatal(err)
				}
				if meta.Trace != nil {
					got = append(got, *meta.Trace)
				}
			}
			if traced && !slices.Equal(got, []string{first, second}) || !traced && got != nil {
				t.Errorf("the requests carried %q", got)
			}
		})
	}
}

func TestEndings_EachIsTold(t *testing.T) {
	ctx := t.Context()
	parked, failed, fine := elicit.Outcome{Parked: &elicit.Parked{}}, elicit.Outcome{Result: &elicit.Result{IsError: true}}, elicit.Outcome{Result: &elicit.Result{}}
	told := map[Ending]bool{EndedStopped: true} // has a context of its own
	for _, tt := range []struct {
		out  elicit.Outcome
		err  error
		want Ending
	}{
		{fine, nil, EndedResult},
		{failed, nil, EndedToolError},
		{parked, nil, EndedAsked},
		{err: &elicit.PagesRequiredError{}, want: EndedPages},
		{err: &RPCError{Code: -32603}, want: EndedRPCError},
		{err: &ProtocolError{}, want: EndedProtocol},
		{err: fmt.Errorf("calling: %w", &ServerDownError{}), want: EndedDown},
		{err: &TimeoutError{}, want: EndedTimeout},
		{err: &UnknownToolError{}, want: EndedUnknown},
		{err: errors.New("no randomness"), want: EndedFailed},
	} {
		told[tt.want] = true
		if got := endingOf(ctx, tt.out, tt.err); got != tt.want {
			t.Errorf("endingOf(%+v, %v) = %s, want %s", tt.out, tt.err, got, tt.want)
		}
	}
	for _, e := range Endings() {
		if !told[e] {
			t.Errorf("nothing ends as %s", e)
		}
	}
	if len(told) != len(Endings()) {
		t.Errorf("Endings lists %d, there are %d", len(Endings()), len(told))
	}
}

func TestConnections_AreCountedOverAllUsers(t *testing.T) {
	s, _ := durable(t, finished, finished)
	var mu sync.Mutex
	var ended []string
	w := newWorld(t, remote(s.srv.URL, ""), func(o *Options) {
		o.Called = func(server string, end Ending) {
			mu.Lock()
			defer mu.Unlock()
			ended = append(ended, server+" "+string(end))
		}
	})
	if got := w.host.Connections(); len(got) != 1 || got[0] != (Connections{Server: "s"}) {
		t.Errorf("before the first call: %+v", got)
	}
	for _, user := range []elicit.User{ann, bob} {
		receiveFrom(t, w.start(t.Context(), callFor(user, "s", "run", "")), "the end of the call").texts(t)
	}
	if got := w.host.Connections(); len(got) != 1 || got[0] != (Connections{Server: "s", Idle: 2}) {
		t.Errorf("after a call of each user: %+v", got)
	}
	mu.Lock()
	defer mu.Unlock()
	if got := strings.Join(ended, ", "); got != "s result, s result" {
		t.Errorf("told: %s", got)
	}
}

func TestTrace_IsInMetaOfTheAnswersToATask(t *testing.T) {
	const trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
	s := tasking(t, taskQuestion("a"), taskDone)
	out := newWorld(t, remote(s.srv.URL, ""), nil).call("s", "run", "")
	if out.err != nil || out.Parked == nil {
		t.Fatalf("got %+v, %v, want a parked call", out.Outcome, out.err)
	}
	out.Parked.Call.Trace = trace
	resume(t, s, out.Parked, map[string]elicit.Answer{"a": accept(`{}`)}).texts(t)
	updates := s.all(method(methodTaskUpdate))
	if len(updates) != 1 || !strings.Contains(string(updates[0].m.params), `"traceparent":"`+trace+`"`) {
		t.Errorf("the task was updated with %v", updates)
	}
}
