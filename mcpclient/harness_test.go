package mcpclient

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/slackbridge/slackbridge/elicit"
)

// slow runs the tests in which real time is the point.
var slow = flag.Bool("slow", false, "run the tests that wait for real timers")

// patience is how long a test waits for what must happen. Nothing is measured
// by it: a test that passes does not come near it.
const patience = 30 * time.Second

// serverVariable makes the test binary a server: it names which one.
const serverVariable = "MCPCLIENT_TEST_SERVER"

func TestMain(m *testing.M) {
	if name := os.Getenv(serverVariable); name != "" {
		os.Exit(serveChild(name))
	}
	goleak.VerifyTestMain(m)
}

// wireVariable names a file to which a raw server writes each line it gets.
const wireVariable = "MCPCLIENT_TEST_WIRE"

var (
	ann = elicit.User{Team: "T_HOME", ID: "U_ANN"}
	bob = elicit.User{Team: "T_HOME", ID: "U_BOB"}
)

// world is a host whose questions wait until the test answers them.
type world struct {
	t     *testing.T
	host  *Host
	asked chan *asked
	logs  *logBuffer
}

// asked is one question as it reached Ask. The test calls reply, then done.
type asked struct {
	elicit.Question
	ctx   context.Context //nolint:containedctx // under test
	reply func(context.Context, elicit.Answer) error
	done  func()
}

// answer replies and lets Ask return.
func (a *asked) answer(t *testing.T, with elicit.Answer) {
	t.Helper()
	defer a.done()
	if err := a.reply(t.Context(), with); err != nil {
		t.Errorf("reply to %s: %v", a.RequestID, err)
	}
}

func accept(content string) elicit.Answer {
	return elicit.Answer{Action: elicit.Accept, Content: json.RawMessage(content)}
}

func newWorld(t *testing.T, servers string, change func(*Options)) *world {
	t.Helper()
	parsed, err := ParseServers([]byte(servers), os.LookupEnv)
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, asked: make(chan *asked, 256), logs: &logBuffer{}}
	o := Options{
		Servers: parsed, Version: "test",
		Log: slog.New(slog.NewTextHandler(w.logs, &slog.HandlerOptions{Level: slog.LevelDebug})),
		Ask: w.ask,
	}
	if change != nil {
		change(&o)
	}
	w.host, err = New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		w.close()
		if t.Failed() {
			t.Logf("log:\n%s", w.logs)
		}
	})
	return w
}

func (w *world) close() {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := w.host.Close(ctx); err != nil {
		w.t.Errorf("Close: %v", err)
	}
}

func (w *world) ask(ctx context.Context, q elicit.Question, reply func(context.Context, elicit.Answer) error) {
	done := make(chan struct{})
	var once sync.Once
	w.asked <- &asked{Question: q, ctx: ctx, reply: reply, done: func() { once.Do(func() { close(done) }) }}
	select {
	case <-done:
	case <-ctx.Done():
	}
}

// question waits for the next question.
func (w *world) question() *asked {
	w.t.Helper()
	return receiveFrom(w.t, w.asked, "a question")
}

// noQuestion fails when a question has come.
func (w *world) noQuestion() {
	w.t.Helper()
	select {
	case q := <-w.asked:
		w.t.Errorf("a question that must not be shown: %s", q.Params)
	default:
	}
}

func receiveFrom[T any](t *testing.T, c <-chan T, what string) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(patience):
		t.Fatalf("waited in vain for %s", what)
		panic("not reached")
	}
}

// outcome is what Call or Resume returned.
type outcome struct {
	elicit.Outcome
	err error
}

// texts are the text items of the result.
func (o outcome) texts(t *testing.T) []string {
	t.Helper()
	if o.err != nil {
		t.Fatalf("the call failed: %v", o.err)
	}
	if o.Result == nil {
		t.Fatalf("the call has no result: %+v", o.Outcome)
	}
	var out []string
	for _, raw := range o.Result.Content {
		var item struct{ Text string }
		if err := json.Unmarshal(raw, &item); err != nil {
			t.Fatal(err)
		}
		out = append(out, item.Text)
	}
	return out
}

func callFor(user elicit.User, server, tool, args string) elicit.Call {
	return elicit.Call{
		ID: elicit.CallID("call-" + user.ID), Server: server, Tool: tool, Arguments: json.RawMessage(args),
		Origin: elicit.Origin{Team: user.Team, Channel: "C1", Thread: "1.2", Requester: user.ID},
	}
}

// start runs a call in the background.
func (w *world) start(ctx context.Context, c elicit.Call) <-chan outcome {
	done := make(chan outcome, 1)
	go func() {
		out, err := w.host.Call(ctx, c)
		done <- outcome{out, err}
	}()
	return done
}

// call runs a call of Ann's to its end.
func (w *world) call(server, tool, args string) outcome {
	w.t.Helper()
	return receiveFrom(w.t, w.start(w.t.Context(), callFor(ann, server, tool, args)), "the end of the call")
}

// local is the servers file with this test binary as the stdio server s.
func local(t *testing.T, kind string, more string) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if more != "" {
		more = "," + more
	}
	return fmt.Sprintf(`{"mcpServers":{"s":{"command":%s,"env":{%q:%q,%q:"${%s:-}","GORACE":"atexit_sleep_ms=0"}%s}}}`, quote(self), serverVariable, kind, wireVariable, wireVariable, more)
}

func remote(url, more string) string {
	if more != "" {
		more = "," + more
	}
	return fmt.Sprintf(`{"mcpServers":{"s":{"type":"http","url":%q%s}}}`, url, more)
}

// logBuffer is a log that may be written and read at once.
type logBuffer struct {
	mu sync.Mutex
	b  strings.Builder
}

func (l *logBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *logBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

var _ io.Writer = (*logBuffer)(nil)

// cause waits for the end of the question's context and returns its cause.
func (a *asked) cause(t *testing.T) error {
	t.Helper()
	receiveFrom(t, a.ctx.Done(), "the end of the question")
	return context.Cause(a.ctx)
}

func wantError[E error](t *testing.T, err error) E {
	t.Helper()
	var want E
	if !errors.As(err, &want) {
		t.Fatalf("got error %v (%T), want a %T", err, err, want)
	}
	return want
}

func wantMention(t *testing.T, err error, words ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("got no error, want one that mentions %q", words)
	}
	for _, word := range words {
		if !strings.Contains(err.Error(), word) {
			t.Errorf("got error %q, want it to mention %q", err, word)
		}
	}
}

// hurry shortens the grace that children have before they are killed, for
// tests in which a child uses it up.
func hurry(d time.Duration) <-chan time.Time {
	if d == closeGrace || d == termGrace {
		d = 50 * time.Millisecond
	}
	return time.After(d)
}
