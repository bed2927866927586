package mcpclient

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/slackbridge/slackbridge/elicit"
)

// TestKinds_PromptsAndResourcesAskAsToolsDo plays a round of each, as JSON that
// a store keeps in between.
func TestKinds_PromptsAndResourcesAskAsToolsDo(t *testing.T) {
	for _, tt := range []struct {
		kind            elicit.CallKind
		method, name    string
		first, result   string
		content, header string
		params          string
	}{
		{elicit.CallPrompt, "prompts/get", "review", asking("k", `"s 1"`), `{"resultType":"complete","messages":[{"role":"user","content":{"type":"text","text":"hi"}}]}`,
			`{"type":"text","text":"hi"}`, "review", `"name":"review","arguments":{"a":"1"}`},
		{elicit.CallResource, "resources/read", "file:///etc/motd", asking("k", `"s 1"`), `{"resultType":"complete","contents":[{"uri":"file:///etc/motd","text":"hello"}]}`,
			`{"type":"resource","resource":{"uri":"file:///etc/motd","text":"hello"}}`, "file:///etc/motd", `"uri":"file:///etc/motd"`},
	} {
		t.Run(tt.method, func(t *testing.T) {
			s := newRawHTTP(t, true, nil)
			results := []string{tt.first, tt.result}
			s.post = func(x *exchangeHTTP) bool {
				if x.m.method != tt.method {
					return false
				}
				s.mu.Lock()
				result := results[0]
				results = results[1:]
				s.mu.Unlock()
				x.json(encodeResult(x.m.id, json.RawMessage(result)))
				return true
			}
			w := newWorld(t, remote(s.srv.URL, ""), nil)
			c := callFor(ann, "s", tt.name, `{"a":"1"}`)
			c.Kind = tt.kind
			out, err := w.host.Call(t.Context(), c)
			if err != nil || out.Parked == nil || len(out.Parked.Questions) != 1 {
				t.Fatalf("%+v, %v, want a question", out, err)
			}
			done := resume(t, s, out.Parked, map[string]elicit.Answer{"k": accept(`{"x":1}`)})
			if done.err != nil || done.Result == nil || len(done.Result.Content) != 1 || string(done.Result.Content[0]) != tt.content {
				t.Fatalf("%+v, %v, want %s", done.Result, done.err, tt.content)
			}
			heard := s.all(method(tt.method))
			if len(heard) != 2 {
				t.Fatalf("%d requests, want two", len(heard))
			}
			for _, h := range heard {
				if got := h.header.Get("Mcp-Name"); got != tt.header || !strings.Contains(string(h.m.params), tt.params) {
					t.Errorf("Mcp-Name %q, params %s", got, h.m.params)
				}
			}
			if p := string(heard[1].m.params); !strings.Contains(p, `"requestState":"s 1"`) || !strings.Contains(p, `"inputResponses":{"k":{"action":"accept","content":{"x":1}}}`) {
				t.Errorf("repeated with %s", p)
			}
		})
	}
}

func TestKinds_ResultsThatAreNoListAreNoSuccess(t *testing.T) {
	r := resultReader{server: "s"}
	for _, tt := range []struct {
		kind   elicit.CallKind
		result string
	}{
		{elicit.CallPrompt, `{"content":[]}`}, {elicit.CallPrompt, `{"messages":{}}`}, {elicit.CallPrompt, `{"messages":[{"role":"user"}]}`},
		{elicit.CallResource, `{"contents":null}`}, {elicit.CallResource, `{"contents":"x"}`},
	} {
		var by map[string]json.RawMessage
		if err := json.Unmarshal([]byte(tt.result), &by); err != nil {
			t.Fatal(err)
		}
		if a, err := r.complete(tt.kind, by); err == nil {
			t.Errorf("%s: %s is %+v", tt.kind, tt.result, a)
		}
	}
}
