package blockkit_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// code is s as code in a table of Markdown.
func code(s string) string {
	s = strings.NewReplacer("|", `\|`, "\n", "⏎").Replace(s)
	if strings.HasPrefix(s, " ") && strings.HasSuffix(s, " ") {
		s = " " + s + " " // Markdown takes one off at each end
	}
	if strings.Contains(s, "`") {
		return "`` " + s + " ``"
	}
	return "`" + s + "`"
}

// elementNames are Slack's elements in plain words.
var elementNames = map[string]string{
	"plain_text_input": "text", "email_text_input": "email", "url_text_input": "URL", "number_input": "number",
	"datepicker": "date picker", "datetimepicker": "date and time picker",
	"radio_buttons": "radio buttons", "static_select": "menu", "external_select": "menu that is searched",
	"checkboxes": "checkboxes", "multi_static_select": "menu for several", "multi_external_select": "menu for several that is searched",
}

// shownAs says in a line how the fields of a view look.
func shownAs(t *testing.T, view []byte, all []input) string {
	t.Helper()
	var out []string
	for _, in := range all {
		words := []string{elementNames[in.typ()]}
		if words[0] == "" {
			t.Errorf("there are no plain words for %s", in.typ())
		}
		if in.typ() == "plain_text_input" && in.Element["multiline"] == true {
			words = append(words, "several lines")
		}
		if decimals, ok := in.Element["is_decimal_allowed"].(bool); ok && !decimals {
			words[0] = "whole number"
		}
		if labels := in.optionLabels(); labels != nil {
			words[0] += ": " + optionWords(labels)
		}
		if p := in.prefilled(); p != "" {
			words = append(words, "prefilled "+p)
		}
		if in.Optional {
			words = append(words, "optional")
		}
		if in.Hint != "" {
			words = append(words, "hint “"+escapeCell(in.Hint)+"”")
		}
		out = append(out, strings.Join(words, "; "))
	}
	for _, text := range textsBeside(t, view) {
		const most = 80
		if r := []rune(text); len(r) > most {
			text = string(r[:most]) + " …"
		}
		out = append(out, "text “"+escapeCell(text)+"”")
	}
	if len(out) == 0 {
		return "nothing to enter"
	}
	return strings.Join(out, "<br>")
}

// textsBeside are the texts of a modal below the message: what is sent in any
// case, and what has no room in an input.
func textsBeside(t *testing.T, view []byte) []string {
	t.Helper()
	type run struct {
		Text string `json:"text"`
	}
	type section struct {
		Elements []run `json:"elements"`
	}
	var modal struct {
		Blocks []struct {
			Type string `json:"type"`
			// Of an actions block these are buttons, which have no runs.
			Elements json.RawMessage `json:"elements"`
		} `json:"blocks"`
	}
	if err := json.Unmarshal(view, &modal); err != nil {
		t.Fatal(err)
	}
	const head = 2 // who asks, and the message
	var out []string
	for _, block := range modal.Blocks[head:] {
		if block.Type != "rich_text" {
			continue
		}
		var sections []section
		if err := json.Unmarshal(block.Elements, &sections); err != nil {
			t.Fatal(err)
		}
		var text strings.Builder
		for _, s := range sections {
			for _, r := range s.Elements {
				text.WriteString(r.Text)
			}
		}
		out = append(out, text.String())
	}
	return out
}

// escapeCell is plain text in a table of Markdown.
func escapeCell(s string) string {
	return strings.NewReplacer("|", `\|`, "\n", " ", "&", "&amp;", "<", "&lt;",
		"*", `\*`, "_", `\_`, "`", "\\`", `\`, `\\`, "[", `\[`).Replace(s)
}

func optionWords(labels []string) string {
	if len(labels) > 8 {
		return fmt.Sprintf("%s … %s (%d)", code(labels[0]), code(labels[len(labels)-1]), len(labels))
	}
	quoted := make([]string, len(labels))
	for i, l := range labels {
		quoted[i] = code(l)
	}
	return strings.Join(quoted, " / ")
}

func (in input) prefilled() string {
	for _, k := range []string{"initial_value", "initial_date", "initial_date_time"} {
		if v, ok := in.Element[k]; ok {
			if n, isNumber := v.(float64); isNumber {
				return fmt.Sprintf("%.0f (Unix seconds)", n)
			}
			return code(fmt.Sprint(v))
		}
	}
	var chosen []string
	if o, ok := in.Element["initial_option"].(map[string]any); ok {
		chosen = append(chosen, code(textOf(o["text"])))
	}
	many, _ := in.Element["initial_options"].([]any)
	for _, o := range many {
		chosen = append(chosen, code(textOf(o.(map[string]any)["text"])))
	}
	return strings.Join(chosen, ", ")
}

// shortSchema is a schema for a cell: long lists are cut.
func shortSchema(s string) string {
	const most = 220
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > most {
		cut := []rune(s)
		s = string(cut[:most/2]) + " … " + string(cut[len(cut)-most/4:])
	}
	return code(s)
}

func (p played) line() string {
	schema := shortSchema(p.schema)
	if p.required {
		schema += " required"
	}
	got := code(p.got)
	if problem, ok := strings.CutPrefix(p.got, "! "); ok {
		got = "nothing yet; the form says “" + escapeCell(problem) + "”"
	}
	return fmt.Sprintf("| %s | %s | %s | %s |\n", schema, p.shown, p.does.words, got)
}

func goldenText(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", filepath.FromSlash(name))
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v (go test ./blockkit -update writes it)", err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("%s (-want +got):\n%s", path, d)
	}
}

// compareDoc compares, or writes, what follows the introduction of the page.
func compareDoc(t *testing.T, tables string) {
	t.Helper()
	const path = "../docs/forms.md"
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	intro, old, ok := strings.Cut(string(page), "\n## ")
	if !ok {
		t.Fatalf("%s has no tables after its introduction", path)
	}
	switch {
	case *update:
		if err := os.WriteFile(path, []byte(intro+tables), 0o644); err != nil {
			t.Fatal(err)
		}
	case "\n## "+old != tables:
		t.Errorf("%s is not what the code does (go test ./blockkit -update writes it):\n%s", path, cmp.Diff("\n## "+old, tables))
	}
}
