package demo_test

import (
	"context"
	"encoding/json"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/slackbridge/slackbridge/internal/demo"
)

// eras are the two ways in which the server may have to ask.
var eras = map[string][]client.ClientOption{
	"blocking": {client.WithProtocolVersion("2025-11-25")},
	"durable":  nil,
}

// answerer answers each question alike, and keeps what it was asked.
type answerer struct {
	answer mcp.ElicitationResponse

	mu    sync.Mutex
	asked []mcp.ElicitationParams
}

func accepting(content map[string]any) *answerer {
	return &answerer{answer: mcp.ElicitationResponse{Action: mcp.ElicitationResponseActionAccept, Content: content}}
}

func (a *answerer) Elicit(_ context.Context, r mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.asked = append(a.asked, r.Params)
	return &mcp.ElicitationResult{ElicitationResponse: a.answer}, nil
}

func (a *answerer) questions() []mcp.ElicitationParams {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.asked)
}

func TestDeployService_DoesWhatTheAnswerSaysInBothEras(t *testing.T) {
	full := func(confirm bool) map[string]any {
		return map[string]any{"cluster": "prod-eu", "window": "now", "confirm": confirm}
	}
	for name, tt := range map[string]struct {
		answer *answerer
		want   string
	}{
		"accept":       {accepting(full(true)), "Deployed payments 2.3.1 to prod-eu (window: now)."},
		"accept, a no": {accepting(full(false)), "Not deployed: confirmation was denied."},
		"decline":      {&answerer{answer: mcp.ElicitationResponse{Action: mcp.ElicitationResponseActionDecline}}, "Not deployed: declined."},
		"cancel":       {&answerer{answer: mcp.ElicitationResponse{Action: mcp.ElicitationResponseActionCancel}}, "Not deployed: nobody confirmed."},
	} {
		for era, opts := range eras {
			t.Run(name+"/"+era, func(t *testing.T) {
				a := &answerer{answer: tt.answer.answer}
				c := connect(t, serve(t, demo.ServerOptions{}), append(slices.Clone(opts), client.WithElicitationHandler(a))...)
				r := callTool(t, c, "deploy_service", map[string]any{"service": "payments", "version": "2.3.1"})
				if got := textOf(t, r); got != tt.want {
					t.Errorf("the tool says %q, want %q", got, tt.want)
				}
				if asked := a.questions(); len(asked) != 1 || !strings.Contains(asked[0].Message, "payments 2.3.1") {
					t.Errorf("asked %+v, want one question that names what is deployed", asked)
				}
			})
		}
	}
}

func TestTools_EachAsksOneQuestionWithAnObjectSchema(t *testing.T) {
	a := accepting(map[string]any{})
	c := connect(t, serve(t, demo.ServerOptions{}), client.WithElicitationHandler(a))
	for tool, args := range map[string]map[string]any{
		"deploy_service":  {"service": "x", "version": "1"},
		"restart_service": {"service": "x"},
		"scale_service":   {"service": "x", "replicas": 3},
		"choose_region":   nil,
		"report_incident": nil,
		"broken_form":     nil,
	} {
		before := len(a.questions())
		callTool(t, c, tool, args)
		asked := a.questions()[before:]
		if len(asked) != 1 {
			t.Errorf("%s asked %d questions, want 1", tool, len(asked))
			continue
		}
		raw, err := json.Marshal(asked[0].RequestedSchema)
		var schema struct {
			Type       string
			Properties map[string]any
		}
		if err == nil {
			err = json.Unmarshal(raw, &schema)
		}
		if err != nil || schema.Type != "object" || schema.Properties == nil {
			t.Errorf("%s asks with %s, %v; want an object schema", tool, raw, err)
		}
	}
}

func TestTools_OneFailsAndSaysSo(t *testing.T) {
	c := connect(t, serve(t, demo.ServerOptions{}))
	if r := callTool(t, c, "fails", nil); !r.IsError {
		t.Errorf("the failing tool succeeds: %+v", r)
	}
	if r := callTool(t, c, "status", nil); r.IsError || r.StructuredContent == nil {
		t.Errorf("status: %+v, want text and structured content", r)
	}
}

// serve serves over HTTP and returns the address.
func serve(t *testing.T, o demo.ServerOptions) string {
	t.Helper()
	srv := httptest.NewServer(demo.Handler(o))
	t.Cleanup(srv.Close)
	return srv.URL
}

func connect(t *testing.T, url string, opts ...client.ClientOption) *client.Client {
	t.Helper()
	tr, err := transport.NewStreamableHTTP(url)
	if err != nil {
		t.Fatal(err)
	}
	return open(t, client.NewClient(tr, opts...))
}

// open makes the handshake and closes c when the test ends.
func open(t *testing.T, c *client.Client) *client.Client {
	t.Helper()
	// A child process lives as long as this context, and is closed after the test's own has ended.
	if err := c.Start(context.WithoutCancel(t.Context())); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Errorf("closing: %v", err)
		}
	})
	var init mcp.InitializeRequest
	init.Params.ClientInfo = mcp.Implementation{Name: "test", Version: "1"}
	if _, err := c.Initialize(t.Context(), init); err != nil {
		t.Fatal(err)
	}
	return c
}

func callTool(t *testing.T, c *client.Client, name string, args map[string]any) *mcp.CallToolResult {
	t.Helper()
	if args == nil {
		args = map[string]any{}
	}
	var req mcp.CallToolRequest
	req.Params.Name, req.Params.Arguments = name, args
	r, err := c.CallTool(t.Context(), req)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return r
}

func textOf(t *testing.T, r *mcp.CallToolResult) string {
	t.Helper()
	if len(r.Content) != 1 {
		t.Fatalf("%d content items, want 1", len(r.Content))
	}
	text, ok := r.Content[0].(mcp.TextContent)
	if !ok {
		t.Fatalf("the content is %T", r.Content[0])
	}
	return text.Text
}
