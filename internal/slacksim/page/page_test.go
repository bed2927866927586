package page_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/slackbridge/slackbridge/internal/slacksim"
	"github.com/slackbridge/slackbridge/internal/slacksim/page"
)

func start(t *testing.T) (*slacksim.Sim, *httptest.Server) {
	t.Helper()
	sim, err := slacksim.Start(slacksim.Options{MessageInterval: -1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := sim.Close(); err != nil {
			t.Error(err)
		}
	})
	srv := httptest.NewServer(page.Handler(sim, page.Options{Title: "demo", Examples: []page.Example{{Text: "/mcp help"}}}))
	t.Cleanup(srv.Close)
	return sim, srv
}

// call makes a Web API call as the app.
func call(t *testing.T, sim *slacksim.Sim, method string, args map[string]any) map[string]any {
	t.Helper()
	raw, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, sim.APIURL()+method, bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json; charset=utf-8")
	req.Header.Set("Authorization", "Bearer "+sim.BotToken())
	return decode(t, do(t, req))
}

func do(t *testing.T, req *http.Request) *http.Response {
	t.Helper()
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { resp.Body.Close() })
	return resp
}

func decode(t *testing.T, resp *http.Response) map[string]any {
	t.Helper()
	var out map[string]any
	if err := json.NewDecoder(resp.Body).Decode(&out); err != nil {
		t.Fatal(err)
	}
	return out
}

func post(t *testing.T, srv *httptest.Server, name string, body string, tune func(*http.Request)) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, srv.URL+"/api/"+name, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	if tune != nil {
		tune(req)
	}
	return do(t, req)
}

func get(t *testing.T, url string) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	return do(t, req)
}

func TestState_ShowsWhatThisPersonSees(t *testing.T) {
	sim, srv := start(t)
	if r := call(t, sim, "chat.postMessage", map[string]any{"channel": "C_DEPLOYS", "text": "hello <@U_ANN>"}); r["ok"] != true {
		t.Fatalf("posting: %v", r)
	}
	if r := call(t, sim, "chat.postEphemeral", map[string]any{"channel": "C_DEPLOYS", "user": "U_BOB", "text": "psst"}); r["ok"] != true {
		t.Fatalf("posting: %v", r)
	}
	for user, want := range map[string][]string{"U_ANN": {"hello @Ann"}, "U_BOB": {"hello @Ann", "psst"}} {
		state := decode(t, get(t, srv.URL+"/api/state?user="+user+"&channel=C_DEPLOYS"))
		var texts []string
		for _, m := range state["messages"].([]any) {
			texts = append(texts, m.(map[string]any)["text"].(string))
		}
		if strings.Join(texts, "|") != strings.Join(want, "|") {
			t.Errorf("%s sees %q, want %q", user, texts, want)
		}
	}
}

func TestActions_SayWhatSlackWouldSay(t *testing.T) {
	_, srv := start(t)
	out := decode(t, post(t, srv, "type", `{"user":"U_ANN","channel":"C_DEPLOYS","text":"/mcp help"}`, nil))
	if text, _ := out["error"].(string); !strings.Contains(text, "/mcp failed") {
		t.Errorf("a command without an app: %v, want Slack's own error", out)
	}
	out = decode(t, post(t, srv, "submit", `{"user":"U_ANN"}`, nil))
	if out["error"] == nil {
		t.Errorf("submitting nothing: %v, want an error", out)
	}
}

func TestGuard_OtherSitesAndNamesAreRefused(t *testing.T) {
	_, srv := start(t)
	body := `{"user":"U_ANN","channel":"C_DEPLOYS","text":"hi"}`
	for name, tt := range map[string]struct {
		tune func(*http.Request)
		want int
	}{
		"the page itself":        {func(r *http.Request) { r.Header.Set("Origin", srv.URL) }, http.StatusOK},
		"another site":           {func(r *http.Request) { r.Header.Set("Origin", "https://evil.example") }, http.StatusForbidden},
		"a rebound name":         {func(r *http.Request) { r.Host = "evil.example" }, http.StatusForbidden},
		"a form of another site": {func(r *http.Request) { r.Header.Set("Content-Type", "text/plain") }, http.StatusUnsupportedMediaType},
	} {
		if resp := post(t, srv, "type", body, tt.tune); resp.StatusCode != tt.want {
			t.Errorf("%s: status %d, want %d", name, resp.StatusCode, tt.want)
		}
	}
}

func TestPage_NeedsNothingFromElsewhere(t *testing.T) {
	_, srv := start(t)
	for _, path := range []string{"/", "/app.js", "/style.css"} {
		resp := get(t, srv.URL+path)
		data, err := io.ReadAll(resp.Body)
		if err != nil || resp.StatusCode != http.StatusOK {
			t.Fatalf("%s: %d, %v", path, resp.StatusCode, err)
		}
		for _, bad := range []string{"https://", "innerHTML"} {
			if strings.Contains(string(data), bad) {
				t.Errorf("%s holds %q", path, bad)
			}
		}
	}
}
