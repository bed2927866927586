package slackapp

import (
	"bytes"
	"context"
	"log/slog"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/slackbridge/slackbridge/blockkit"
	"github.com/slackbridge/slackbridge/elicit"
	"github.com/slackbridge/slackbridge/internal/slacksim"
)

// logbook is a log that may be written and read at once.
type logbook struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logbook) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *logbook) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func startSim(t *testing.T) *slacksim.Sim {
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
	return sim
}

func simClient(t *testing.T, sim *slacksim.Sim, log *logbook) *Client {
	t.Helper()
	c, err := New(Options{
		BotToken: Secret(sim.BotToken()), AppToken: Secret(sim.AppToken()), SigningSecret: Secret(sim.SigningSecret()),
		APIURL: strings.TrimSuffix(sim.APIURL(), "/"), Log: slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug})), Now: time.Now,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// runSocket runs Socket Mode until the test ends.
func runSocket(t *testing.T, c *Client, h Handler) *Socket {
	t.Helper()
	s := NewSocket(c, h)
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	done := make(chan error, 1)
	go func() { done <- s.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("Run: %v", err)
		}
	})
	waitFor(t, "the socket stands", s.Ready)
	return s
}

// exercise plays a command, a click, a search, a submission and a close, and
// checks that each arrives.
func exercise(t *testing.T, sim *slacksim.Sim, c *Client, h *recorder) {
	t.Helper()
	ann := sim.Person("U_ANN")
	if err := ann.Type(t.Context(), "C_DEPLOYS", "/mcp deploy.tool a=<b>"); err != nil {
		t.Fatal(err)
	}
	h.wait(t, 1)
	if got := h.commands[0]; got.Text != "deploy.tool a=&lt;b&gt;" || got.User != (elicit.User{Team: "T_HOME", ID: "U_ANN"}) || got.Channel != "C_DEPLOYS" {
		t.Errorf("command %+v", got)
	}
	form, err := blockkit.ParseForm([]byte(`{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}`))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.OpenView(t.Context(), h.commands[0].TriggerID, form.Modal(blockkit.FormView{ID: "p1", Server: "deploy", Reader: blockkit.Reader{Zone: time.UTC}})); err != nil {
		t.Fatal(err)
	}
	if err := ann.PressInModal(t.Context(), "Decline"); err != nil {
		t.Fatal(err)
	}
	h.wait(t, 2)
	if got := h.clicks[0]; got.View == nil || got.View.Metadata != "p1" || got.Value != "p1" {
		t.Errorf("click %+v", got)
	}
	if err := ann.Fill("a", "x & y"); err != nil {
		t.Fatal(err)
	}
	h.reply = blockkit.SubmitReply{Errors: map[string]string{form.FirstBlockID(): "not that"}}
	if err := ann.Submit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if m, _ := ann.Modal(); len(m.Fields) != 1 || m.Fields[0].Error != "not that" || m.Fields[0].Value != "x & y" {
		t.Errorf("after a field error the form is %+v", m)
	}
	if err := ann.CloseModal(t.Context()); err != nil {
		t.Fatal(err)
	}
	h.wait(t, 4)
	if troubles := sim.Troubles(); len(troubles) != 0 {
		t.Errorf("people saw generic errors: %q", troubles)
	}
}

func TestSocket_EverythingArrivesAndIsAcknowledged(t *testing.T) {
	sim, log, h := startSim(t), &logbook{}, &recorder{}
	c := simClient(t, sim, log)
	runSocket(t, c, h)
	exercise(t, sim, c, h)
	for _, secret := range []string{sim.BotToken(), sim.AppToken(), "x & y", "/response/"} {
		if strings.Contains(log.String(), secret) {
			t.Errorf("the log holds %q:\n%s", secret, log)
		}
	}
}

func TestHTTP_EverythingArrivesAndIsAcknowledged(t *testing.T) {
	sim, log, h := startSim(t), &logbook{}, &recorder{}
	c := simClient(t, sim, log)
	srv := httptest.NewServer(NewHTTP(c, h))
	t.Cleanup(srv.Close)
	sim.DeliverHTTP(srv.URL)
	exercise(t, sim, c, h)
}

func TestSocket_ThatIsToldToGoIsReplacedFirst(t *testing.T) {
	sim, log, h := startSim(t), &logbook{}, &recorder{}
	runSocket(t, simClient(t, sim, log), h)
	ann := sim.Person("U_ANN")
	const n = 6
	for i := range n {
		sim.Disconnect("warning")
		if err := ann.Type(t.Context(), "C_DEPLOYS", "/mcp help"); err != nil {
			t.Fatalf("command %d, while the socket is replaced: %v", i, err)
		}
	}
	h.wait(t, n)
}

func TestSocket_OversizedAcknowledgementIsSentEmptyAndLogged(t *testing.T) {
	sim, log := startSim(t), &logbook{}
	h := &recorder{reply: blockkit.SubmitReply{Errors: map[string]string{"f0": strings.Repeat("x", maxAck)}}}
	c := simClient(t, sim, log)
	runSocket(t, c, h)
	ann := sim.Person("U_ANN")
	if err := ann.Type(t.Context(), "C_DEPLOYS", "/mcp x"); err != nil {
		t.Fatal(err)
	}
	h.wait(t, 1)
	form, err := blockkit.ParseForm([]byte(`{"type":"object","properties":{"a":{"type":"string"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.OpenView(t.Context(), h.commands[0].TriggerID, form.Modal(blockkit.FormView{ID: "p1", Server: "deploy", Reader: blockkit.Reader{Zone: time.UTC}})); err != nil {
		t.Fatal(err)
	}
	if err := ann.Submit(t.Context()); err != nil {
		t.Fatalf("Submit: %v; want the form closed by an empty acknowledgement", err)
	}
	if !strings.Contains(log.String(), "too big for a socket") {
		t.Errorf("the log does not say so:\n%s", log)
	}
}

func TestSocket_TokenThatWillNotGetBetterEndsRun(t *testing.T) {
	sim, log := startSim(t), &logbook{}
	c := simClient(t, sim, log)
	sim.Fault("apps.connections.open", slacksim.Fault{Error: "invalid_auth", Times: -1})
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	if err := NewSocket(c, &recorder{}).Run(ctx); err == nil || !strings.Contains(err.Error(), "SLACK_APP_TOKEN") {
		t.Errorf("Run: %v, want the variable to mend", err)
	}
}

func TestSocket_LeavesNoGoroutine(t *testing.T) {
	sim, log := startSim(t), &logbook{}
	before := goleak.IgnoreCurrent()
	c := simClient(t, sim, log)
	s := NewSocket(c, &recorder{})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- s.Run(ctx) }()
	waitFor(t, "the socket stands", s.Ready)
	cancel()
	if err := <-done; err != nil {
		t.Errorf("Run: %v", err)
	}
	c.Close()
	// The simulator's side of the connection ends a moment later.
	goleak.VerifyNone(t, before, goleak.IgnoreAnyFunction("github.com/slackbridge/slackbridge/internal/slacksim.(*Sim).serveSocket"),
		goleak.IgnoreAnyFunction("net/http.(*conn).serve"))
}
