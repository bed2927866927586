package mcpclient

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"

	"github.com/slackbridge/slackbridge/elicit"
)

// sdkWorlds runs a test against mcp-go's own server over both transports and
// in each era.
func sdkWorlds(t *testing.T, test func(t *testing.T, servers, protocol string)) {
	t.Helper()
	web := httptest.NewServer(mcpserver.NewStreamableHTTPServer(sdkServer(), mcpserver.WithStateful(true)))
	t.Cleanup(func() {
		web.CloseClientConnections()
		web.Close()
	})
	for _, protocol := range []string{"2025-06-18", "2025-11-25", "2026-07-28"} {
		pin := fmt.Sprintf(`"protocol":%q`, protocol)
		t.Run("stdio "+protocol, func(t *testing.T) { test(t, local(t, "sdk", pin), protocol) })
		t.Run("http "+protocol, func(t *testing.T) { test(t, remote(web.URL, pin), protocol) })
	}
}

func TestSDK_CallThatAsksTwice(t *testing.T) {
	sdkWorlds(t, func(t *testing.T, servers, protocol string) {
		w := newWorld(t, servers, nil)
		c := callFor(ann, "s", "deploy", `{"service":"payments"}`)
		answers := []elicit.Answer{accept(`{"name":"eu-west"}`), {Action: elicit.Decline}}
		var out outcome
		if protocol != "2026-07-28" {
			done := w.start(t.Context(), c)
			for _, a := range answers {
				q := w.question()
				if q.Era != elicit.EraBlocking || q.Protocol != protocol {
					t.Errorf("a question of era %s, protocol %s", q.Era, q.Protocol)
				}
				q.answer(t, a)
			}
			out = receiveFrom(t, done, "the result")
		} else {
			got, err := w.host.Call(t.Context(), c)
			for _, a := range answers {
				if err != nil || got.Parked == nil {
					t.Fatalf("got %+v, %v, want a parked call", got, err)
				}
				got, err = w.host.Resume(t.Context(), *got.Parked, map[string]elicit.Answer{got.Parked.Questions[0].RequestID: a})
			}
			out = outcome{got, err}
		}
		if d := cmp.Diff([]string{"two:eu-west then decline"}, out.texts(t)); d != "" {
			t.Errorf("result (-want +got):\n%s", d)
		}
		want := elicit.ServerState{Name: "s", Protocol: protocol, Era: eraOf(protocol), Transport: w.host.Servers()[0].Transport}
		if d := cmp.Diff(want, w.host.Servers()[0]); d != "" {
			t.Errorf("Servers (-want +got):\n%s", d)
		}
	})
}

func TestSDK_ToolsAndPlainCall(t *testing.T) {
	sdkWorlds(t, func(t *testing.T, servers, _ string) {
		w := newWorld(t, servers, nil)
		tools, err := w.host.Tools(t.Context(), "s", ann)
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(tools, func(tool elicit.Tool) bool { return tool.Name == "plain" })
		if i < 0 {
			t.Fatalf("there is no tool plain in %+v", tools)
		}
		want := elicit.Tool{Server: "s", Name: "plain", Description: "asks nothing", InputSchema: json.RawMessage(`{"type":"object","properties":{"service":{"type":"string"}}}`)}
		if d := cmp.Diff(want, tools[i]); d != "" {
			t.Errorf("tool (-want +got):\n%s", d)
		}
		if got := w.call("s", "plain", `{"service":"x"}`).texts(t); got[0] != "hello x" {
			t.Errorf("the result is %q", got)
		}
		if err := w.host.Check(t.Context(), "s"); err != nil {
			t.Errorf("Check: %v", err)
		}
	})
}

func TestSDK_NegotiatesTheNewestRevision(t *testing.T) {
	w := newWorld(t, local(t, "sdk", ""), nil)
	if err := w.host.Check(t.Context(), "s"); err != nil {
		t.Fatal(err)
	}
	if got := w.host.Servers()[0].Protocol; got != mcp.LATEST_PROTOCOL_VERSION {
		t.Errorf("negotiated %s, want %s", got, mcp.LATEST_PROTOCOL_VERSION)
	}
}

func TestSlow_AnswerAfter40SecondsOverHTTP(t *testing.T) {
	if !*slow {
		t.Log("run with -slow")
		return
	}
	web := httptest.NewServer(mcpserver.NewStreamableHTTPServer(sdkServer(), mcpserver.WithStateful(true)))
	defer web.Close()
	w := newWorld(t, remote(web.URL, `"protocol":"2025-11-25","timeout":"20s"`), nil)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	done := w.start(ctx, callFor(ann, "s", "deploy", ""))
	q := w.question()
	<-time.After(40 * time.Second) // the point of the test: no timer of the transport ends a question
	q.answer(t, accept(`{"name":"eu-west"}`))
	w.question().answer(t, accept(`{"name":"yes"}`))
	if got := receiveFrom(t, done, "the result").texts(t); got[0] != "two:eu-west then yes" {
		t.Errorf("the result is %q", got)
	}
	w.close()
}
