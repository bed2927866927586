package blockkit_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/slackbridge/slackbridge/blockkit"
)

// row is one line of the table in docs/forms.md: a schema, what a person does
// with its field, and what the server gets.
type row struct {
	name     string // names the golden file
	schema   string // of the property x; or all of requestedSchema when it has properties
	required bool
	does     deed
	want     string // content; or "! " and the error at the field
}

func (r row) requestedSchema() string {
	if strings.Contains(r.schema, `"properties"`) {
		return r.schema
	}
	if r.required {
		return object(`{"x":`+r.schema+`}`, "x")
	}
	return object(`{"x":` + r.schema + `}`)
}

// deed is what a person does with a field.
type deed struct {
	words string
	entry func(t *testing.T, f *blockkit.Form, in input) map[string]any
}

// leave submits the form as it came.
func leave() deed {
	return deed{"leaves it as it is", func(_ *testing.T, _ *blockkit.Form, in input) map[string]any { return in.untouched() }}
}

// empty clears what was prefilled.
func empty() deed {
	return deed{"empties it", func(_ *testing.T, _ *blockkit.Form, in input) map[string]any {
		in.Element = map[string]any{"type": in.typ()}
		return in.untouched()
	}}
}

func types(s string) deed {
	return deed{"types " + code(s), func(*testing.T, *blockkit.Form, input) map[string]any { return typed(s) }}
}

func picksDay(s string) deed {
	return deed{"picks " + s, func(*testing.T, *blockkit.Form, input) map[string]any { return day(s) }}
}

// berlin is where the people of the table are.
var berlin = mustZone("Europe/Berlin")

func mustZone(name string) *time.Location {
	zone, err := time.LoadLocation(name)
	if err != nil {
		panic(err)
	}
	return zone
}

func picksMoment(at time.Time) deed {
	return deed{"picks " + at.In(berlin).Format("2006-01-02 15:04") + " in Berlin", func(*testing.T, *blockkit.Form, input) map[string]any { return moment(at.Unix()) }}
}

// picks chooses options by their labels; exactly these are chosen then.
func picks(names ...string) deed {
	words := "picks nothing"
	if len(names) > 0 {
		words = "picks " + strings.Join(names, ", ")
	}
	return deed{words, func(t *testing.T, f *blockkit.Form, in input) map[string]any {
		var ids []string
		for _, n := range names {
			ids = append(ids, optionNamed(t, f, in, n))
		}
		if in.holdsSeveral() {
			return pickedAll(ids...)
		}
		if len(ids) != 1 {
			t.Fatalf("%s takes one option, not %q", in.typ(), names)
		}
		return picked(ids[0])
	}}
}

// optionNamed finds an option as a person does: in the list, or by searching.
func optionNamed(t *testing.T, f *blockkit.Form, in input, label string) string {
	t.Helper()
	list, _ := in.Element["options"].([]any)
	for _, o := range list {
		if o := o.(map[string]any); textOf(o["text"]) == label {
			return o["value"].(string)
		}
	}
	if list == nil {
		for _, o := range f.Search(in.BlockID, label, blockkit.English) {
			if o.Text.Text == label {
				return o.Value
			}
		}
	}
	t.Fatalf("there is no option %q", label)
	return ""
}

func (in input) holdsSeveral() bool {
	return in.typ() == "checkboxes" || strings.HasPrefix(in.typ(), "multi_")
}

// untouched is what Slack sends for an input that nobody touched.
func (in input) untouched() map[string]any {
	out := map[string]any{"type": in.typ()}
	switch {
	case in.typ() == "datepicker":
		out["selected_date"] = in.Element["initial_date"]
	case in.typ() == "datetimepicker":
		out["selected_date_time"] = in.Element["initial_date_time"]
	case in.holdsSeveral():
		out["selected_options"] = []any{}
		if v, ok := in.Element["initial_options"]; ok {
			out["selected_options"] = v
		}
	case strings.HasSuffix(in.typ(), "_select"), in.typ() == "radio_buttons":
		out["selected_option"] = in.Element["initial_option"]
	default:
		out["value"] = in.Element["initial_value"]
	}
	return out
}

// topic is a part of the table.
type topic struct {
	title string
	about string
	rows  []row
}

func topics() []topic {
	return []topic{textRows(), formatRows(), numberRows(), booleanRows(), choiceRows(), choicesRows(), toleratedRows()}
}

// played is what came of a row.
type played struct {
	row
	golden string
	shown  string
	got    string
}

func (r row) play(t *testing.T) played {
	t.Helper()
	schema := r.requestedSchema()
	f := parse(t, schema)
	v := formView("Please answer.")
	v.Reader.Zone = berlin
	view := viewJSON(t, f.Modal(v))
	message := messageJSON(t, card("Please answer.", f).Open())
	all := inputsOf(t, view)
	values := map[string]any{}
	for i, in := range all {
		entry := in.untouched()
		if i == 0 {
			entry = r.does.entry(t, f, in)
		}
		values[in.BlockID] = map[string]any{"v": entry}
	}
	state, err := json.Marshal(map[string]any{"values": values})
	if err != nil {
		t.Fatal(err)
	}
	content, errs := f.Answer(state, blockkit.Reader{Zone: berlin})
	got := string(content)
	if len(errs) > 0 {
		got = "! " + errs[slices.Min(slices.Collect(maps.Keys(errs)))]
	}
	if got != r.want {
		t.Errorf("the server gets %s, want %s", got, r.want)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "A person %s.\n", r.does.words)
	for _, part := range []struct {
		name string
		raw  []byte
	}{{"schema", []byte(schema)}, {"message", message}, {"modal", view}, {"filled in", state}, {"answer", answerJSON(got)}} {
		fmt.Fprintf(&b, "\n-- %s --\n%s\n", part.name, indented(t, part.raw))
	}
	return played{row: r, golden: b.String(), shown: shownAs(view, all), got: got}
}

func answerJSON(got string) []byte {
	if problem, ok := strings.CutPrefix(got, "! "); ok {
		raw, _ := json.Marshal(map[string]string{"stays open": problem})
		return raw
	}
	return []byte(`{"action":"accept","content":` + got + `}`)
}

// indented is JSON for people; what it has many of is cut in the middle.
func indented(t *testing.T, raw []byte) string {
	t.Helper()
	var b bytes.Buffer
	if err := json.Indent(&b, raw, "", "  "); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(b.String(), "\n")
	const most = 400
	if len(lines) > most {
		lines = slices.Concat(lines[:most/2], []string{fmt.Sprintf("… %d lines …", len(lines)-most)}, lines[len(lines)-most/2:])
	}
	return strings.ReplaceAll(strings.Join(lines, "\n"), `\u003c`, "<")
}

func TestRows_AreShownAndAnsweredAsTheTableSays(t *testing.T) {
	var doc strings.Builder
	drawn, total := 0, 0
	names := map[string]bool{}
	for _, topic := range topics() {
		fmt.Fprintf(&doc, "\n## %s\n\n%s\n\n| the server asks | it is shown as | a person | the server gets |\n|---|---|---|---|\n", topic.title, topic.about)
		for _, r := range topic.rows {
			file := "forms/" + strings.ReplaceAll(strings.ToLower(topic.title+" "+r.name), " ", "-")
			if names[file] {
				t.Errorf("two rows are named %s", file)
			}
			names[file] = true
			total++
			t.Run(file, func(t *testing.T) {
				p := r.play(t)
				goldenText(t, file+".txt", p.golden)
				doc.WriteString(p.line())
				drawn++
			})
		}
	}
	doc.WriteString(refusedTable(t))
	doc.WriteString("\n<!-- Made by `go test ./blockkit -update` from the tests; do not edit below the introduction. -->\n")
	if drawn == total { // not when only some were asked for
		compareDoc(t, doc.String())
	}
}
