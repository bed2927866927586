package blockkit_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/dlclark/regexp2/v2"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/slackbridge/slackbridge/blockkit"
	"github.com/slackbridge/slackbridge/elicit"
)

// nasty are texts that have broken forms.
var nasty = []string{
	"", " ", "a", "Title", "<!channel>", "<@U_BOB>", "R&D", "&amp;", "\u202Egnol", "\u200B", "👩\u200D💻", "e\u0301", "__proto__",
	"*b* _i_ `c` :tada:", "https://evil.example", "\n\n\n\n\n\n\nx", strings.Repeat("long ", 40), strings.Repeat("<", 90),
	strings.Repeat("👍", 60), strings.Repeat("x", 3100), "\x00\x1b", "none", "o0", "null",
}

// schemaMaker makes random schemas, most of them fine.
type schemaMaker struct{ *rand.Rand }

func (m schemaMaker) text() string { return nasty[m.IntN(len(nasty))] }

func (m schemaMaker) maybe(s map[string]any, name string, v any) {
	if m.IntN(3) == 0 {
		s[name] = v
	}
}

func (m schemaMaker) values() []any {
	n := 1 + m.IntN(12)
	if m.IntN(8) == 0 {
		n = 90 + m.IntN(60)
	}
	out := []any{}
	for i := range n {
		switch m.IntN(6) {
		case 0:
			out = append(out, m.text())
		case 1:
			out = append(out, i)
		default:
			out = append(out, fmt.Sprintf("%s %d", m.text(), i))
		}
	}
	return out
}

func (m schemaMaker) titled() []any {
	out := []any{}
	for _, v := range m.values() {
		out = append(out, map[string]any{"const": v, "title": m.text(), "description": m.text()})
	}
	return out
}

func (m schemaMaker) property() map[string]any {
	s := map[string]any{}
	m.maybe(s, "title", m.text())
	m.maybe(s, "description", strings.Repeat(m.text(), 1+m.IntN(3)))
	m.maybe(s, "default", []any{m.text(), m.IntN(9), true, []any{"a"}, nil, 1.5, "2026-12-01", "2026-12-01T10:00:00Z"}[m.IntN(8)])
	switch m.IntN(8) {
	case 0:
		s["type"] = "string"
		m.maybe(s, "minLength", m.IntN(5))
		m.maybe(s, "maxLength", m.IntN(200))
		m.maybe(s, "pattern", []string{"^a", "[0-9]+", "(", `^\p{L}*$`}[m.IntN(4)])
		m.maybe(s, "format", []string{"email", "uri", "date", "date-time", "uuid", "what"}[m.IntN(6)])
	case 1:
		s["type"] = []string{"integer", "number"}[m.IntN(2)]
		m.maybe(s, "minimum", m.IntN(10)-5)
		m.maybe(s, "maximum", m.Float64()*20)
		m.maybe(s, "exclusiveMinimum", m.IntN(5))
		m.maybe(s, "multipleOf", []any{0.5, 2, 0.1}[m.IntN(3)])
	case 2:
		s["type"] = "boolean"
	case 3:
		s["enum"] = m.values()
	case 4:
		s["oneOf"] = m.titled()
	case 5, 6:
		s["type"] = "array"
		s["items"] = []any{map[string]any{"enum": m.values()}, map[string]any{"anyOf": m.titled()}}[m.IntN(2)]
		m.maybe(s, "minItems", m.IntN(3))
		m.maybe(s, "maxItems", m.IntN(4))
	case 7:
		s["const"] = []any{m.text(), m.IntN(5), true}[m.IntN(3)]
	}
	return m.wrapped(s)
}

// wrapped is s in one of the forms that real servers give it, or spoilt.
func (m schemaMaker) wrapped(s map[string]any) map[string]any {
	switch m.IntN(24) {
	case 0:
		return map[string]any{"anyOf": []any{s, map[string]any{"type": "null"}}, "title": m.text()}
	case 1:
		return map[string]any{"allOf": []any{s}, "description": m.text()}
	case 2:
		return map[string]any{"$ref": "#/$defs/shared", "title": m.text()}
	case 3:
		if t, ok := s["type"].(string); ok {
			s["type"] = []any{"null", t}
		}
	case 4: // near-legal: a keyword with a value that it cannot have
		for _, k := range slices.Sorted(maps.Keys(s)) {
			s[k] = []any{nil, m.text(), -1, []any{}, map[string]any{}, 1e300, true}[m.IntN(7)]
			break
		}
	}
	return s
}

func (m schemaMaker) schema() json.RawMessage {
	var b bytes.Buffer
	b.WriteString(`{"type":"object","properties":{`)
	n := m.IntN(8)
	switch m.IntN(40) {
	case 0:
		n = 80 + m.IntN(16)
	case 1:
		n = 96 + m.IntN(100)
	}
	required := []string{}
	for i := range n {
		name := fmt.Sprintf("%s%d", m.text(), i)
		key, _ := json.Marshal(name)
		value, _ := json.Marshal(m.property())
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "%s:%s", key, value)
		if m.IntN(2) == 0 {
			required = append(required, name)
		}
	}
	names, _ := json.Marshal(required)
	shared, _ := json.Marshal(map[string]any{"type": "string", "enum": m.values()})
	fmt.Fprintf(&b, `},"required":%s,"$defs":{"shared":%s}}`, names, shared)
	return b.Bytes()
}

// state fills the inputs of a form at random, as they are on show or not.
func (m schemaMaker) state(in []input) json.RawMessage {
	values := map[string]any{}
	for _, i := range in {
		if m.IntN(5) == 0 {
			continue
		}
		id := func() string { return fmt.Sprintf("o%d", m.IntN(4)) }
		var e map[string]any
		switch i.typ() {
		case "datepicker":
			e = day([]string{"2026-12-01", "2026-02-30", ""}[m.IntN(3)])
		case "datetimepicker":
			e = moment(m.Int64N(4_000_000_000))
		case "checkboxes", "multi_static_select", "multi_external_select":
			e = pickedAll([]string{id(), id(), id()}[:m.IntN(4)]...)
		case "radio_buttons", "static_select", "external_select":
			e = []map[string]any{picked(id()), notPicked(), picked("none")}[m.IntN(3)]
		case "number_input":
			e = typed([]string{"1", "2.5", "-3", "1e2", "007", "x", ""}[m.IntN(7)])
		default:
			e = []map[string]any{typed(m.text()), typed("ann@example.com"), typed("https://example.com"), typed("abc"), untouched()}[m.IntN(5)]
		}
		values[i.BlockID] = map[string]any{"v": e}
	}
	raw, _ := json.Marshal(map[string]any{"values": values})
	return raw
}

// drawEverything draws all that can be drawn of a form, each through Slack's
// rules, and returns its inputs.
func drawEverything(t testing.TB, f *blockkit.Form, message string) []input {
	t.Helper()
	var in []input
	for page := range f.Pages(message) {
		v := formView(message)
		v.Page = page
		in = append(in, inputsOf(t, viewJSON(t, f.Modal(v)))...)
		v.Visit, v.Reader.Language = page+1, blockkit.SimplifiedChinese
		viewJSON(t, f.Modal(v))
	}
	messageJSON(t, card(message, f).Open())
	for i := range f.FieldNames() {
		for _, text := range []string{"", "a"} {
			optionsJSON(t, f.Search(fmt.Sprintf("f%d", i), text, blockkit.English))
		}
	}
	seen := map[string]bool{}
	for _, l := range f.Labels() {
		if seen[l] {
			t.Errorf("two fields are labelled %q", l)
		}
		seen[l] = true
	}
	for _, c := range f.Choices() {
		if !fitsSchema(f, c.Content) {
			t.Errorf("choice %s is not valid", c.Content)
		}
	}
	return in
}

// schemas remembers the schema of a form for fitsSchema.
var schemas = map[*blockkit.Form]json.RawMessage{}

func parseAny(t testing.TB, schema json.RawMessage) (*blockkit.Form, bool) {
	t.Helper()
	f, err := blockkit.ParseForm(schema)
	if err == nil {
		clear(schemas)
		schemas[f] = schema
		return f, true
	}
	var malformed *elicit.InvalidParamsError
	var cannot *blockkit.UnrenderableError
	if !errors.As(err, &malformed) && !errors.As(err, &cannot) {
		t.Errorf("ParseForm(%s): %v, want one of the two kinds of errors", schema, err)
	}
	return nil, false
}

type ecma struct {
	*regexp2.Regexp
}

func (e ecma) MatchString(s string) bool { ok, err := e.Regexp.MatchString(s); return ok || err != nil }

// fitsSchema validates content with the library alone. Schemas that it cannot
// compile fit everything.
func fitsSchema(f *blockkit.Form, content json.RawMessage) bool {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(schemas[f]))
	if err != nil {
		return true
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	c.UseRegexpEngine(func(s string) (jsonschema.Regexp, error) {
		re, err := regexp2.Compile(s, regexp2.ECMAScript|regexp2.Unicode)
		if err != nil {
			if re, err = regexp2.Compile(s, regexp2.ECMAScript); err != nil {
				re = regexp2.MustCompile("", regexp2.None)
			}
		}
		re.MatchTimeout = time.Second
		return ecma{re}, nil
	})
	if c.AddResource("mem://schema.json", doc) != nil {
		return true
	}
	schema, err := c.Compile("mem://schema.json")
	if err != nil {
		return true
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(content))
	return err == nil && schema.Validate(value) == nil
}

// checkAnswer holds Answer to its promise.
func checkAnswer(t testing.TB, f *blockkit.Form, in []input, state json.RawMessage) (accepted bool) {
	t.Helper()
	content, errs := f.Answer(state, blockkit.Reader{})
	known := map[string]bool{}
	for _, i := range in {
		known[i.BlockID] = true
	}
	switch {
	case (content == nil) == (len(errs) == 0):
		t.Errorf("content %s and errors %v", content, errs)
	case content != nil && !fitsSchema(f, content):
		t.Errorf("accepted %s, which is not valid under %s", content, schemas[f])
	}
	for id, e := range errs {
		if n := utf8.RuneCountInString(e); !known[id] || n == 0 || n > 150 {
			t.Errorf("error %q at %q", e, id)
		}
	}
	return content != nil
}

func TestProperty_RandomFormsKeepSlacksRulesAndTheirSchema(t *testing.T) {
	m := schemaMaker{rand.New(rand.NewPCG(1, 2))}
	drawn, accepted := 0, 0
	rounds := 2000
	if testing.Short() || underRace {
		rounds = 200
	}
	for range rounds {
		schema := m.schema()
		drawArguments(t, schema)
		f, ok := parseAny(t, schema)
		if !ok {
			continue
		}
		drawn++
		in := drawEverything(t, f, strings.Repeat(m.text(), 1+m.IntN(40)))
		for range 3 {
			if checkAnswer(t, f, in, m.state(in)) {
				accepted++
			}
		}
		if t.Failed() {
			t.Fatalf("with the schema %s", schemas[f])
		}
	}
	if drawn < rounds/4 || accepted < rounds/4 {
		t.Errorf("%d forms and %d accepted answers are too few to mean anything", drawn, accepted)
	}
}

// drawArguments draws the form for a tool with such an inputSchema, and the
// same again filled with random arguments.
func drawArguments(t testing.TB, schema json.RawMessage) {
	t.Helper()
	f, err := blockkit.ParseArguments(schema)
	if err != nil {
		return
	}
	given := f.Given(json.RawMessage(`{"a0":"x","b1":[1,{"c":null}],"0":5,"Title2":true}`))
	for page := range f.Pages("") {
		for _, d := range []blockkit.Draft{nil, given} {
			viewJSON(t, f.ArgumentsModal(blockkit.ArgumentsView{ID: "f1", User: ann, Server: "deploy", Tool: "t", Page: page, Draft: d}))
		}
	}
}

func FuzzParseForm(f *testing.F) {
	for _, s := range []string{deployForm, hostileForm, `{"properties":{"x":{"$ref":"#"}}}`, `{"properties":{"x":{"anyOf":[{"type":"null"},{"enum":[1,1.0]}]}}}`, `{"type":"object","minProperties":1}`} {
		f.Add(s, "a question")
	}
	f.Fuzz(func(t *testing.T, schema, message string) {
		drawArguments(t, json.RawMessage(schema))
		form, ok := parseAny(t, json.RawMessage(schema))
		if !ok {
			return
		}
		params, err := json.Marshal(map[string]any{"message": message, "requestedSchema": json.RawMessage(schema)})
		if err != nil {
			return
		}
		if _, err := blockkit.Parse(params, elicit.EraBlocking); err == nil {
			drawEverything(t, form, message)
		}
	})
}

func FuzzAnswer(f *testing.F) {
	f.Add(deployForm, `{"values":{"f0":{"v":{"selected_option":{"value":"o1"}}},"f1":{"v":{"value":"x"}},"f8":{"v":{"selected_options":[{"value":"o0"}]}},"f11":{"v":{"selected_option":{"value":"o0"}}}}}`)
	f.Add(object(`{"n":{"type":"number","multipleOf":0.1}}`, "n"), `{"values":{"f0":{"v":{"value":"0.30"}}}}`)
	f.Add(object(`{"d":{"type":"string","format":"date-time"}}`, "d"), `{"values":{"f0":{"v":{"selected_date_time":1793889000}}}}`)
	f.Add(object(`{"s":{"type":"string","pattern":"^(a|b)*$","minLength":2}}`), `{"values":[]}`)
	f.Fuzz(func(t *testing.T, schema, state string) {
		if form, ok := parseAny(t, json.RawMessage(schema)); ok {
			checkAnswer(t, form, drawEverything(t, form, "?"), json.RawMessage(state))
		}
	})
}
