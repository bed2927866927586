package blockkit_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/slackbridge/slackbridge/blockkit"
)

func TestCase_O52_ErrorsOfALargeFormFitAnAcknowledgement(t *testing.T) {
	for _, pattern := range []string{strings.Repeat("生产", 60), strings.Repeat("<", 120), strings.Repeat(`\\\"`, 60)} {
		f := parse(t, manyFields(95, `{"type":"string","pattern":"^(`+pattern+`)$"}`))
		s := turn(t, f, "?", 0, 0, nil)
		_, errs := f.Answer(s.entered(t, named), blockkit.Reader{})
		if len(errs) != 95 {
			t.Fatalf("%d errors, want one at each field", len(errs))
		}
		raw, err := json.Marshal(errs)
		if err != nil {
			t.Fatal(err)
		}
		if len(raw) > 19_000 {
			t.Errorf("the errors weigh %d bytes; Slack drops an acknowledgement of 20,480", len(raw))
		}
		for id, e := range errs {
			if len(e) < 20 {
				t.Errorf("the error at %s says only %q", id, e)
			}
		}
	}
}

func TestAnswer_ErrorsCountAsTheStrictestReadingDoes(t *testing.T) {
	f := parse(t, `{"type":"object","properties":{"a":{"type":"string"},"`+strings.Repeat("😀", 30)+`":{"type":"string"}},"dependentRequired":{"a":["`+strings.Repeat("😀", 30)+`"]}}`)
	_, errs := f.Answer(state(t, typed("x"), untouched()), blockkit.Reader{})
	if len(errs) != 1 {
		t.Fatalf("errors %v", errs)
	}
	for _, e := range errs {
		n := 0
		for _, r := range e {
			n += len(string(r)+"xx") / 3 // 2 for what takes four bytes
		}
		if n > 150 {
			t.Errorf("%d UTF-16 units: %s", n, e)
		}
	}
}

// wantSoon fails when f takes so long that Slack would give up on us. It is far
// above what is needed and far below what an unbounded check takes.
func wantSoon(t *testing.T, what string, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() { defer close(done); f() }()
	select {
	case <-done:
	case <-time.After(20 * time.Second):
		t.Fatalf("%s does not come to an end", what)
	}
}

func TestForm_CatastrophicPatternsAreBoundedForTheWholeForm(t *testing.T) {
	schema := manyFields(95, `{"type":"string","pattern":"^(a+)+$","default":"`+strings.Repeat("a", 60)+`!"}`)
	wantSoon(t, "95 catastrophic patterns", func() {
		f := parse(t, schema)
		s := turn(t, f, "?", 0, 0, nil)
		for _, in := range s.inputs {
			if in.Element["initial_value"] != nil {
				t.Fatal("a default that could not be checked is prefilled")
			}
		}
		_, errs := f.Answer(s.entered(t, func(input) map[string]any { return typed(strings.Repeat("a", 60) + "!") }), blockkit.Reader{})
		if len(errs) != 95 {
			t.Errorf("%d errors", len(errs))
		}
	})
}

func TestForm_ReferencesThatUnfoldWithoutEndAreRefused(t *testing.T) {
	defs := []string{`"d0":{"minLength":1}`}
	for i := 1; i <= 40; i++ {
		defs = append(defs, fmt.Sprintf(`"d%d":{"allOf":[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}]}`, i, i-1, i-1))
	}
	schema := `{"type":"object","$defs":{` + strings.Join(defs, ",") + `},"properties":{"a":{"type":"boolean","not":{"not":{"$ref":"#/$defs/d40"}}}},"required":["a"]}`
	wantSoon(t, "the schema", func() {
		_, err := blockkit.ParseForm(json.RawMessage(schema))
		wantUnrenderable(t, err)
		if _, err := blockkit.ParseArguments(json.RawMessage(schema)); err == nil {
			t.Error("the same as inputSchema is not refused")
		}
		if _, err := blockkit.Arguments(json.RawMessage(schema), "a=true"); err != nil {
			t.Errorf("typed arguments are left to the server, not %v", err)
		}
	})
	parse(t, `{"$defs":{"a":{"$ref":"#/$defs/b"},"b":{"type":"string"},"c":{"anyOf":[{"$ref":"#/$defs/c"}]}},"properties":{"x":{"$ref":"#/$defs/a"},"y":{"$ref":"#/$defs/a"}}}`)
}

func TestNumber_WhatOtherProgramsCannotHoldIsAnError(t *testing.T) {
	f := parse(t, object(`{"n":{"type":"number"}}`, "n"))
	for _, s := range []string{"1e309", "-1e400", "1e-400", strings.Repeat("9", 310)} {
		wantError(t, f, "Please enter a number", typed(s))
	}
	for _, s := range []string{"1e308", "123456789012345678901234567890", "0.1", "1e-300"} {
		wantContent(t, f, `{"n":`+s+`}`, typed(s))
	}
	for _, schema := range []string{`{"x":{"const":1e400}}`, `{"x":{"type":"number","minimum":1e400}}`, `{"x":{"enum":[1,1e309]}}`} {
		if _, err := blockkit.ParseForm(json.RawMessage(object(schema))); err == nil || !strings.Contains(err.Error(), "out of range") {
			t.Errorf("%s: %v, want it out of range", schema, err)
		}
	}
}

func TestNumber_LongBoundsKeepTheirSize(t *testing.T) {
	f := parse(t, object(`{"n":{"type":"integer","minimum":`+"1"+strings.Repeat("0", 60)+`}}`, "n"))
	wantError(t, f, "≈1e+60", typed("5"))
}

func TestChoice_NoAnswerIsToldApartFromTheServersOwn(t *testing.T) {
	f := parse(t, object(`{"x":{"enum":["Yes","No answer"]},"y":{"enum":["no answer","Leave it open"]}}`))
	in := inputs(t, f)
	for i, want := range []string{"Yes, No answer, Leave it open", "no answer, Leave it open, Leave it open·"} {
		if got := strings.Join(in[i].optionLabels(), ", "); got != want {
			t.Errorf("options %s, want %s", got, want)
		}
	}
	wantContent(t, f, `{"x":"No answer"}`, picked("o1"), picked("none"))
}

func TestCard_ButtonsThatAnswerShowTheDescription(t *testing.T) {
	raw := messageJSON(t, card("Go?", parse(t, object(`{"x":{"type":"boolean","title":"Wipe","description":"Deletes production"}}`, "x"))).Open())
	if !bytesHave(raw, "Deletes production") || !bytesHave(raw, "elicit_choice_0") {
		t.Errorf("card %s", shorten(raw))
	}
}

func TestText_DefaultOfWhichAPartIsOutOfSightIsNotPrefilled(t *testing.T) {
	for _, d := range []string{"prod" + strings.Repeat(" ", 150) + "rm -rf", "a" + strings.Repeat("\n", 60) + "b", "prod\uFE0F", "生\u200D产", "a\u2800", "a\u2028b", "a\u00A0b"} {
		raw, err := json.Marshal(d)
		if err != nil {
			t.Fatal(err)
		}
		if in := onlyInput(t, parse(t, object(`{"x":{"type":"string","default":`+string(raw)+`}}`))); in.Element["initial_value"] != nil {
			t.Errorf("%q is prefilled", d)
		}
	}
	if in := onlyInput(t, parse(t, object(`{"x":{"type":"string","default":"a:\n\tb"}}`))); in.Element["initial_value"] != "a:\n\tb" {
		t.Errorf("a tab keeps a default from being prefilled: %v", in.Element)
	}
}

func TestText_DefaultThatSlacksInputWouldRefuseGetsAPlainOne(t *testing.T) {
	for schema, want := range map[string]string{
		`{"type":"string","format":"uri","default":"urn:isbn:0451450523"}`:       "plain_text_input",
		`{"type":"string","format":"uri","default":"https://example.com/x?y=z"}`: "url_text_input",
		`{"type":"string","format":"email","default":"\"a b\"@x.org"}`:           "plain_text_input",
		`{"type":"string","format":"email","default":"ann.b+c@x-y.example.org"}`: "email_text_input",
	} {
		if got := onlyInput(t, parse(t, object(`{"x":`+schema+`}`))).typ(); got != want {
			t.Errorf("%s: %s, want %s", schema, got, want)
		}
	}
}

func TestForm_WholeSchemaIsCheckedWhateverItsNotesSay(t *testing.T) {
	for _, schema := range []string{
		`{"type":"object","properties":{"x":{"type":"string"},"y":{"type":"string","examples":"notalist"}},"minProperties":2}`,
		`{"type":"object","properties":{"x":{"type":"string"},"y":{"type":"integer","minimum":1,"exclusiveMinimum":true}},"minProperties":2}`,
		`{"$id":"http://[","type":"object","properties":{"x":{"type":"string"},"y":{"type":"string","title":7}},"minProperties":2}`,
		`{"$schema":7,"type":"object","properties":{"x":{"type":"string"},"title":{"type":"string"}},"minProperties":2}`,
	} {
		f, err := blockkit.ParseForm(json.RawMessage(schema))
		if err != nil {
			t.Errorf("%s: %v", schema, err)
			continue
		}
		if content, errs := f.Answer(state(t, typed("a")), blockkit.Reader{}); content != nil || len(errs) != 1 {
			t.Errorf("%s: %s %v, want minProperties to be checked", schema, content, errs)
		}
	}
}

func TestMoment_IsWrittenAsTheSchemaWantsIt(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	for schema, want := range map[string]string{
		`{"type":"string","format":"date-time"}`:                      "2026-11-05T15:30:00+01:00",
		`{"type":"string","format":"date-time","pattern":"Z$"}`:       "2026-11-05T14:30:00Z",
		`{"type":"string","format":"date-time","maxLength":20}`:       "2026-11-05T14:30:00Z",
		`{"type":"string","format":"date-time","pattern":"\\.\\d+Z"}`: "2026-11-05T14:30:00.000Z",
	} {
		f := parse(t, object(`{"at":`+schema+`}`, "at"))
		content, errs := f.Answer(state(t, moment(1793889000)), blockkit.Reader{Zone: berlin})
		if string(content) != `{"at":"`+want+`"}` {
			t.Errorf("%s: %s %v, want %s", schema, content, errs, want)
		}
	}
}

func TestSchema_ReferencesMayBePercentEncoded(t *testing.T) {
	f := parse(t, `{"$defs":{"My Type":{"enum":["a","b"]},"é":{"type":"integer"}},"properties":{"x":{"$ref":"#/$defs/My%20Type"},"y":{"$ref":"#/$defs/%C3%A9"}}}`)
	wantContent(t, f, `{"x":"b","y":3}`, picked("o1"), typed("3"))
}

func TestSchema_HalvesOfSurrogatePairsAreRefusedOnlyWhereTheyWouldGoBack(t *testing.T) {
	for schema, path := range map[string]string{
		`{"type":"object","properties":{"\ud800":{"type":"string"}}}`:              "requestedSchema.properties",
		`{"type":"object","properties":{"x":{"enum":["\ud800","\ud801"]}}}`:        "requestedSchema.properties.x.enum[0]",
		`{"type":"object","properties":{"x":{"const":"a\udc00"},"y":{"enum":[]}}}`: "requestedSchema.properties.x.const",
	} {
		_, err := blockkit.ParseForm(json.RawMessage(schema))
		if err == nil || !strings.HasPrefix(err.Error(), path) || !strings.Contains(err.Error(), "surrogate") {
			t.Errorf("%s: %v, want it named at %s", schema, err, path)
		}
	}
	f := parse(t, `{"type":"object","properties":{"x":{"type":"string","title":"cut \ud83d","description":"\ud83d","default":"\ud83d"}}}`)
	if in := onlyInput(t, f); in.Element["initial_value"] != nil || !strings.HasPrefix(in.Label, "cut") {
		t.Errorf("%+v", in)
	}
}

func TestSchema_WhatNobodyCouldAnswerIsRefused(t *testing.T) {
	for schema, path := range map[string]string{
		object(`{"x":{"type":"string","maxLength":0}}`, "x"):                                       "requestedSchema.properties.x.maxLength",
		object(`{"x":{"type":"integer","minimum":1,"maximum":5,"multipleOf":10}}`):                 "requestedSchema.properties.x",
		object(`{"x":{"enum":["ab"],"maxLength":1}}`):                                              "requestedSchema.properties.x",
		object(`{"x":{"type":"array","enum":["a"],"items":{"enum":["a"]}}}`):                       "requestedSchema.properties.x.enum",
		object(`{"x":{"const":"a","enum":["b"]},"y":{"type":"string"}}`):                           "requestedSchema.properties.x.const",
		object(`{"x":{"type":"number","exclusiveMinimum":0,"exclusiveMaximum":1,"multipleOf":1}}`): "requestedSchema.properties.x",
	} {
		_, err := blockkit.ParseForm(json.RawMessage(schema))
		wantInvalid(t, schema, err, path)
	}
	f := parse(t, object(`{"x":{"enum":["a","abc",5],"minLength":2}}`))
	if got := strings.Join(onlyInput(t, f).optionLabels(), ","); got != "abc,5,No answer" {
		t.Errorf("options %s, want those that the schema allows", got)
	}
}

func TestOptions_LongTitlesThatDifferLateAreShownWhole(t *testing.T) {
	var list []string
	for i := range 60 {
		list = append(list, fmt.Sprintf(`{"const":"v%d","title":"%s%d"}`, i, strings.Repeat("same words ", 16), i))
	}
	s := turn(t, parse(t, object(`{"x":{"oneOf":[`+strings.Join(list, ",")+`]}}`)), "?", 0, 0, nil)
	for i := range 60 {
		if !strings.Contains(s.text, fmt.Sprintf("same words %d", i)) {
			t.Errorf("the whole title of option %d stands nowhere", i)
		}
	}
}
