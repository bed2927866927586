package blockkit_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/slackbridge/slackbridge/blockkit"
)

// deed is what a person does with a field.
type deed struct {
	words string
	entry func(t *testing.T, f *blockkit.Form, in input) map[string]any
	zone  *time.Location // where the person is; nil for Berlin
}

// berlin is where the people of the table are, unless it says otherwise.
var berlin = mustZone("Europe/Berlin")

func mustZone(name string) *time.Location {
	zone, err := time.LoadLocation(name)
	if err != nil {
		panic(err)
	}
	return zone
}

func (d deed) at() *time.Location {
	if d.zone == nil {
		return berlin
	}
	return d.zone
}

// sets is a deed that leaves one member in the state of its input.
func sets(words, member string, value any) deed {
	return deed{words: words, entry: func(_ *testing.T, _ *blockkit.Form, in input) map[string]any {
		return map[string]any{"type": in.typ(), member: value}
	}}
}

// leave submits the form as it came.
func leave() deed {
	return deed{words: "leaves it as it is", entry: func(_ *testing.T, _ *blockkit.Form, in input) map[string]any { return in.untouched() }}
}

// empty clears what was prefilled.
func empty() deed {
	return deed{words: "empties it", entry: func(_ *testing.T, _ *blockkit.Form, in input) map[string]any {
		in.Element = map[string]any{"type": in.typ()}
		return in.untouched()
	}}
}

func types(s string) deed { return sets("types "+code(s), "value", s) }

func picksDay(s string) deed { return sets("picks "+s, "selected_date", s) }

func picksMoment(at time.Time) deed { return picksMomentIn("Europe/Berlin", at) }

// picksMomentIn is picksMoment of a person whose Slack has that time zone.
func picksMomentIn(zone string, at time.Time) deed {
	there := mustZone(zone)
	place := zone[strings.LastIndexByte(zone, '/')+1:]
	d := sets("picks "+at.In(there).Format("2006-01-02 15:04")+" in "+place, "selected_date_time", at.Unix())
	d.zone = there
	return d
}

// picks chooses options by their labels; exactly these are chosen then.
func picks(names ...string) deed {
	words := "picks nothing"
	if len(names) > 0 {
		quoted := make([]string, len(names))
		for i, n := range names {
			quoted[i] = code(n)
		}
		words = "picks " + strings.Join(quoted, ", ")
	}
	return deed{words: words, entry: func(t *testing.T, f *blockkit.Form, in input) map[string]any {
		chosen := []any{}
		for _, n := range names {
			chosen = append(chosen, optionNamed(t, f, in, n))
		}
		if in.holdsSeveral() {
			return map[string]any{"type": in.typ(), "selected_options": chosen}
		}
		if len(chosen) != 1 {
			t.Fatalf("%s takes one option, not %q", in.typ(), names)
		}
		return map[string]any{"type": in.typ(), "selected_option": chosen[0]}
	}}
}

// optionNamed finds an option as a person does: in the list, or by searching.
func optionNamed(t *testing.T, f *blockkit.Form, in input, label string) any {
	t.Helper()
	list, _ := in.Element["options"].([]any)
	if list == nil {
		var found struct {
			Options []any `json:"options"`
		}
		if err := json.Unmarshal(optionsJSON(t, f.Search(in.BlockID, label, blockkit.English)), &found); err != nil {
			t.Fatal(err)
		}
		list = found.Options
	}
	for _, o := range list {
		if textOf(o.(map[string]any)["text"]) == label {
			return o
		}
	}
	t.Fatalf("there is no option %q", label)
	return nil
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
