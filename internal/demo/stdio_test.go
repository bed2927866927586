package demo_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"

	"github.com/slackbridge/slackbridge/internal/demo"
)

// wireVariable makes this test program the demo server, which keeps its wire
// in the file that the variable names.
const wireVariable = "DEMO_TEST_WIRE"

func TestMain(m *testing.M) {
	if path := os.Getenv(wireVariable); path != "" {
		os.Exit(serveAsChild(path))
	}
	os.Exit(m.Run())
}

func serveAsChild(path string) int {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err == nil {
		err = demo.Serve(context.Background(), demo.ServerOptions{In: os.Stdin, Out: os.Stdout, Wire: f})
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func TestServe_AsksAsAChildProcessInBothEras(t *testing.T) {
	for era, opts := range eras {
		t.Run(era, func(t *testing.T) {
			self, err := os.Executable()
			if err != nil {
				t.Fatal(err)
			}
			wire := filepath.Join(t.TempDir(), "wire")
			child := transport.NewStdioWithOptions(self, []string{wireVariable + "=" + wire}, nil)
			a := accepting(map[string]any{"cluster": "staging", "window": "now", "confirm": true})
			c := open(t, client.NewClient(child, append(slices.Clone(opts), client.WithElicitationHandler(a))...))
			r := callTool(t, c, "deploy_service", map[string]any{"service": "payments", "version": "2.3.1"})
			if got := textOf(t, r); got != "Deployed payments 2.3.1 to staging (window: now)." {
				t.Errorf("the tool says %q", got)
			}
			kept, err := os.ReadFile(wire)
			if err != nil || !strings.Contains(string(kept), `"action":"accept"`) {
				t.Errorf("the wire holds %q, %v; want the answer in it", kept, err)
			}
		})
	}
}

// talk is a conversation with the server in raw lines.
type talk struct {
	t    *testing.T
	to   io.WriteCloser
	from *bufio.Reader
	done chan error
}

func startTalk(t *testing.T) *talk {
	t.Helper()
	in, to := io.Pipe()
	from, out := io.Pipe()
	k := &talk{t: t, to: to, from: bufio.NewReader(from), done: make(chan error, 1)}
	go func() { k.done <- demo.Serve(t.Context(), demo.ServerOptions{In: in, Out: out}) }()
	return k
}

func (k *talk) say(line string) {
	k.t.Helper()
	if _, err := io.WriteString(k.to, line+"\n"); err != nil {
		k.t.Fatal(err)
	}
}

// hear returns the next line that has the word in it.
func (k *talk) hear(word string) string {
	k.t.Helper()
	for {
		line, err := k.from.ReadString('\n')
		if err != nil {
			k.t.Fatalf("waiting for %q: %v", word, err)
		}
		if strings.Contains(line, word) {
			return line
		}
	}
}

func (k *talk) end() {
	k.t.Helper()
	if err := k.to.Close(); err != nil {
		k.t.Fatal(err)
	}
	if err := <-k.done; err != nil {
		k.t.Errorf("Serve: %v", err)
	}
}

const callParams = `"name":"deploy_service","arguments":{"service":"payments","version":"2.3.1"}`

func TestDeployService_FieldsStandInOrderOnTheWire(t *testing.T) {
	t.Run("blocking", func(t *testing.T) {
		k := startTalk(t)
		k.say(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{}},"clientInfo":{"name":"t","version":"1"}}}`)
		k.hear(`"deploy"`)
		k.say(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
		k.say(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{` + callParams + `}}`)
		question := k.hear("elicitation/create")
		wantInOrder(t, question)
		var asked struct{ ID json.RawMessage }
		if err := json.Unmarshal([]byte(question), &asked); err != nil {
			t.Fatal(err)
		}
		k.say(`{"jsonrpc":"2.0","id":` + string(asked.ID) + `,"result":{"action":"decline"}}`)
		if got := k.hear(`"id":2`); !strings.Contains(got, "Not deployed: declined.") {
			t.Errorf("the call ends with %s", got)
		}
		k.end()
	})
	t.Run("durable", func(t *testing.T) {
		k := startTalk(t)
		k.say(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{` + callParams + `,"_meta":{` +
			`"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{"form":{}}}}}}`)
		wantInOrder(t, k.hear("input_required"))
		k.end()
	})
}

func wantInOrder(t *testing.T, message string) {
	t.Helper()
	at := -1
	for _, field := range []string{`"cluster"`, `"window"`, `"confirm"`} {
		next := strings.Index(message, field)
		if next <= at {
			t.Fatalf("%s is not in its place in %s", field, message)
		}
		at = next
	}
}
