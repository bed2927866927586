package blockkit_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/slackbridge/slackbridge/blockkit"
)

func TestElement_FollowsTheTypeTable(t *testing.T) {
	for _, tt := range []struct {
		name, schema string
		required     bool
		want         string // the element's JSON
		optional     bool
	}{
		{"text", `{"type":"string"}`, true, `{"type":"plain_text_input","action_id":"v","max_length":3000}`, false},
		{"short text", `{"type":"string","minLength":2,"maxLength":40}`, true, `{"type":"plain_text_input","action_id":"v","min_length":2,"max_length":80}`, false},
		{"optional text is not forced to its least length", `{"type":"string","minLength":2,"maxLength":40}`, false, `{"type":"plain_text_input","action_id":"v","max_length":80}`, true},
		{"long text", `{"type":"string","maxLength":151}`, true, `{"type":"plain_text_input","action_id":"v","max_length":302,"multiline":true}`, false},
		{"text of unknown length with a long default", `{"type":"string","default":"` + strings.Repeat("x", 81) + `"}`, true, `{"type":"plain_text_input","action_id":"v","max_length":3000,"multiline":true,"initial_value":"` + strings.Repeat("x", 81) + `"}`, false},
		{"text with lines", `{"type":"string","maxLength":20,"default":"a\nb"}`, true, `{"type":"plain_text_input","action_id":"v","max_length":40,"multiline":true,"initial_value":"a\nb"}`, false},
		{"email", `{"type":"string","format":"email","default":"ann@example.com"}`, true, `{"type":"email_text_input","action_id":"v","initial_value":"ann@example.com"}`, false},
		{"uri", `{"type":"string","format":"uri","default":"https://example.com/a"}`, true, `{"type":"url_text_input","action_id":"v","initial_value":"https://example.com/a"}`, false},
		{"date", `{"type":"string","format":"date","default":"2026-12-01"}`, true, `{"type":"datepicker","action_id":"v","initial_date":"2026-12-01"}`, false},
		{"date-time", `{"type":"string","format":"date-time","default":"2026-11-05T15:30:00+01:00"}`, true, `{"type":"datetimepicker","action_id":"v","initial_date_time":1793889000}`, false},
		{"integer", `{"type":"integer","minimum":0,"maximum":5,"default":2}`, true, `{"type":"number_input","action_id":"v","is_decimal_allowed":false,"min_value":"0","max_value":"5","initial_value":"2"}`, false},
		{"integer within fractions", `{"type":"integer","minimum":0.5,"exclusiveMaximum":5}`, true, `{"type":"number_input","action_id":"v","is_decimal_allowed":false,"min_value":"1","max_value":"4"}`, false},
		{"number", `{"type":"number","minimum":-0.5,"maximum":1e3,"default":0.10}`, true, `{"type":"number_input","action_id":"v","is_decimal_allowed":true,"min_value":"-0.5","max_value":"1000","initial_value":"0.10"}`, false},
		{"boolean with default true", `{"type":"boolean","default":true}`, true, `{"type":"checkboxes","action_id":"v","options":[` + opt("o0", "Yes") + `],"initial_options":[` + opt("o0", "Yes") + `]}`, true},
		{"boolean with default false", `{"type":"boolean","default":false}`, false, `{"type":"checkboxes","action_id":"v","options":[` + opt("o0", "Yes") + `]}`, true},
		{"boolean", `{"type":"boolean"}`, true, `{"type":"radio_buttons","action_id":"v","options":[` + opt("o0", "Yes") + `,` + opt("o1", "No") + `]}`, false},
		{"optional boolean", `{"type":"boolean"}`, false, `{"type":"radio_buttons","action_id":"v","options":[` + opt("o0", "Yes") + `,` + opt("o1", "No") + `,` + opt("none", "No answer") + `]}`, true},
		{"enum", `{"type":"string","enum":["a","b"],"default":"b"}`, true, `{"type":"radio_buttons","action_id":"v","options":[` + opt("o0", "a") + `,` + opt("o1", "b") + `],"initial_option":` + opt("o1", "b") + `}`, false},
		{"titled enum", `{"type":"string","oneOf":[{"const":"a","title":"Alpha"},{"const":"b","title":"Beta"}]}`, true, `{"type":"radio_buttons","action_id":"v","options":[` + opt("o0", "Alpha") + `,` + opt("o1", "Beta") + `]}`, false},
		{"legacy titled enum", `{"type":"string","enum":["a","b"],"enumNames":["Alpha","Beta"]}`, true, `{"type":"radio_buttons","action_id":"v","options":[` + opt("o0", "Alpha") + `,` + opt("o1", "Beta") + `]}`, false},
		{"numeric enum", `{"type":"integer","enum":[1,20]}`, true, `{"type":"radio_buttons","action_id":"v","options":[` + opt("o0", "1") + `,` + opt("o1", "20") + `]}`, false},
		{"several", `{"type":"array","items":{"type":"string","enum":["a","b"]},"minItems":1}`, true, `{"type":"checkboxes","action_id":"v","options":[` + opt("o0", "a") + `,` + opt("o1", "b") + `]}`, false},
		{"several with a most", `{"type":"array","items":{"type":"string","enum":["a","b"]},"maxItems":1,"default":["b"]}`, true, `{"type":"multi_static_select","action_id":"v","options":[` + opt("o0", "a") + `,` + opt("o1", "b") + `],"initial_options":[` + opt("o1", "b") + `],"max_selected_items":1}`, true},
		{"titled several", `{"type":"array","items":{"anyOf":[{"const":"a","title":"Alpha"},{"const":"b","title":"Beta"}]}}`, false, `{"type":"checkboxes","action_id":"v","options":[` + opt("o0", "Alpha") + `,` + opt("o1", "Beta") + `]}`, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			schema := object(`{"x":` + tt.schema + `}`)
			if tt.required {
				schema = object(`{"x":`+tt.schema+`}`, "x")
			}
			in := onlyInput(t, parse(t, schema))
			var want map[string]any
			if err := json.Unmarshal([]byte(tt.want), &want); err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(want, in.Element); d != "" {
				t.Errorf("element (-want +got):\n%s", d)
			}
			if in.Optional != tt.optional {
				t.Errorf("optional %v, want %v", in.Optional, tt.optional)
			}
		})
	}
}

// opt is an option as Slack gets it.
func opt(id, label string) string {
	return fmt.Sprintf(`{"text":{"type":"plain_text","text":%q,"emoji":false},"value":%q}`, label, id)
}

// enum is a schema of n values h000, h001, …
func enum(n int) string {
	var values []string
	for i := range n {
		values = append(values, fmt.Sprintf(`"h%03d"`, i))
	}
	return `"enum":[` + strings.Join(values, ",") + `]`
}

func TestElement_OfAChoiceDependsOnHowManyThereAre(t *testing.T) {
	for _, tt := range []struct {
		schema   string
		required bool
		want     string
		options  int
	}{
		{`{"type":"string",` + enum(5) + `}`, true, "radio_buttons", 5},
		{`{"type":"string",` + enum(5) + `}`, false, "radio_buttons", 6},
		{`{"type":"string",` + enum(6) + `}`, true, "static_select", 6},
		{`{"type":"string",` + enum(99) + `}`, false, "static_select", 100},
		{`{"type":"string",` + enum(100) + `}`, true, "static_select", 100},
		{`{"type":"string",` + enum(100) + `}`, false, "external_select", 0},
		{`{"type":"string",` + enum(101) + `}`, true, "external_select", 0},
		{`{"type":"array","items":{"type":"string",` + enum(10) + `}}`, false, "checkboxes", 10},
		{`{"type":"array","items":{"type":"string",` + enum(11) + `}}`, false, "multi_static_select", 11},
		{`{"type":"array","items":{"type":"string",` + enum(3) + `},"maxItems":2}`, false, "multi_static_select", 3},
		{`{"type":"array","items":{"type":"string",` + enum(100) + `}}`, false, "multi_static_select", 100},
		{`{"type":"array","items":{"type":"string",` + enum(101) + `}}`, false, "multi_external_select", 0},
	} {
		schema := object(`{"x":` + tt.schema + `}`)
		if tt.required {
			schema = object(`{"x":`+tt.schema+`}`, "x")
		}
		in := onlyInput(t, parse(t, schema))
		if got := in.typ(); got != tt.want || len(in.optionLabels()) != tt.options {
			t.Errorf("%.60s… required %v: %s of %d options, want %s of %d", tt.schema, tt.required, got, len(in.optionLabels()), tt.want, tt.options)
		}
		if in.typ() == "external_select" && in.Element["min_query_length"] != float64(0) {
			t.Errorf("min_query_length %v, want 0", in.Element["min_query_length"])
		}
	}
}

func TestAnswer_HoldsExactValues(t *testing.T) {
	five := time.Date(2026, 11, 5, 14, 30, 0, 0, time.UTC).Unix()
	for _, tt := range []struct {
		name, schema string
		entry        map[string]any
		want         string // the value
	}{
		{"text as typed", `{"type":"string"}`, typed(" a <b> & \"c\"\n "), `" a <b> & \"c\"\n "`},
		{"email without the space of a phone", `{"type":"string","format":"email"}`, typed("ann@example.com "), `"ann@example.com"`},
		{"uri", `{"type":"string","format":"uri"}`, typed("https://example.com/?q=1&r=2"), `"https://example.com/?q=1&r=2"`},
		{"date", `{"type":"string","format":"date"}`, day("2026-12-01"), `"2026-12-01"`},
		{"date-time", `{"type":"string","format":"date-time"}`, moment(five), `"2026-11-05T14:30:00Z"`},
		{"yes", `{"type":"boolean"}`, picked("o0"), `true`},
		{"no is an answer", `{"type":"boolean"}`, picked("o1"), `false`},
		{"ticked", `{"type":"boolean","default":false}`, pickedAll("o0"), `true`},
		{"unticked", `{"type":"boolean","default":true}`, pickedAll(), `false`},
		{"enum", `{"type":"string","enum":["R&D","<none>"]}`, picked("o1"), `"<none>"`},
		{"number of an enum keeps its digits", `{"type":"number","enum":[1.50,2]}`, picked("o0"), `1.50`},
		{"boolean of an enum", `{"enum":[true,"maybe"]}`, picked("o0"), `true`},
		{"const and title", `{"type":"string","oneOf":[{"const":"a","title":"A"},{"const":"b","title":"B"}]}`, picked("o1"), `"b"`},
		{"several in schema order", `{"type":"array","items":{"type":"string","enum":["a","b","c"]}}`, pickedAll("o2", "o0"), `["a","c"]`},
		{"numbers of a list", `{"type":"array","items":{"type":"integer","enum":[30,10]}}`, pickedAll("o1", "o0"), `[30,10]`},
		{"none of a required list", `{"type":"array","items":{"type":"string","enum":["a"]}}`, pickedAll(), `[]`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			wantContent(t, parse(t, object(`{"x":`+tt.schema+`}`, "x")), `{"x":`+tt.want+`}`, tt.entry)
		})
	}
}

func TestAnswer_NumbersKeepTheirDigits(t *testing.T) {
	for _, tt := range []struct{ typed, number, integer string }{
		{"42", "42", "42"},
		{" 7 ", "7", "7"},
		{"+5", "5", "5"},
		{"007", "7", "7"},
		{"-0", "0", "0"},
		{"0", "0", "0"},
		{"-12", "-12", "-12"},
		{"-012", "-12", "-12"},
		{"3.0", "3.0", "3"},
		{"1e3", "1e3", "1000"},
		{"1.5E+1", "1.5e+1", "15"},
		{".5", "0.5", ""},
		{"-.5", "-0.5", ""},
		{"0.25", "0.25", ""},
		{"007.50", "7.50", ""},
		{"0.1000000000000000055", "0.1000000000000000055", ""},
		{"12345678901234567890", "12345678901234567890", "12345678901234567890"},
		{"-9007199254740993", "-9007199254740993", "-9007199254740993"},
		{"42xyz", "", ""},
		{"０７", "", ""},
		{"1,5", "", ""},
		{"1 000", "", ""},
		{"5.", "", ""},
		{".", "", ""},
		{"-", "", ""},
		{"0x10", "", ""},
		{"NaN", "", ""},
		{"Infinity", "", ""},
		{"1e", "", ""},
		{"--1", "", ""},
		{"1e999999999", "", ""},
		{"1_000", "", ""},
	} {
		for typ, want := range map[string]string{"number": tt.number, "integer": tt.integer} {
			f := parse(t, object(`{"n":{"type":"`+typ+`"}}`, "n"))
			if want == "" {
				wantError(t, f, "Please enter a", typed(tt.typed))
			} else {
				wantContent(t, f, `{"n":`+want+`}`, typed(tt.typed))
			}
		}
	}
}

func TestAnswer_ChecksEveryConstraintAtItsField(t *testing.T) {
	for _, tt := range []struct {
		schema string
		entry  map[string]any
		want   string // part of the error; empty when it must pass
	}{
		{`{"type":"string","minLength":3}`, typed("ab"), "at least 3 characters"},
		{`{"type":"string","maxLength":3}`, typed("abcd"), "at most 3 characters"},
		{`{"type":"string","minLength":2,"maxLength":2}`, typed("👍👍"), ""},
		{`{"type":"string","maxLength":1}`, typed("👍👍"), "at most 1 character;"},
		{`{"type":"string","pattern":"^[a-z]+$"}`, typed("abc1"), "^[a-z]+$"},
		{`{"type":"string","pattern":"b"}`, typed("abc"), ""},
		{`{"type":"string","pattern":"^(?=.*[0-9])[a-z0-9]+$"}`, typed("abc"), "matches"},
		{`{"type":"string","pattern":"^(?=.*[0-9])[a-z0-9]+$"}`, typed("abc1"), ""},
		{`{"type":"string","pattern":"^\\p{Lu}"}`, typed("Éa"), ""},
		{`{"type":"string","pattern":"^\\d+$"}`, typed("٣"), "matches"},
		{`{"type":"string","pattern":"("}`, typed("anything"), ""},
		{`{"type":"string","format":"email"}`, typed("ann@"), "email address"},
		{`{"type":"string","format":"uri"}`, typed("example.com/a"), "full URL"},
		{`{"type":"string","format":"uuid"}`, typed("12"), "valid uuid"},
		{`{"type":"string","format":"time"}`, typed("10:30"), "such as 10:30:00Z"},
		{`{"type":"string","format":"no-such-format"}`, typed("12"), ""},
		{`{"type":"string","format":"date"}`, day("2026-02-30"), "choose a date"},
		{`{"type":"string","format":"date-time"}`, moment(1 << 60), "date and a time"},
		{`{"type":"integer"}`, typed("1.5"), "whole number"},
		{`{"type":"integer","minimum":1,"maximum":5}`, typed("6"), "from 1 to 5"},
		{`{"type":"number","minimum":0}`, typed("-0.1"), "of at least 0"},
		{`{"type":"number","exclusiveMinimum":0}`, typed("0"), "greater than 0"},
		{`{"type":"number","exclusiveMaximum":1}`, typed("1.0"), "less than 1"},
		{`{"type":"number","maximum":12345678901234567890}`, typed("12345678901234567891"), "at most"},
		{`{"type":"number","multipleOf":0.1}`, typed("0.3"), ""},
		{`{"type":"number","multipleOf":0.1}`, typed("0.35"), "multiple of 0.1"},
		{`{"type":"array","minItems":2,"items":{"enum":["a","b","c"]}}`, pickedAll("o0"), "at least 2"},
		{`{"type":"array","maxItems":2,"items":{"enum":["a","b","c"]}}`, pickedAll("o0", "o1", "o2"), "at most 2"},
	} {
		f := parse(t, object(`{"x":`+tt.schema+`}`, "x"))
		inputs(t, f)
		if tt.want != "" {
			wantError(t, f, tt.want, tt.entry)
		} else if _, errs := f.Answer(state(t, tt.entry), blockkit.Reader{}); len(errs) > 0 {
			t.Errorf("%s with %v: %v, want it taken", tt.schema, tt.entry, errs)
		}
	}
}

func TestAnswer_NamesAllErrorsAtOnce(t *testing.T) {
	f := parse(t, object(`{"a":{"type":"string"},"b":{"type":"integer"},"c":{"type":"boolean"},"d":{"type":"string"}}`, "a", "b", "c"))
	content, errs := f.Answer(state(t, untouched(), typed("x"), notPicked(), typed("fine")), blockkit.Reader{})
	want := map[string]string{
		"f0": "Please fill in this field.",
		"f1": "Please enter a whole number, such as 12.",
		"f2": "Please choose one of the options.",
	}
	if d := cmp.Diff(want, errs); d != "" || content != nil {
		t.Errorf("errors (-want +got):\n%s\ncontent %s", d, content)
	}
}

func TestAnswer_DateTimeHasTheOffsetOfThePersonAtThatInstant(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	f := parse(t, object(`{"at":{"type":"string","format":"date-time"}}`, "at"))
	for at, want := range map[time.Time]string{
		time.Date(2026, 7, 1, 10, 0, 0, 0, time.UTC):  "2026-07-01T12:00:00+02:00",
		time.Date(2026, 12, 1, 10, 0, 0, 0, time.UTC): "2026-12-01T11:00:00+01:00",
	} {
		content, errs := f.Answer(state(t, moment(at.Unix())), blockkit.Reader{Zone: berlin})
		if string(content) != `{"at":"`+want+`"}` {
			t.Errorf("%v: %s %v, want %s", at, content, errs, want)
		}
	}
	if hint := onlyInput(t, f).Hint; !strings.Contains(hint, "UTC") {
		t.Errorf("hint %q does not name the zone", hint)
	}
}

func TestAnswer_OptionalSingleChoiceCanBeTakenBack(t *testing.T) {
	f := parse(t, object(`{"x":{"type":"string","enum":["a","b"]}}`))
	wantContent(t, f, `{}`, picked("none"))
	wantContent(t, f, `{}`, notPicked())
	wantContent(t, f, `{"x":"b"}`, picked("o1"))
	required := parse(t, object(`{"x":{"type":"string","enum":["a","b"]}}`, "x"))
	wantError(t, required, "not among the options", picked("none"))
}

func TestAnswer_EmptiedDefaultOfAListIsNoAnswerUnlessOneIsRequired(t *testing.T) {
	f := parse(t, object(`{"x":{"type":"array","items":{"enum":["a","b"]},"default":["a"]}}`))
	wantContent(t, f, `{}`, pickedAll())
	required := parse(t, object(`{"x":{"type":"array","items":{"enum":["a","b"]},"default":["a"]}}`, "x"))
	wantContent(t, required, `{"x":[]}`, pickedAll())
}

func TestAnswer_ConstIsShownAndSent(t *testing.T) {
	f := parse(t, object(`{"kind":{"const":"deploy","title":"Kind"},"n":{"type":"integer"}}`))
	raw := string(viewJSON(t, f.Modal(formView("?"))))
	if !strings.Contains(raw, `"Kind"`) || !strings.Contains(raw, `"deploy"`) {
		t.Errorf("the constant is not shown: %s", raw)
	}
	if in := onlyInput(t, f); in.BlockID != "f1" {
		t.Errorf("the input is %s, want f1", in.BlockID)
	}
	content, errs := f.Answer(state(t, nil, typed("3")), blockkit.Reader{})
	if string(content) != `{"kind":"deploy","n":3}` {
		t.Errorf("Answer: %s %v", content, errs)
	}
	if f.FirstBlockID() != "f1" {
		t.Errorf("FirstBlockID %q, want f1", f.FirstBlockID())
	}
}

func TestAnswer_ContentIsInSchemaOrder(t *testing.T) {
	f := parse(t, object(`{"z":{"type":"string"},"__proto__":{"type":"string"},"a b":{"type":"string"}}`))
	wantContent(t, f, `{"z":"1","__proto__":"2","a b":"3"}`, typed("1"), typed("2"), typed("3"))
	if d := cmp.Diff([]string{"z", "__proto__", "a b"}, f.FieldNames()); d != "" {
		t.Errorf("FieldNames (-want +got):\n%s", d)
	}
}

func TestAnswer_WholeSchemaIsTheLastWord(t *testing.T) {
	f := parse(t, `{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},"minProperties":2}`)
	wantError(t, f, "not what the server asks for", typed("x"), untouched())
	g := parse(t, `{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},"dependentRequired":{"b":["a"]}}`)
	wantError(t, g, "not what the server asks for", untouched(), typed("x"))
	wantContent(t, g, `{"a":"y","b":"x"}`, typed("y"), typed("x"))
}

func TestSchema_EqualValuesAreOneChoice(t *testing.T) {
	f := parse(t, object(`{"x":{"enum":["a","b","a",1,1.0,"1"]}}`, "x"))
	if d := cmp.Diff([]string{"a", "b", "1 #3", "1 #4"}, onlyInput(t, f).optionLabels()); d != "" {
		t.Errorf("options (-want +got):\n%s", d)
	}
	wantContent(t, f, `{"x":1}`, picked("o2"))
	wantContent(t, f, `{"x":"1"}`, picked("o3"))
}

func TestSchema_AHugeListIsReadInTime(t *testing.T) {
	f := parse(t, object(`{"x":{`+enum(50_000)+`,"default":"h49999"}}`, "x"))
	wantContent(t, f, `{"x":"h49999"}`, picked("o49999"))
}

func TestDefault_PrefillsOnlyWhenValid(t *testing.T) {
	for _, schema := range []string{
		`{"type":"string","default":7}`,
		`{"type":"string","maxLength":3,"default":"four"}`,
		`{"type":"string","pattern":"^a","default":"b"}`,
		`{"type":"string","default":"pay\u202Eto"}`,
		`{"type":"string","default":"` + strings.Repeat("x", 3001) + `"}`,
		`{"type":"string","format":"email","default":"nobody"}`,
		`{"type":"string","format":"uri","default":"/relative"}`,
		`{"type":"string","format":"date","default":"1 May"}`,
		`{"type":"string","format":"date-time","default":"1985-01-01T00:00:00Z"}`,
		`{"type":"string","format":"date-time","default":"2026-11-05"}`,
		`{"type":"integer","default":1.5}`,
		`{"type":"integer","default":"5"}`,
		`{"type":"integer","maximum":3,"default":5}`,
		`{"type":"string","enum":["a","b"],"default":"z"}`,
		`{"type":"integer","enum":[1,2],"default":"1"}`,
		`{"type":"array","items":{"enum":["a","b"]},"default":["a","z"]}`,
		`{"type":"array","items":{"enum":["a","b"]},"default":["a","a"]}`,
		`{"type":"array","items":{"enum":["a","b"]},"maxItems":1,"default":["a","b"]}`,
		`{"type":"boolean","default":"true"}`,
	} {
		in := onlyInput(t, parse(t, object(`{"x":`+schema+`}`, "x")))
		for name := range in.Element {
			if strings.HasPrefix(name, "initial") {
				t.Errorf("%.80s prefills %s: %v", schema, name, in.Element[name])
			}
		}
	}
}

func TestSchema_ToleratesWhatRealServersSend(t *testing.T) {
	for _, tt := range []struct{ name, schema, element string }{
		{"anyOf with null", `{"anyOf":[{"type":"integer"},{"type":"null"}],"title":"X","default":null}`, "number_input"},
		{"oneOf with null", `{"oneOf":[{"type":"null"},{"type":"string","format":"email"}]}`, "email_text_input"},
		{"type with null", `{"type":["string","null"]}`, "plain_text_input"},
		{"type list of one", `{"type":["boolean"]}`, "radio_buttons"},
		{"reference", `{"$ref":"#/$defs/Size"}`, "radio_buttons"},
		{"old definitions", `{"$ref":"#/definitions/Old"}`, "number_input"},
		{"allOf of one", `{"allOf":[{"$ref":"#/$defs/Size"}],"default":"m","title":"Your size"}`, "radio_buttons"},
		{"optional reference", `{"anyOf":[{"$ref":"#/$defs/Size"},{"type":"null"}]}`, "radio_buttons"},
		{"null among the values", `{"type":["string","null"],"enum":["a","b",null]}`, "radio_buttons"},
		{"null among the constants", `{"oneOf":[{"const":"a","title":"A"},{"const":null,"title":"Nothing"}]}`, "radio_buttons"},
		{"anyOf of constants", `{"anyOf":[{"const":"a"},{"const":"b"}]}`, "radio_buttons"},
		{"enum without a type", `{"enum":["a",1,true]}`, "radio_buttons"},
		{"list of references", `{"type":"array","items":{"$ref":"#/$defs/Size"}}`, "checkboxes"},
		{"unknown keywords", `{"type":"string","examples":["a"],"readOnly":false,"x-order":3}`, "plain_text_input"},
		{"names of another number", `{"enum":["a","b"],"enumNames":["A"]}`, "radio_buttons"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := parse(t, `{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","additionalProperties":false,
				"$defs":{"Size":{"type":"string","enum":["s","m"]}},"definitions":{"Old":{"type":"integer"}},
				"properties":{"x":`+tt.schema+`}}`)
			if got := onlyInput(t, f).typ(); got != tt.element {
				t.Errorf("%s, want %s", got, tt.element)
			}
		})
	}
	if f := parse(t, `{"type":"object"}`); !f.Empty() {
		t.Error("a schema without properties is not empty")
	}
}

func TestSchema_RefusesWhatAFormCannotAskAndNamesThePlace(t *testing.T) {
	for _, tt := range []struct{ schema, path string }{
		{`[]`, "requestedSchema"},
		{`null`, "requestedSchema"},
		{`{"type":"object"`, "requestedSchema"},
		{`{} {}`, "requestedSchema"},
		{`{"type":"array"}`, "requestedSchema.type"},
		{`{"properties":[]}`, "requestedSchema.properties"},
		{`{"properties":{"a":{"type":"string"}},"required":"a"}`, "requestedSchema.required"},
		{`{"properties":{"a":{"type":"string"}},"required":[1]}`, "requestedSchema.required[0]"},
		{`{"properties":{"a":{"type":"string"}},"required":["a","b"]}`, "requestedSchema.required[1]"},
		{`{"properties":{"a":{"type":"string"},"a":{"type":"integer"}}}`, "requestedSchema.properties.a"},
		{object(`{"x":true}`), "requestedSchema.properties.x"},
		{object(`{"x":{}}`), "requestedSchema.properties.x.type"},
		{object(`{"x":{"type":7}}`), "requestedSchema.properties.x.type"},
		{object(`{"x":{"type":"null"}}`), "requestedSchema.properties.x.type"},
		{object(`{"x":{"type":"file"}}`), "requestedSchema.properties.x.type"},
		{object(`{"x":{"type":["string","integer"]}}`), "requestedSchema.properties.x.type"},
		{object(`{"x":{"type":"object","properties":{}}}`), "requestedSchema.properties.x"},
		{object(`{"two words":{"type":"object"}}`), `requestedSchema.properties["two words"]`},
		{object(`{"x":{"type":"array"}}`), "requestedSchema.properties.x.items"},
		{object(`{"x":{"type":"array","items":{"type":"string"}}}`), "requestedSchema.properties.x.items"},
		{object(`{"x":{"type":"array","items":{"enum":[]}}}`), "requestedSchema.properties.x.items"},
		{object(`{"x":{"type":"array","items":{"enum":["a"]},"minItems":2}}`), "requestedSchema.properties.x.minItems"},
		{object(`{"x":{"type":"array","items":{"enum":["a"]},"minItems":1,"maxItems":0}}`), "requestedSchema.properties.x.minItems"},
		{object(`{"x":{"type":"array","items":{"enum":["a"]},"maxItems":-1}}`), "requestedSchema.properties.x.maxItems"},
		{object(`{"x":{"$ref":"https://example.com/s.json"}}`), "requestedSchema.properties.x.$ref"},
		{object(`{"x":{"$ref":"#/$defs/Nope"}}`), "requestedSchema.properties.x.$ref"},
		{object(`{"x":{"$ref":"#/properties/x"}}`), "requestedSchema.properties.x"},
		{object(`{"x":{"allOf":[{"type":"string"},{"minLength":1}]}}`), "requestedSchema.properties.x.allOf"},
		{object(`{"x":{"anyOf":[{"type":"string"},{"type":"integer"}]}}`), "requestedSchema.properties.x.anyOf[0]"},
		{object(`{"x":{"oneOf":[{"const":"a"},{"title":"B"}]}}`), "requestedSchema.properties.x.oneOf[1]"},
		{object(`{"x":{"type":"string","enum":"a"}}`), "requestedSchema.properties.x.enum"},
		{object(`{"x":{"type":"string","enum":["a",1]}}`), "requestedSchema.properties.x.enum[1]"},
		{object(`{"x":{"type":"integer","enum":[1.5]}}`), "requestedSchema.properties.x.enum[0]"},
		{object(`{"x":{"enum":[{}]}}`), "requestedSchema.properties.x.enum[0]"},
		{object(`{"x":{"const":[1]}}`), "requestedSchema.properties.x.const"},
		{object(`{"x":{"type":"string","const":1}}`), "requestedSchema.properties.x.const"},
		{object(`{"x":{"type":"string","minLength":-1}}`), "requestedSchema.properties.x.minLength"},
		{object(`{"x":{"type":"string","maxLength":"9"}}`), "requestedSchema.properties.x.maxLength"},
		{object(`{"x":{"type":"string","minLength":5,"maxLength":4}}`), "requestedSchema.properties.x.minLength"},
		{object(`{"x":{"type":"string","pattern":1}}`), "requestedSchema.properties.x.pattern"},
		{object(`{"x":{"type":"string","format":1}}`), "requestedSchema.properties.x.format"},
		{object(`{"x":{"type":"integer","minimum":"1"}}`), "requestedSchema.properties.x.minimum"},
		{object(`{"x":{"type":"integer","minimum":1e999999999}}`), "requestedSchema.properties.x.minimum"},
		{object(`{"x":{"type":"integer","minimum":0.2,"maximum":0.8}}`), "requestedSchema.properties.x"},
		{object(`{"x":{"type":"number","minimum":2,"maximum":1}}`), "requestedSchema.properties.x"},
		{object(`{"x":{"type":"number","multipleOf":0}}`), "requestedSchema.properties.x.multipleOf"},
		{`{"type":"object","minProperties":1}`, "requestedSchema"},
	} {
		_, err := blockkit.ParseForm(json.RawMessage(tt.schema))
		wantInvalid(t, tt.schema, err, tt.path)
	}
}

func TestSchema_NestedTooDeepIsRefused(t *testing.T) {
	_, err := blockkit.ParseForm(json.RawMessage(`{"$defs":` + strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000) + `}`))
	if err == nil || !strings.Contains(err.Error(), "nested") && !strings.Contains(err.Error(), "depth") {
		t.Errorf("error %v, want one about the depth", err)
	}
}

func TestSchema_WhatSlackCannotShowIsNotMalformed(t *testing.T) {
	var many []string
	for i := range 1001 {
		many = append(many, fmt.Sprintf(`"p%d":{"type":"string"}`, i))
	}
	for _, schema := range []string{
		object("{" + strings.Join(many, ",") + "}"),
		object(`{"x":{"type":"string","minLength":3001}}`),
		object(`{"x":{"type":"string","description":"` + strings.Repeat("long ", 5000) + `"}}`),
		object(`{"x":{"const":"` + strings.Repeat("long ", 5000) + `"},"y":{"type":"string"}}`),
	} {
		_, err := blockkit.ParseForm(json.RawMessage(schema))
		wantUnrenderable(t, err)
	}
	parse(t, object("{"+strings.Join(many[:1000], ",")+"}"))
}
