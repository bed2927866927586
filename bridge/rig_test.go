package bridge_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"log/slog"
	"math/big"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/slackbridge/slackbridge/blockkit"
	"github.com/slackbridge/slackbridge/bridge"
	"github.com/slackbridge/slackbridge/elicit"
)

const team = "T_HOME"

var bigLimit = big.NewInt(1 << 62)

var (
	ann = elicit.User{Team: team, ID: "U_ANN"}
	bob = elicit.User{Team: team, ID: "U_BOB"}
)

const formParams = `{"message":"Which cluster?","requestedSchema":{"type":"object","properties":{"cluster":{"type":"string","enum":["prod","stage"]},"window":{"type":"string"}},"required":["cluster","window"]}}`

// rig is a bridge among fakes, inside a synctest bubble.
type rig struct {
	t      *testing.T
	ledger *fakeLedger
	slack  *fakeSlack
	host   *fakeHost
	audit  *fakeAudit
	b      *bridge.Bridge

	mu      sync.Mutex
	answers []elicit.Answer // what went out on the wire
	sendErr error
}

func newRig(t *testing.T, tune func(*bridge.Options)) *rig {
	t.Helper()
	r := &rig{t: t, ledger: newFakeLedger(), slack: newFakeSlack(), host: &fakeHost{}, audit: &fakeAudit{}}
	r.host.tools = []elicit.Tool{{Server: "deploy", Name: "deploy_service", InputSchema: json.RawMessage(`{"type":"object","properties":{"service":{"type":"string"}},"required":["service"]}`)}}
	r.host.call = r.asking(formParams)
	o := bridge.Options{
		Replica: "R1", Team: team, Ledger: r.ledger, Slack: r.slack, Host: r.host, Audit: r.audit,
		Now: time.Now, Rand: rand.Reader, Log: slog.New(slog.DiscardHandler),
	}
	if tune != nil {
		tune(&o)
	}
	b, err := bridge.New(o)
	if err != nil {
		t.Fatal(err)
	}
	r.b = b
	r.ledger.settled = b.Settled
	r.ledger.decided = b.Decided
	return r
}

// asking is a tool that asks one question and returns what was answered.
func (r *rig) asking(params string) func(context.Context, elicit.Call) (elicit.Outcome, error) {
	return func(ctx context.Context, c elicit.Call) (elicit.Outcome, error) {
		r.ask(ctx, c, params)
		return elicit.Outcome{Result: &elicit.Result{Content: []json.RawMessage{json.RawMessage(`{"type":"text","text":"done"}`)}}}, nil
	}
}

func (r *rig) ask(ctx context.Context, c elicit.Call, params string) {
	q := elicit.Question{
		Call: c.ID, Server: c.Server, Tool: c.Tool, Origin: c.Origin, Era: elicit.EraBlocking, Protocol: "2025-11-25",
		RequestID: "1", Params: json.RawMessage(params),
	}
	r.b.Ask(ctx, q, func(_ context.Context, a elicit.Answer) error {
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.sendErr != nil {
			return r.sendErr
		}
		r.answers = append(r.answers, a)
		return nil
	})
}

func (r *rig) sent() []elicit.Answer {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]elicit.Answer(nil), r.answers...)
}

// run types the command and returns when everything waits.
func (r *rig) run() {
	r.t.Helper()
	r.command("deploy.deploy_service service=payments")
}

func (r *rig) command(text string) {
	r.t.Helper()
	trigger, err := rand.Int(rand.Reader, bigLimit)
	if err != nil {
		r.t.Fatal(err)
	}
	r.b.Command(r.t.Context(), blockkit.Command{
		User: ann, Channel: "C1", Text: text, TriggerID: trigger.String(), ResponseURL: "https://respond", At: time.Now(),
	})
	synctest.Wait()
}

func (r *rig) pending() elicit.Pending {
	r.t.Helper()
	p, ok := r.ledger.only()
	if !ok {
		r.t.Fatalf("there is not exactly one pending")
	}
	return p
}

func (r *rig) click(who elicit.User, action string) {
	r.t.Helper()
	p := r.pending()
	r.clickOn(who, action, string(p.ID), p.Card)
}

func (r *rig) clickOn(who elicit.User, action, value string, card elicit.MessageRef) {
	r.t.Helper()
	r.b.Click(r.t.Context(), blockkit.Click{
		User: who, Action: action, Value: value, Message: card, Thread: "1.1", TriggerID: "trigger", ResponseURL: "https://respond", At: time.Now(),
	})
	synctest.Wait()
}

func (r *rig) submit(who elicit.User, state string) blockkit.SubmitReply {
	r.t.Helper()
	reply := r.b.Submit(r.t.Context(), blockkit.Submission{
		User: who, View: blockkit.ViewRef{ID: "V1", CallbackID: blockkit.CallbackForm, Metadata: string(r.pending().ID)},
		State: json.RawMessage(state), At: time.Now(),
	})
	synctest.Wait()
	return reply
}

func (r *rig) closeForm(who elicit.User) {
	r.t.Helper()
	r.b.Closed(r.t.Context(), blockkit.Closing{
		User: who, View: blockkit.ViewRef{ID: "V1", CallbackID: blockkit.CallbackForm, Metadata: string(r.pending().ID)}, At: time.Now(),
	})
	synctest.Wait()
}

// filled is the state of the form of formParams, with the first option chosen.
func (r *rig) filled(window string) string {
	r.t.Helper()
	el, err := blockkit.Parse(json.RawMessage(formParams), elicit.EraBlocking)
	if err != nil {
		r.t.Fatal(err)
	}
	view := el.Form.Modal(blockkit.FormView{ID: "p", User: ann, Server: "deploy", Reader: blockkit.Reader{Zone: time.UTC}})
	raw, err := json.Marshal(view.View)
	if err != nil {
		r.t.Fatal(err)
	}
	var v struct {
		Blocks []struct {
			Type    string `json:"type"`
			BlockID string `json:"block_id"`
			Element struct {
				ActionID string            `json:"action_id"`
				Options  []json.RawMessage `json:"options"`
			} `json:"element"`
		} `json:"blocks"`
	}
	if err := json.Unmarshal(raw, &v); err != nil {
		r.t.Fatal(err)
	}
	values := map[string]any{}
	for _, b := range v.Blocks {
		if b.Type != "input" {
			continue
		}
		if len(b.Element.Options) > 0 {
			values[b.BlockID] = map[string]any{b.Element.ActionID: map[string]any{"type": "radio_buttons", "selected_option": b.Element.Options[0]}}
		} else {
			values[b.BlockID] = map[string]any{b.Element.ActionID: map[string]any{"type": "plain_text_input", "value": window}}
		}
	}
	state, err := json.Marshal(map[string]any{"values": values})
	if err != nil {
		r.t.Fatal(err)
	}
	return string(state)
}

// wantAnswers compares what went out on the wire.
func (r *rig) wantAnswers(want ...string) {
	r.t.Helper()
	var got []string
	for _, a := range r.sent() {
		s := string(a.Action)
		if a.Content != nil {
			s += " " + string(a.Content)
		}
		if a.Invalid != nil {
			s = "-32602 " + a.Invalid.Path
		}
		got = append(got, s)
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		r.t.Errorf("on the wire: %q, want %q", got, want)
	}
}

// wantCard checks the last redraw of the question's card.
func (r *rig) wantCard(want string) {
	r.t.Helper()
	card := r.pending().Card
	var last *posted
	for _, u := range r.slack.of("update") {
		if u.ts == card.TS {
			last = &u
		}
	}
	if last == nil {
		r.t.Errorf("the card was not redrawn, want %q", want)
		return
	}
	if !strings.Contains(last.message.Text, want) {
		r.t.Errorf("the card says %q, want %q", last.message.Text, want)
	}
	raw, err := json.Marshal(last.message.Blocks)
	if err != nil {
		r.t.Fatal(err)
	}
	if strings.Contains(string(raw), `"button"`) {
		r.t.Errorf("the ended card still has buttons: %s", raw)
	}
}

func (r *rig) wantNote(how, want string) {
	r.t.Helper()
	for _, p := range r.slack.of(how) {
		if strings.Contains(p.message.Text, want) {
			return
		}
	}
	r.t.Errorf("no %s says %q: %v", how, want, texts(r.slack.of(how)))
}

func texts(ps []posted) []string {
	var out []string
	for _, p := range ps {
		out = append(out, p.message.Text)
	}
	return out
}

func bubble(t *testing.T, tune func(*bridge.Options), body func(t *testing.T, r *rig)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, tune)
		defer r.end(t)
		body(t, r)
	})
}

// end drains the bridge and stops the timers, so that the bubble can end.
func (r *rig) end(t *testing.T) {
	t.Helper()
	if err := r.b.Drain(context.WithoutCancel(t.Context()), 0); err != nil {
		t.Errorf("Drain: %v", err)
	}
	for _, timer := range r.ledger.timers {
		timer.Stop()
	}
}
