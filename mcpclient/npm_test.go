package mcpclient

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/slackbridge/slackbridge/elicit"
)

// everything is the script of the official server-everything from npm. It
// must be there: `make deps` installs it.
func everything(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("SLACKBRIDGE_TEST_NPM")
	if dir == "" {
		dir = "../internal/npmtest/node_modules"
	}
	path, err := filepath.Abs(filepath.Join(dir, "@modelcontextprotocol/server-everything/dist/index.js"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Fatalf("the npm servers are missing (%v): run `make deps`, or name their node_modules with SLACKBRIDGE_TEST_NPM", err)
	}
	return path
}

// everythingOverHTTP starts the server on a free port and returns its address.
func everythingOverHTTP(t *testing.T) string {
	t.Helper()
	return fmt.Sprintf("http://127.0.0.1:%d/mcp", nodeOverHTTP(t, func(port int) []string {
		t.Setenv("PORT", fmt.Sprint(port))
		return []string{everything(t), "streamableHttp"}
	}))
}

// nodeOverHTTP starts a server of Node on a free port, and returns that when it
// says that it listens. args gets the port.
func nodeOverHTTP(t *testing.T, args func(port int) []string) int {
	t.Helper()
	return programOverHTTP(t, "node", args)
}

func programOverHTTP(t *testing.T, program string, args func(port int) []string) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := l.Addr().(*net.TCPAddr).Port
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, args(port)...)
	out, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	said := make(chan string, 1)
	go func() {
		defer close(said)
		lines := bufio.NewScanner(out)
		for lines.Scan() {
			if strings.Contains(lines.Text(), "listening") {
				said <- lines.Text()
			}
		}
	}()
	t.Cleanup(func() {
		if err := cmd.Process.Kill(); err != nil {
			t.Error(err)
		}
		for range said { // until its stderr ends
		}
		var exit *exec.ExitError
		if err := cmd.Wait(); err != nil && !errors.As(err, &exit) {
			t.Error(err)
		}
	})
	if line := receiveFrom(t, said, "the server to listen"); line == "" {
		t.Fatal("the server ended at once")
	}
	return port
}

func everythingWorlds(t *testing.T, test func(t *testing.T, w *world)) {
	t.Helper()
	t.Run("stdio", func(t *testing.T) {
		test(t, newWorld(t, fmt.Sprintf(`{"mcpServers":{"s":{"command":"node","args":[%q]}}}`, everything(t)), nil))
	})
	t.Run("http", func(t *testing.T) {
		test(t, newWorld(t, remote(everythingOverHTTP(t), ""), nil))
	})
}

func TestNPM_EverythingAsksWithEveryFieldType(t *testing.T) {
	everythingWorlds(t, func(t *testing.T, w *world) {
		tools, err := w.host.Tools(t.Context(), "s", ann)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(tools, func(tool elicit.Tool) bool { return tool.Name == "trigger-elicitation-request" }) {
			t.Fatalf("the server does not offer its elicitation tool: %+v", tools)
		}
		if !slices.ContainsFunc(tools, func(tool elicit.Tool) bool { return tool.Name == "trigger-url-elicitation" }) {
			t.Error("the server does not take us for a client that opens links")
		}
		done := w.start(t.Context(), callFor(ann, "s", "trigger-elicitation-request", ""))
		q := w.question()
		last := 0
		for _, name := range []string{"name", "check", "firstLine", "email", "homepage", "birthdate", "integer", "number", "untitledSingleSelectEnum", "untitledMultipleSelectEnum", "titledSingleSelectEnum", "titledMultipleSelectEnum", "legacyTitledEnum"} {
			at := strings.Index(string(q.Params), `"`+name+`":{`)
			if at < last {
				t.Errorf("field %s is not in its place", name)
			}
			last = at
		}
		q.answer(t, accept(`{"name":"Ann <&>","check":false,"email":"ann@example.com","integer":7,"number":2.5,"untitledMultipleSelectEnum":["Piano","Bass"],"legacyTitledEnum":"pet-2"}`))
		text := strings.Join(receiveFrom(t, done, "the result").texts(t), "\n")
		for _, want := range []string{"Name: Ann <&>", "Agreed to terms: false", "ann@example.com", "Favorite Integer: 7", "Favorite Number: 2.5", "Piano"} {
			if !strings.Contains(text, want) {
				t.Errorf("the result does not have %q:\n%s", want, text)
			}
		}
	})
}

func TestNPM_EverythingAsksToOpenAPage(t *testing.T) {
	everythingWorlds(t, func(t *testing.T, w *world) {
		const arguments = `{"url":"https://example.com/a","message":"Sign in","elicitationId":"e1"}`
		done := w.start(t.Context(), callFor(ann, "s", "trigger-url-elicitation", arguments))
		q := w.question()
		if !strings.Contains(string(q.Params), `"mode":"url"`) {
			t.Errorf("params %s", q.Params)
		}
		q.answer(t, elicit.Answer{Action: elicit.Accept})
		text := strings.Join(receiveFrom(t, done, "the result").texts(t), "\n")
		if !strings.Contains(text, "accept") {
			t.Errorf("the server says:\n%s", text)
		}
	})
}

func TestNPM_EverythingNeedsAPageBeforeTheCallRuns(t *testing.T) {
	everythingWorlds(t, func(t *testing.T, w *world) {
		const arguments = `{"url":"https://example.com/a","message":"Sign in","errorPath":true}`
		out := receiveFrom(t, w.start(t.Context(), callFor(ann, "s", "trigger-url-elicitation", arguments)), "the end of the call")
		var pages *elicit.PagesRequiredError
		if !errors.As(out.err, &pages) || len(pages.Questions) != 1 || !strings.Contains(string(pages.Questions[0].Params), `"mode":"url"`) {
			t.Fatalf("the call ended with %v, want the page that it needs", out.err)
		}
		done := w.start(t.Context(), callFor(ann, "s", "trigger-url-elicitation", arguments))
		w.question().answer(t, elicit.Answer{Action: elicit.Decline}) // now it asks in the other way
		receiveFrom(t, done, "the result").texts(t)
	})
}

func TestNPM_EverythingHearsDeclineAndCancel(t *testing.T) {
	everythingWorlds(t, func(t *testing.T, w *world) {
		for _, action := range []elicit.Action{elicit.Decline, elicit.Cancel} {
			done := w.start(t.Context(), callFor(ann, "s", "trigger-elicitation-request", ""))
			w.question().answer(t, elicit.Answer{Action: action})
			text := strings.Join(receiveFrom(t, done, "the result").texts(t), "\n")
			if !strings.Contains(text, `"action": "`+string(action)+`"`) {
				t.Errorf("after %s the server says:\n%s", action, text)
			}
		}
	})
}

func TestNPM_EverythingStopsAndPlainCallFollows(t *testing.T) {
	everythingWorlds(t, func(t *testing.T, w *world) {
		ctx, stop := context.WithCancelCause(t.Context())
		done := w.start(ctx, callFor(ann, "s", "trigger-elicitation-request", ""))
		w.question()
		stop(elicit.ErrStopped)
		if out := receiveFrom(t, done, "the end of the call"); !errors.Is(out.err, elicit.ErrStopped) {
			t.Errorf("the call ended with %v, want ErrStopped", out.err)
		}
		if got := w.call("s", "echo", `{"message":"hi"}`).texts(t); len(got) != 1 || !strings.Contains(got[0], "hi") {
			t.Errorf("echo says %q", got)
		}
	})
}

func TestNPM_CheckPasses(t *testing.T) {
	everythingWorlds(t, func(t *testing.T, w *world) {
		if err := w.host.Check(t.Context(), "s"); err != nil {
			t.Error(err)
		}
		if state := w.host.Servers()[0]; state.Protocol != "2025-11-25" || state.Err != nil {
			t.Errorf("Servers says %+v", state)
		}
	})
}
