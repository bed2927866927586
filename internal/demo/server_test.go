package demo_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/slackbridge/slackbridge/internal/demo"
)

// buffer is a wire that may be written and read at once.
type buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

func TestServe_KeepsWhatItReceivesByteForByte(t *testing.T) {
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	wire := &buffer{}
	done := make(chan error, 1)
	go func() { done <- demo.Serve(t.Context(), demo.ServerOptions{In: in, Out: out, Wire: wire}) }()
	const ask = `{"jsonrpc":"2.0","id":"a","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"},"z":1,"a":2}}`
	if _, err := io.WriteString(toServer, ask+"\r\n"); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(fromServer).ReadString('\n')
	if err != nil || !strings.Contains(line, `"deploy"`) {
		t.Fatalf("the answer is %q, %v", line, err)
	}
	if got := wire.String(); got != ask+"\n" {
		t.Errorf("kept %q, want %q", got, ask+"\n")
	}
	if err := toServer.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Errorf("Serve: %v", err)
	}
}

// answerer answers each question with accept and the given content, and keeps
// what it was asked.
type answerer struct {
	content map[string]any
	asked   []mcp.ElicitationParams
}

func (a *answerer) Elicit(_ context.Context, r mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
	a.asked = append(a.asked, r.Params)
	return &mcp.ElicitationResult{ElicitationResponse: mcp.ElicitationResponse{Action: mcp.ElicitationResponseActionAccept, Content: a.content}}, nil
}

func TestTools_AskBeforeTheyActInBothEras(t *testing.T) {
	for name, opts := range map[string][]client.ClientOption{
		"blocking": {client.WithProtocolVersion("2025-11-25")},
		"durable":  nil,
	} {
		t.Run(name, func(t *testing.T) {
			srv := httptest.NewServer(demo.Handler(demo.ServerOptions{}))
			defer srv.Close()
			a := &answerer{content: map[string]any{"cluster": "staging", "window": "now", "confirm": true}}
			c := connect(t, srv.URL, append(opts, client.WithElicitationHandler(a))...)
			r := callTool(t, c, "deploy_service", map[string]any{"service": "payments", "version": "2.3.1"})
			if got := textOf(t, r); got != "Deployed payments 2.3.1 to staging (window: now)." {
				t.Errorf("the tool says %q", got)
			}
			if len(a.asked) != 1 || !strings.Contains(a.asked[0].Message, "payments 2.3.1") {
				t.Errorf("asked %+v, want one question that names what is deployed", a.asked)
			}
		})
	}
}

func TestTools_SchemasAreJSON(t *testing.T) {
	srv := httptest.NewServer(demo.Handler(demo.ServerOptions{}))
	defer srv.Close()
	a := &answerer{content: map[string]any{}}
	c := connect(t, srv.URL, client.WithElicitationHandler(a))
	for _, tool := range []string{"restart_service", "scale_service", "choose_region", "report_incident", "broken_form"} {
		args := map[string]any{}
		switch tool {
		case "restart_service":
			args = map[string]any{"service": "x"}
		case "scale_service":
			args = map[string]any{"service": "x", "replicas": 3}
		}
		before := len(a.asked)
		callTool(t, c, tool, args)
		if len(a.asked) != before+1 {
			t.Errorf("%s asked %d questions, want 1", tool, len(a.asked)-before)
			continue
		}
		raw, err := json.Marshal(a.asked[before].RequestedSchema)
		if err != nil || !strings.Contains(string(raw), `"properties"`) {
			t.Errorf("%s asks with %s, %v", tool, raw, err)
		}
	}
}

func TestTools_OneFailsAndSaysSo(t *testing.T) {
	srv := httptest.NewServer(demo.Handler(demo.ServerOptions{}))
	defer srv.Close()
	c := connect(t, srv.URL)
	if r := callTool(t, c, "fails", nil); !r.IsError {
		t.Errorf("the failing tool succeeds: %+v", r)
	}
	if r := callTool(t, c, "status", nil); r.IsError || r.StructuredContent == nil {
		t.Errorf("status: %+v, want text and structured content", r)
	}
}

func connect(t *testing.T, url string, opts ...client.ClientOption) *client.Client {
	t.Helper()
	tr, err := transport.NewStreamableHTTP(url)
	if err != nil {
		t.Fatal(err)
	}
	c := client.NewClient(tr, opts...)
	if err := c.Start(t.Context()); err != nil {
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
