package blockkit_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slackbridge/slackbridge/blockkit"
	"github.com/slackbridge/slackbridge/elicit"
)

// code is s as code in a table of Markdown.
func code(s string) string {
	s = strings.NewReplacer("|", `\|`, "\n", "⏎").Replace(s)
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
func shownAs(view []byte, all []input) string {
	if len(all) == 0 {
		return "text; nothing to enter"
	}
	var out []string
	for _, in := range all {
		words := []string{elementNames[in.typ()]}
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
	if bytesHave(view, `"rich_text_section","elements":[{"type":"text","text":"x","style":{"bold":true}}`) {
		out = append(out, "with its texts above")
	}
	return strings.Join(out, "<br>")
}

func escapeCell(s string) string {
	return strings.NewReplacer("|", `\|`, "\n", " ", "<", "&lt;", "*", `\*`, "_", `\_`).Replace(s)
}

func optionWords(labels []string) string {
	if len(labels) > 8 {
		return fmt.Sprintf("%s … %s (%d)", escapeCell(labels[0]), escapeCell(labels[len(labels)-1]), len(labels))
	}
	quoted := make([]string, len(labels))
	for i, l := range labels {
		quoted[i] = escapeCell(l)
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
		chosen = append(chosen, textOf(o["text"]))
	}
	many, _ := in.Element["initial_options"].([]any)
	for _, o := range many {
		chosen = append(chosen, textOf(o.(map[string]any)["text"]))
	}
	return escapeCell(strings.Join(chosen, ", "))
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

// refusedTable lists what is refused, and with which words.
func refusedTable(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("\n## What is refused\n\n" +
		"Nothing of it is shown. `-32602` goes to the server for what is not a form; `cancel` for what is, but cannot be shown.\n" +
		"The thread of the call says why.\n\n| the server asks | it gets | naming |\n|---|---|---|\n")
	for _, schema := range refused {
		_, err := blockkit.ParseForm(json.RawMessage(schema))
		var malformed *elicit.InvalidParamsError
		var cannot *blockkit.UnrenderableError
		answer := ""
		switch {
		case errors.As(err, &malformed):
			answer = "`-32602`"
		case errors.As(err, &cannot):
			answer = "`cancel`"
		default:
			t.Errorf("%s is not refused: %v", schema, err)
			continue
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", shortSchema(schema), answer, escapeCell(err.Error()))
	}
	return b.String()
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
