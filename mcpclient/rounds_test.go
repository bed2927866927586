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

// params are the members of a tools/call that matter for rounds, as raw text;
// empty when absent.
type roundParams struct{ name, arguments, responses, state, meta string }

func paramsOf(t *testing.T, m message) roundParams {
	t.Helper()
	all, err := members(m.params)
	if err != nil {
		t.Error(err)
	}
	var p roundParams
	for _, f := range all {
		switch f.name {
		case "name":
			p.name = string(f.value)
		case "arguments":
			p.arguments = string(f.value)
		case "inputResponses":
			p.responses = string(f.value)
		case "requestState":
			p.state = string(f.value)
		case "_meta":
			p.meta = string(f.value)
		default:
			t.Errorf("params have a member %s", f.name)
		}
	}
	return p
}

// durable is a server of 2026-07-28 that answers its calls with these results,
// one after the other, and keeps what came.
func durable(t *testing.T, results ...string) (*rawHTTP, func() []roundParams) {
	t.Helper()
	calls := 0
	s := newRawHTTP(t, true, nil)
	s.call = func(x *exchangeHTTP) {
		s.mu.Lock()
		result := results[min(calls, len(results)-1)]
		calls++
		s.mu.Unlock()
		x.json(encodeResult(x.m.id, json.RawMessage(result)))
	}
	return s, func() []roundParams {
		var out []roundParams
		for _, h := range s.all(method("tools/call")) {
			out = append(out, paramsOf(t, h.m))
		}
		return out
	}
}

func asking(key, state string) string {
	if state != "" {
		state = `,"requestState":` + state
	}
	return `{"resultType":"input_required","inputRequests":{` + string(quote(key)) + `:{"method":"elicitation/create","params":` + rawQuestion + `}}` + state + `}`
}

const finished = `{"resultType":"complete","content":[{"type":"text","text":"done"}]}`

// resume goes through JSON, as a store does, and on a host of its own.
func resume(t *testing.T, s *rawHTTP, p *elicit.Parked, answers map[string]elicit.Answer) outcome {
	t.Helper()
	stored, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	var loaded elicit.Parked
	if err := json.Unmarshal(stored, &loaded); err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, remote(s.srv.URL, ""), nil)
	out, err := w.host.Resume(t.Context(), loaded, answers)
	return outcome{out, err}
}

func TestRounds_QuestionsComeInWireOrderWithTheirRawParams(t *testing.T) {
	s, _ := durable(t, `{"inputRequests":{"zeta":{"method":"elicitation/create","params":`+rawQuestion+`},"alpha <&>":{"params":{"message":"?"},"method":"elicitation/create"}},"resultType":"input_required"}`)
	w := newWorld(t, remote(s.srv.URL, ""), nil)
	out := w.call("s", "run", `{"region":"eu"}`)
	if out.err != nil || out.Parked == nil {
		t.Fatalf("got %+v, %v, want a parked call", out.Outcome, out.err)
	}
	call := callFor(ann, "s", "run", `{"region":"eu"}`)
	q := elicit.Question{Call: call.ID, Server: "s", Tool: "run", Origin: call.Origin, Era: elicit.EraDurable, Protocol: "2026-07-28", RequestID: "zeta", Params: json.RawMessage(rawQuestion)}
	q2 := q
	q2.RequestID, q2.Params = "alpha <&>", json.RawMessage(`{"message":"?"}`)
	want := &elicit.Parked{Call: call, Protocol: "2026-07-28", Round: 1, Questions: []elicit.Question{q, q2}, Resume: out.Parked.Resume}
	if d := cmp.Diff(want, out.Parked); d != "" {
		t.Errorf("parked (-want +got):\n%s", d)
	}
	w.noQuestion()
}

func TestRounds_StateIsEchoedExactlyOnAnotherHost(t *testing.T) {
	states := map[string]string{
		"strange characters": `"S<&>\u00e9\n\u2028 \ud800 end "`,
		"8 KiB":              `"` + strings.Repeat("x", 8<<10) + `"`,
		"empty but present":  `""`,
		"absent":             "",
	}
	for name, state := range states {
		t.Run(name, func(t *testing.T) {
			s, came := durable(t, asking("a", state), finished)
			args := "{\"region\": \"eu\", \"n\":9007199254740993, \"x\":\"<&>\"}"
			out := newWorld(t, remote(s.srv.URL, ""), nil).call("s", "run", args)
			if out.Parked == nil {
				t.Fatalf("not parked: %v", out.err)
			}
			got := resume(t, s, out.Parked, map[string]elicit.Answer{"a": accept(`{"zeta": 1.0}`), "of another round": accept(`{}`)}).texts(t)
			if len(got) != 1 || got[0] != "done" {
				t.Errorf("the resumed call came to %q", got)
			}
			calls := came()
			want := roundParams{
				name: `"run"`, arguments: args, state: state, meta: calls[1].meta,
				responses: `{"a":{"action":"accept","content":{"zeta": 1.0}}}`,
			}
			if calls[1] != want {
				t.Errorf("the retry had %+v\nwant %+v", calls[1], want)
			}
			ids := s.all(method("tools/call"))
			if string(ids[0].m.id) == string(ids[1].m.id) {
				t.Error("the retry has the id of the first request")
			}
		})
	}
}

func TestRounds_EachRetryCarriesItsOwnRoundOnly(t *testing.T) {
	s, came := durable(t, asking("a", ""), asking("b", `"s2"`), finished)
	first := newWorld(t, remote(s.srv.URL, ""), nil).call("s", "run", "").Parked
	second := resume(t, s, first, map[string]elicit.Answer{"a": {Action: elicit.Decline}}).Parked
	if second == nil || second.Round != 2 {
		t.Fatalf("the second round is %+v", second)
	}
	resume(t, s, second, map[string]elicit.Answer{"b": {Action: elicit.Cancel}}).texts(t)
	got := came()
	for i := range got {
		got[i].meta = ""
	}
	want := []roundParams{
		{name: `"run"`, arguments: `{}`},
		{name: `"run"`, arguments: `{}`, responses: `{"a":{"action":"decline"}}`},
		{name: `"run"`, arguments: `{}`, responses: `{"b":{"action":"cancel"}}`, state: `"s2"`},
	}
	if d := cmp.Diff(want, got, cmp.AllowUnexported(roundParams{})); d != "" {
		t.Errorf("requests (-want +got):\n%s", d)
	}
}

func TestRounds_EveryRequestCarriesMetaAndHeaders(t *testing.T) {
	s, came := durable(t, asking("a", ""), finished)
	out := newWorld(t, remote(s.srv.URL, ""), nil).call("s", "run", `{"region":"eu"}`)
	resume(t, s, out.Parked, map[string]elicit.Answer{"a": accept(`{}`)}).texts(t)
	for i, h := range s.all(method("tools/call")) {
		for name, want := range map[string]string{"Mcp-Method": "tools/call", "Mcp-Name": "run", "Mcp-Param-Region": "eu", versionHeader: "2026-07-28", sessionHeader: ""} {
			if got := h.header.Get(name); got != want {
				t.Errorf("request %d has %s: %q, want %q", i, name, got, want)
			}
		}
		var meta map[string]json.RawMessage
		if err := json.Unmarshal([]byte(came()[i].meta), &meta); err != nil {
			t.Fatal(err)
		}
		want := map[string]string{
			"io.modelcontextprotocol/protocolVersion":    `"2026-07-28"`,
			"io.modelcontextprotocol/clientCapabilities": `{"extensions":{"io.modelcontextprotocol/tasks":{}},"elicitation":{"form":{},"url":{}}}`,
			"io.modelcontextprotocol/clientInfo":         `{"name":"slackbridge","version":"test"}`,
		}
		for name, want := range want {
			if got := string(meta[name]); got != want {
				t.Errorf("request %d has _meta %s: %s, want %s", i, name, got, want)
			}
		}
	}
	for _, h := range s.all(func(h heardHTTP) bool { return h.method != http.MethodPost }) {
		t.Errorf("a %s was sent, which 2026-07-28 does not have", h.method)
	}
}

func TestRounds_ServerThatIsNotOfferedElicitationSeesNoCapability(t *testing.T) {
	s, came := durable(t, finished)
	w := newWorld(t, remote(s.srv.URL, ""), func(o *Options) { o.Elicitation = func(string) bool { return false } })
	w.call("s", "run", "").texts(t)
	if meta := came()[0].meta; strings.Contains(meta, "elicitation") {
		t.Errorf("the capability was declared: %s", meta)
	}
}

func TestRounds_MalformedResultsFailAndNameThePath(t *testing.T) {
	one := func(entry string) string {
		return `{"resultType":"input_required","inputRequests":{"x":` + entry + `}}`
	}
	tests := map[string]struct{ result, path string }{
		"neither field":        {`{"resultType":"input_required"}`, "result"},
		"unknown method":       {one(`{"method":"no/such"}`), "result.inputRequests.x.method"},
		"sampling":             {one(`{"method":"sampling/createMessage","params":{}}`), "result.inputRequests.x.method"},
		"schema is no object":  {one(`{"method":"elicitation/create","params":{"message":"?","requestedSchema":{"type":"array"}}}`), "result.inputRequests.x.params.requestedSchema.type"},
		"unknown resultType":   {`{"resultType":"something_new","content":[]}`, "result.resultType"},
		"resultType no text":   {`{"resultType":1,"content":[]}`, "result.resultType"},
		"no params":            {one(`{"method":"elicitation/create"}`), "result.inputRequests.x.params"},
		"params null":          {one(`{"method":"elicitation/create","params":null}`), "result.inputRequests.x.params"},
		"entry no object":      {one(`7`), "result.inputRequests.x"},
		"requests no object":   {`{"resultType":"input_required","inputRequests":[]}`, "result.inputRequests"},
		"same key twice":       {`{"resultType":"input_required","inputRequests":{"x":{"method":"elicitation/create","params":{}},"x":{"method":"elicitation/create","params":{}}}}`, "result.inputRequests.x"},
		"state no text":        {`{"resultType":"input_required","requestState":null}`, "result.requestState"},
		"no content":           {`{"resultType":"complete"}`, "result.content"},
		"content no list":      {`{"content":"text"}`, "result.content"},
		"isError no boolean":   {`{"content":[],"isError":"yes"}`, "result.isError"},
		"result no object":     {`[]`, "result"},
		"result null":          {`null`, "result"},
		"second of two is bad": {`{"resultType":"input_required","inputRequests":{"ok":{"method":"elicitation/create","params":{}},"x":{"method":"roots/list"}}}`, "result.inputRequests.x.method"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			s, came := durable(t, tc.result)
			w := newWorld(t, remote(s.srv.URL, ""), nil)
			out := w.call("s", "run", "")
			e := wantError[*ProtocolError](t, out.err)
			if e.Path != tc.path || e.Server != "s" {
				t.Errorf("got %v, want path %s", e, tc.path)
			}
			if out.Result != nil || out.Parked != nil {
				t.Errorf("a malformed result came out as %+v", out.Outcome)
			}
			if n := len(came()); n != 1 {
				t.Errorf("the call was sent %d times, want once", n)
			}
		})
	}
}

func TestRounds_LoadSheddingIsRetriedWithPausesButNotForEver(t *testing.T) {
	var pauses []time.Duration
	spaced := func(o *Options) {
		o.After = func(d time.Duration) <-chan time.Time {
			if d < time.Second || d > firstShed<<maxSheds {
				return time.After(d)
			}
			pauses = append(pauses, d)
			return time.After(0)
		}
	}
	t.Run("until the server is ready", func(t *testing.T) {
		pauses = nil
		s, came := durable(t, `{"resultType":"input_required","requestState":"later"}`, `{"resultType":"input_required","inputRequests":{}}`, finished)
		newWorld(t, remote(s.srv.URL, ""), spaced).call("s", "run", "").texts(t)
		if d := cmp.Diff([]time.Duration{time.Second, 2 * time.Second}, pauses); d != "" {
			t.Errorf("pauses (-want +got):\n%s", d)
		}
		var states []string
		for _, p := range came() {
			states = append(states, p.state)
		}
		if d := cmp.Diff([]string{"", `"later"`, ""}, states); d != "" {
			t.Errorf("states (-want +got):\n%s", d)
		}
	})
	t.Run("and then not", func(t *testing.T) {
		s, came := durable(t, `{"resultType":"input_required","inputRequests":{}}`)
		out := newWorld(t, remote(s.srv.URL, ""), spaced).call("s", "run", "")
		wantError[*ServerDownError](t, out.err)
		wantMention(t, out.err, "busy")
		if n := len(came()); n != maxSheds+1 {
			t.Errorf("the call was sent %d times, want %d", n, maxSheds+1)
		}
	})
}

func TestRounds_EndAfterTen(t *testing.T) {
	s, _ := durable(t, asking("a", `"again"`))
	out := newWorld(t, remote(s.srv.URL, ""), nil).call("s", "run", "")
	for round := 1; round <= maxRounds; round++ {
		if out.Parked == nil || out.Parked.Round != round {
			t.Fatalf("round %d came to %+v, %v", round, out.Parked, out.err)
		}
		out = resume(t, s, out.Parked, map[string]elicit.Answer{"a": accept(`{}`)})
	}
	wantError[*ProtocolError](t, out.err)
	wantMention(t, out.err, "result.inputRequests", "10 times")
}

func TestResume_RefusesWhatCannotBeSent(t *testing.T) {
	s, came := durable(t, asking("a", ""))
	w := newWorld(t, remote(s.srv.URL, ""), nil)
	parked := *w.call("s", "run", "").Parked
	sent := len(came())
	good := map[string]elicit.Answer{"a": accept(`{}`)}
	_, err := w.host.Resume(t.Context(), parked, nil)
	wantMention(t, err, `"a" has no answer`)
	_, err = w.host.Resume(t.Context(), parked, map[string]elicit.Answer{"a": {}})
	wantMention(t, err, "no action")
	_, err = w.host.Resume(t.Context(), parked, map[string]elicit.Answer{"a": accept(`[1]`)})
	wantMention(t, err, "not a JSON object")
	_, err = w.host.Resume(t.Context(), parked, map[string]elicit.Answer{"a": {Invalid: &elicit.InvalidParamsError{Path: "mode", Problem: "url is not known"}}})
	wantMention(t, err, "result.inputRequests.a.params.mode", "url is not known")
	for _, ticket := range []string{``, `null`, `{"v":2}`, `{"v":1,"arguments":"!"}`} {
		bad := parked
		bad.Resume = []byte(ticket)
		_, err = w.host.Resume(t.Context(), bad, good)
		wantMention(t, err, "parked call")
	}
	if n := len(came()); n != sent {
		t.Errorf("%d requests were sent although there was nothing good to send", n-sent)
	}
}

func TestRounds_ChangedHeaderAnnotationsAreLearntAnew(t *testing.T) {
	s, came := durable(t, finished)
	refuse := true
	s.post = func(x *exchangeHTTP) bool {
		if x.m.method != "tools/call" || !refuse {
			return false
		}
		refuse = false
		x.w.Header().Set("Content-Type", "application/json")
		x.w.WriteHeader(http.StatusBadRequest)
		x.write(string(encodeError(x.m.id, codeHeaderMismatch, "Mcp-Param-Region is missing")))
		return true
	}
	newWorld(t, remote(s.srv.URL, ""), nil).call("s", "run", "").texts(t)
	if lists := len(s.all(method("tools/list"))); lists != 2 || len(came()) != 2 {
		t.Errorf("tools were listed %d times and the call sent %d times, want 2 and 2", lists, len(came()))
	}
}

func TestModern_ServerThatPushesAQuestionEndsTheCall(t *testing.T) {
	s := newRawHTTP(t, true, func(x *exchangeHTTP) {
		x.stream()
		x.event("", ask("3"))
		<-x.closed()
	})
	w := newWorld(t, remote(s.srv.URL, ""), nil)
	out := w.call("s", "run", "")
	wantError[*ProtocolError](t, out.err)
	wantMention(t, out.err, "elicitation/create", "2026-07-28", "must not send requests")
	w.noQuestion()
	if n := len(s.all(responses)); n != 0 {
		t.Errorf("%d responses were posted, which 2026-07-28 does not have", n)
	}
}

func TestModern_BrokenStreamIsNotResumed(t *testing.T) {
	s := newRawHTTP(t, true, func(x *exchangeHTTP) {
		x.stream()
		x.event("A-1", `{"jsonrpc":"2.0","method":"notifications/progress","params":{}}`)
		panic(http.ErrAbortHandler)
	})
	w := newWorld(t, remote(s.srv.URL, ""), nil)
	wantMention(t, w.call("s", "run", "").err, "lost its connection")
	if n := len(s.all(func(h heardHTTP) bool { return h.method == http.MethodGet })); n != 0 {
		t.Errorf("%d GETs were sent, which 2026-07-28 does not have", n)
	}
}

func TestModern_StopClosesTheStreamAndPostsNothing(t *testing.T) {
	closed := make(chan struct{})
	s := newRawHTTP(t, true, func(x *exchangeHTTP) {
		x.stream()
		<-x.closed()
		close(closed)
	})
	w := newWorld(t, remote(s.srv.URL, ""), nil)
	ctx, stop := context.WithCancelCause(t.Context())
	done := w.start(ctx, callFor(ann, "s", "run", ""))
	s.await(t.Context().Done(), method("tools/call"))
	stop(elicit.ErrStopped)
	if out := receiveFrom(t, done, "the end of the call"); !errors.Is(out.err, elicit.ErrStopped) {
		t.Errorf("the call ended with %v, want ErrStopped", out.err)
	}
	receiveFrom(t, closed, "the end of the stream")
	if n := len(s.all(method("notifications/cancelled"))); n != 0 {
		t.Errorf("%d notifications/cancelled were posted; the end of the stream says it", n)
	}
}

func TestModern_VersionRefusedAlthoughSupportedIsTriedOnceMore(t *testing.T) {
	for _, methodName := range []string{"server/discover", "tools/call"} {
		t.Run(methodName, func(t *testing.T) {
			s, _ := durable(t, finished)
			refusals := 0
			s.post = func(x *exchangeHTTP) bool {
				if x.m.method != methodName || refusals > 0 {
					return false
				}
				refusals++
				x.json([]byte(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32022,"message":"no","data":{"supported":["2026-07-28"]}}}`, x.m.id)))
				return true
			}
			newWorld(t, remote(s.srv.URL, ""), nil).call("s", "run", "").texts(t)
		})
	}
}
