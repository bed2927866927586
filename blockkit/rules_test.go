package blockkit_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/slackbridge/slackbridge/blockkit"
	"github.com/slackbridge/slackbridge/elicit"
	"github.com/slackbridge/slackbridge/internal/slackrules"
)

var (
	ann      = elicit.User{Team: "T_HOME", ID: "U_ANN"}
	deadline = time.Date(2026, 12, 1, 22, 30, 0, 0, time.UTC)
	decided  = time.Date(2026, 12, 1, 22, 15, 0, 0, time.UTC)
)

// parse reads the form of a schema that must be fine.
func parse(t testing.TB, schema string) *blockkit.Form {
	t.Helper()
	f, err := blockkit.ParseForm(json.RawMessage(schema))
	if err != nil {
		t.Fatalf("ParseForm(%s): %v", schema, err)
	}
	return f
}

// object is a schema with properties; required lists names.
func object(properties string, required ...string) string {
	names, err := json.Marshal(required)
	if err != nil {
		panic(err)
	}
	if required == nil {
		names = []byte("[]")
	}
	return `{"type":"object","properties":` + properties + `,"required":` + string(names) + `}`
}

func formView(message string) blockkit.FormView {
	return blockkit.FormView{
		ID: "p1", User: ann, Server: "deploy", Tool: "deploy_service", Message: message,
		Requester: "U_ANN", Deadline: deadline, Reader: blockkit.Reader{Zone: time.UTC},
	}
}

func card(message string, f *blockkit.Form) blockkit.Card {
	return blockkit.Card{
		ID: "p1", Server: "deploy", Tool: "deploy_service", Message: message, Form: f,
		Requester: "U_ANN", Responders: []string{"U_ANN"}, Deadline: deadline,
	}
}

// viewJSON is a modal as it is sent, after Slack's rules have judged it.
func viewJSON(t testing.TB, m blockkit.Modal) []byte {
	t.Helper()
	raw, err := json.Marshal(m.View)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range slackrules.CheckView(raw) {
		t.Errorf("Slack would refuse the view: %s\n%s", v, shorten(raw))
	}
	return raw
}

// messageJSON is a message as it is sent, after Slack's rules have judged it.
func messageJSON(t testing.TB, m blockkit.Message) []byte {
	t.Helper()
	raw, err := json.Marshal(map[string]any{"text": m.Text, "blocks": m.Blocks})
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range slackrules.CheckMessage(raw) {
		t.Errorf("Slack would refuse the message: %s\n%s", v, shorten(raw))
	}
	if n := utf8.RuneCountInString(m.Text); n == 0 || n > 4000 {
		t.Errorf("the text has %d characters, want 1 to 4,000", n)
	}
	if len(m.Blocks) == 0 {
		t.Error("the message has no blocks")
	}
	return raw
}

func optionsJSON(t testing.TB, options []blockkit.Option) []byte {
	t.Helper()
	raw, err := json.Marshal(map[string]any{"options": options})
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range slackrules.CheckOptions(raw) {
		t.Errorf("Slack would refuse the options: %s\n%s", v, shorten(raw))
	}
	if len(raw) >= 20_000 {
		t.Errorf("the options weigh %d bytes; Slack drops 20,480 in silence", len(raw))
	}
	return raw
}

func shorten(raw []byte) string {
	if len(raw) > 3000 {
		return string(raw[:3000]) + "…"
	}
	return string(raw)
}

// input is an input block as Slack gets it.
type input struct {
	BlockID  string
	Label    string
	Hint     string
	Optional bool
	Element  map[string]any
}

func (i input) typ() string { s, _ := i.Element["type"].(string); return s }

// optionLabels are the visible texts of the options, in order.
func (i input) optionLabels() []string {
	var out []string
	list, _ := i.Element["options"].([]any)
	for _, o := range list {
		out = append(out, textOf(o.(map[string]any)["text"]))
	}
	return out
}

func textOf(v any) string {
	m, _ := v.(map[string]any)
	s, _ := m["text"].(string)
	return s
}

// inputs are the input blocks of a form that Slack takes, in order.
func inputs(t testing.TB, f *blockkit.Form) []input {
	t.Helper()
	return inputsOf(t, viewJSON(t, f.Modal(formView("Please answer"))))
}

func inputsOf(t testing.TB, raw []byte) []input {
	t.Helper()
	var view struct {
		Blocks []struct {
			Type     string         `json:"type"`
			BlockID  string         `json:"block_id"`
			Label    map[string]any `json:"label"`
			Hint     map[string]any `json:"hint"`
			Optional bool           `json:"optional"`
			Element  map[string]any `json:"element"`
		} `json:"blocks"`
	}
	if err := json.Unmarshal(raw, &view); err != nil {
		t.Fatal(err)
	}
	var out []input
	for _, b := range view.Blocks {
		if b.Type == "input" {
			out = append(out, input{b.BlockID, textOf(b.Label), textOf(b.Hint), b.Optional, b.Element})
		}
	}
	return out
}

func onlyInput(t testing.TB, f *blockkit.Form) input {
	t.Helper()
	in := inputs(t, f)
	if len(in) != 1 {
		t.Fatalf("%d inputs, want 1", len(in))
	}
	return in[0]
}

// Answers as a person gives them; each returns the entry of state.values.

func typed(s string) map[string]any { return map[string]any{"type": "plain_text_input", "value": s} }

func untouched() map[string]any { return map[string]any{"type": "plain_text_input", "value": nil} }

func day(s string) map[string]any {
	return map[string]any{"type": "datepicker", "selected_date": s}
}

func moment(sec int64) map[string]any {
	return map[string]any{"type": "datetimepicker", "selected_date_time": sec}
}

func option(id string) map[string]any {
	return map[string]any{"text": map[string]any{"type": "plain_text", "text": "whatever"}, "value": id}
}

func picked(id string) map[string]any {
	return map[string]any{"type": "static_select", "selected_option": option(id)}
}

func notPicked() map[string]any {
	return map[string]any{"type": "static_select", "selected_option": nil}
}

func pickedAll(ids ...string) map[string]any {
	out := []any{}
	for _, id := range ids {
		out = append(out, option(id))
	}
	return map[string]any{"type": "checkboxes", "selected_options": out}
}

// state is view.state with one entry for each input block, f0 first; nil
// leaves the block out.
func state(t testing.TB, entries ...map[string]any) json.RawMessage {
	t.Helper()
	values := map[string]any{}
	for i, e := range entries {
		if e != nil {
			values["f"+string(rune('0'+i))] = map[string]any{"v": e}
		}
	}
	raw, err := json.Marshal(map[string]any{"values": values})
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// wantContent answers a form and compares what goes to the server, byte for
// byte.
func wantContent(t testing.TB, f *blockkit.Form, want string, entries ...map[string]any) {
	t.Helper()
	content, errs := f.Answer(state(t, entries...), blockkit.Reader{})
	if len(errs) > 0 {
		t.Errorf("Answer: errors %v, want %s", errs, want)
		return
	}
	if string(content) != want {
		t.Errorf("Answer: %s, want %s", content, want)
	}
}

// wantError answers a form whose first field must be at fault.
func wantError(t testing.TB, f *blockkit.Form, want string, entries ...map[string]any) {
	t.Helper()
	content, errs := f.Answer(state(t, entries...), blockkit.Reader{})
	if content != nil {
		t.Errorf("Answer: %s, want an error", content)
	}
	if !strings.Contains(errs["f0"], want) {
		t.Errorf("Answer: errors %v, want %q at f0", errs, want)
	}
	for id, e := range errs {
		if n := utf8.RuneCountInString(e); n == 0 || n > 150 {
			t.Errorf("the error at %s has %d characters", id, n)
		}
	}
}
