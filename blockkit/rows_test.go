package blockkit_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// row is one line of the table in docs/forms.md: a schema, what a person does
// with its field, and what the server gets.
type row struct {
	name     string // names the golden file
	schema   string // of the property x; or all of requestedSchema, of the type object
	required bool
	does     deed
	want     string // content; or "! " and the error at the field
}

func (r row) requestedSchema() string {
	if isWhole(r.schema) {
		return r.schema
	}
	if r.required {
		return object(`{"x":`+r.schema+`}`, "x")
	}
	return object(`{"x":` + r.schema + `}`)
}

// isWhole reports whether a schema of the table is all of requestedSchema, not
// that of a property.
func isWhole(schema string) bool {
	var root struct {
		Type any `json:"type"`
	}
	return json.Unmarshal([]byte(schema), &root) == nil && root.Type == "object"
}

// topic is a part of the table.
type topic struct {
	title string
	about string
	rows  []row
}

func topics() []topic {
	return []topic{
		textRows(), formatRows(), numberRows(), booleanRows(), choiceRows(), choicesRows(),
		toleratedRows(), constantRows(),
	}
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
	v.Reader.Zone = r.does.at()
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
	content, errs := f.Answer(state, v.Reader)
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
	return played{row: r, golden: b.String(), shown: shownAs(t, view, all), got: got}
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
	return strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&").Replace(strings.Join(lines, "\n"))
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
			if strings.Trim(file, "abcdefghijklmnopqrstuvwxyz0123456789-./") != "" {
				t.Errorf("%s is no name for a file: Go does not serve a module that has it", file)
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
		onlyTheseFiles(t, names)
	}
}

// onlyTheseFiles finds golden files of rows that are no more.
func onlyTheseFiles(t *testing.T, names map[string]bool) {
	t.Helper()
	files, err := filepath.Glob("testdata/forms/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		name := strings.TrimPrefix(strings.TrimSuffix(filepath.ToSlash(file), ".txt"), "testdata/")
		if !names[name] {
			t.Errorf("%s belongs to no row", file)
		}
	}
}
