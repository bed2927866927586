package main

import (
	"encoding/json"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slackbridge/slackbridge/internal/demo"
	"github.com/slackbridge/slackbridge/internal/slacksim"
)

// everythingJS is the official everything-server, as `make deps` installs it.
const everythingJS = "../../internal/npmtest/node_modules/@modelcontextprotocol/server-everything/dist/index.js"

func serversFile(t *testing.T, servers map[string]any) string {
	t.Helper()
	raw, err := json.Marshal(map[string]any{"mcpServers": servers})
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// answerDeploy plays the deployment through: Ann runs, answers and reads.
func answerDeploy(w *world) {
	w.t.Helper()
	ann := w.human("U_ANN")
	ann.types(deployCommand)
	q := ann.seesQuestion("deploy")
	ann.form()
	ann.fills("Cluster", "prod-us")
	ann.fills("Maintenance window", "tonight")
	ann.fills("Confirm", "No")
	ann.submits()
	ann.becomes(q, "Accepted by", "Ann")
}

const deployContent = `{"action":"accept","content":{"cluster":"prod-us","window":"tonight","confirm":false}}`

func TestServers_DemoOverHTTPInTheBlockingEra(t *testing.T) {
	bothTransports(t, worldOptions{}, func(t *testing.T, w *world) {
		wire := &syncBuffer{}
		srv := httptest.NewServer(demo.Handler(demo.ServerOptions{Wire: wire}))
		t.Cleanup(srv.Close)
		w.cfg.ServersFile = w.file("mcp.json", serversFile(t, map[string]any{"deploy": map[string]any{"type": "http", "url": srv.URL, "protocol": "2025-11-25"}}))
		w.replica()
		answerDeploy(w)
		w.wait("the server has the answer", func() bool { return len(responses(wire.String())) == 1 })
		if got := responses(wire.String())[0]; got != deployContent {
			t.Errorf("the server received %s, want %s", got, deployContent)
		}
		w.human("U_ANN").sees("Not deployed")
	})
}

func TestServers_DurableEraRepeatsTheCallWithTheAnswer(t *testing.T) {
	t.Run("stdio", func(t *testing.T) {
		w := newWorld(t, worldOptions{})
		self, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		w.cfg.ServersFile = w.file("mcp.json", serversFile(t, map[string]any{"deploy": map[string]any{
			"command": self, "args": []string{demoServerCommandName, "--wire", w.wire},
		}}))
		w.replica()
		answerDeploy(w)
		w.human("U_ANN").sees("Not deployed")
		data, err := os.ReadFile(w.wire)
		if err != nil {
			t.Fatal(err)
		}
		wantRepeated(t, string(data))
	})
	t.Run("http", func(t *testing.T) {
		w := newWorld(t, worldOptions{})
		wire := &syncBuffer{}
		srv := httptest.NewServer(demo.Handler(demo.ServerOptions{Wire: wire}))
		t.Cleanup(srv.Close)
		w.cfg.ServersFile = w.file("mcp.json", serversFile(t, map[string]any{"deploy": map[string]any{"type": "http", "url": srv.URL}}))
		w.replica()
		answerDeploy(w)
		w.human("U_ANN").sees("Not deployed")
		wantRepeated(t, wire.String())
	})
}

// wantRepeated checks that the call was made twice: once bare, once with
// exactly the answer, and that nothing was sent as a response.
func wantRepeated(t *testing.T, wire string) {
	t.Helper()
	var calls []map[string]json.RawMessage
	var ids []string
	for line := range strings.Lines(wire) {
		var m struct {
			ID     json.RawMessage
			Method string
			Params map[string]json.RawMessage
		}
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Fatalf("on the wire: %s: %v", line, err)
		}
		if m.Method == "tools/call" {
			calls, ids = append(calls, m.Params), append(ids, string(m.ID))
		}
	}
	if len(calls) != 2 || ids[0] == ids[1] {
		t.Fatalf("%d calls with ids %q, want two with their own ids", len(calls), ids)
	}
	if string(calls[0]["arguments"]) != string(calls[1]["arguments"]) {
		t.Errorf("the repetition changed the arguments: %s, %s", calls[0]["arguments"], calls[1]["arguments"])
	}
	var answers map[string]json.RawMessage
	if err := json.Unmarshal(calls[1]["inputResponses"], &answers); err != nil || len(answers) != 1 {
		t.Fatalf("inputResponses %s: %v, want one", calls[1]["inputResponses"], err)
	}
	for key, a := range answers {
		if string(a) != deployContent {
			t.Errorf("the answer to %q is %s, want %s", key, a, deployContent)
		}
	}
	if got := responses(wire); len(got) != 0 {
		t.Errorf("responses were sent: %q", got)
	}
}

func TestServers_OfficialEverythingServerGetsEveryFieldType(t *testing.T) {
	js, err := filepath.Abs(everythingJS)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(js); err != nil {
		t.Fatalf("the everything-server is not installed (%v); `make deps` installs it", err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	bothTransports(t, worldOptions{}, func(t *testing.T, w *world) {
		w.cfg.ServersFile = w.file("mcp.json", serversFile(t, map[string]any{"everything": map[string]any{
			"command": self, "args": []string{teeCommandName, w.wire, "node", js, "stdio"},
		}}))
		w.replica()
		ann := w.human("U_ANN")
		ann.types("/mcp everything.trigger-elicitation-request")
		form := ann.form()
		if len(form.Fields) != 13 {
			t.Errorf("%d fields, want 13: %q", len(form.Fields), labels(form))
		}
		for label, values := range map[string][]string{
			"String":                           {"Ann O’Neil"},
			"Boolean":                          {"No"},
			"String with email format":         {"ann@example.com"},
			"String with uri format":           {"https://example.com/a?b=c&d"},
			"String with date format":          {"1990-02-28"},
			"Integer":                          {"7"},
			"Number in range 1-1000":           {"0.50"},
			"Untitled Single Select Enum":      {"Chandler"},
			"Untitled Multiple Select Enum":    {"Bass", "Piano"},
			"Titled Single Select Enum":        {"Wonder Woman"},
			"Titled Multiple Select Enum":      {"Trout", "Tuna"},
			"Legacy Titled Single Select Enum": {"Fish"},
		} {
			ann.fills(label, values...)
		}
		ann.submits()
		w.wantReceived(`{"action":"accept","content":{"name":"Ann O’Neil","check":false,"firstLine":"It was a dark and stormy night.",` +
			`"email":"ann@example.com","homepage":"https://example.com/a?b=c&d","birthdate":"1990-02-28","integer":7,"number":0.50,` +
			`"untitledSingleSelectEnum":"Chandler","untitledMultipleSelectEnum":["Piano","Bass"],"titledSingleSelectEnum":"hero-3",` +
			`"titledMultipleSelectEnum":["fish-1","fish-3"],"legacyTitledEnum":"pet-4"}}`)
		ann.sees("User provided the requested information")
	})
}

func TestServers_FaultsAreToldInTheThreadOrToTheTypist(t *testing.T) {
	w := newWorld(t, worldOptions{})
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	w.cfg.ServersFile = w.file("mcp.json", serversFile(t, map[string]any{
		"deploy":  map[string]any{"command": self, "args": []string{demoServerCommandName}},
		"missing": map[string]any{"command": "/nowhere/no-such-program"},
		"crash":   map[string]any{"command": "sh", "args": []string{"-c", "echo 'license expired' >&2; exit 3"}},
	}))
	w.replica()
	ann := w.human("U_ANN")
	for _, tt := range []struct {
		text string
		want []string
	}{
		{"/mcp missing.tool", []string{"missing", "cannot be used now"}},
		{"/mcp crash.tool", []string{"crash", "license expired"}},
		{"/mcp nosuch.tool", []string{"nosuch", "deploy"}},
		{"/mcp deploy.nosuch", []string{"nosuch", "deploy_service"}},
		{"/mcp deploy.deploy_service service=x version=1 colour=red", []string{"colour", "service, version"}},
		{`/mcp deploy.deploy_service service="x`, []string{"quote"}},
		{"/mcp deploy.fails", []string{"deploy.fails"}},
	} {
		ann.types(tt.text)
		ann.sees(tt.want...)
	}
}

func TestQuestion_GoesToADMWhereTheBotIsNoMember(t *testing.T) {
	w := newWorld(t, worldOptions{})
	w.replica()
	ann := w.human("U_ANN")
	if err := ann.p.Type(t.Context(), "C_NOBOT", "/mcp deploy.restart_service service=payments"); err != nil {
		t.Fatal(err)
	}
	q := ann.seesQuestion("deploy")
	if q.Channel != ann.p.DM() {
		t.Errorf("asked in %s, want Ann's DM", q.Channel)
	}
	ann.sees("cannot post in")
	ann.presses(q, "Accept")
	w.wantReceived(`{"action":"accept","content":{}}`)
	for _, m := range ann.p.Messages("C_NOBOT") {
		t.Errorf("something was posted where the bot is no member: %q", m.Text)
	}
}

func TestRateLimit_RedrawsWaitAndFormsDoNot(t *testing.T) {
	w := newWorld(t, worldOptions{})
	w.replica()
	ann := w.human("U_ANN")
	ann.types("/mcp deploy.restart_service service=one")
	first := ann.seesQuestion("one")
	w.sim.Fault("chat.update", slacksim.Fault{RetryAfter: 2_000_000_000, Times: 1})
	ann.presses(first, "Accept")
	w.wantReceived(`{"action":"accept","content":{}}`)
	ann.types(deployCommand)
	ann.form() // opens although the redraw still waits
	ann.becomes(first, "Accepted by")
}

func TestServers_SayHowTheyWantToBeUsed(t *testing.T) {
	w := newWorld(t, worldOptions{embedded: true, servers: serversFile(t, map[string]any{"everything": map[string]any{"command": "node", "args": []string{everythingJS}}})})
	w.replica()
	ann := w.human("U_ANN")
	ann.types("/mcp everything")
	ann.sees("everything says:", "Tools of everything:", "everything.echo")
}
