package blockkit_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"
	"github.com/slackbridge/slackbridge/blockkit"
	"github.com/slackbridge/slackbridge/elicit"
)

// The tests of this file are inputs that broke other people's software, named
// by their numbers in the collection of cases.

func TestCase_O01_RootAnnotationsAreIgnored(t *testing.T) {
	f := parse(t, `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","title":"ReleaseChoice",
		"description":"made from a model docstring","additionalProperties":false,
		"properties":{"channel":{"type":"string","title":"Channel"}},"required":["channel"]}`)
	if in := onlyInput(t, f); in.Label != "Channel" {
		t.Errorf("label %q, want Channel", in.Label)
	}
	wantContent(t, f, `{"channel":"beta"}`, typed("beta"))
}

func TestCase_O02_ReferenceToAnEnumIsASelect(t *testing.T) {
	f := parse(t, `{"type":"object","$defs":{"Prio":{"type":"string","enum":["low","mid","high"]}},
		"properties":{"prio":{"$ref":"#/$defs/Prio"}},"required":["prio"]}`)
	if d := cmp.Diff([]string{"low", "mid", "high"}, onlyInput(t, f).optionLabels()); d != "" {
		t.Errorf("options (-want +got):\n%s", d)
	}
	wantContent(t, f, `{"prio":"high"}`, picked("o2"))
	wantError(t, f, "Please choose", typed("urgent"))
}

func TestCase_O03_TitledMultiSelect(t *testing.T) {
	f := parse(t, object(`{"perm":{"type":"array","title":"Permissions","minItems":1,"maxItems":2,
		"items":{"anyOf":[{"const":"r","title":"Read"},{"const":"w","title":"Write"},{"const":"x","title":"Run"}]},"default":["r"]}}`, "perm"))
	in := onlyInput(t, f)
	if d := cmp.Diff([]string{"Read", "Write", "Run"}, in.optionLabels()); d != "" {
		t.Errorf("options (-want +got):\n%s", d)
	}
	if list, _ := in.Element["initial_options"].([]any); len(list) != 1 || textOf(list[0].(map[string]any)["text"]) != "Read" {
		t.Errorf("preselected %v, want Read", list)
	}
	wantContent(t, f, `{"perm":["r","x"]}`, pickedAll("o0", "o2"))
	wantError(t, f, "at most 2", pickedAll("o0", "o1", "o2"))
	wantError(t, f, "at least 1", pickedAll())
}

func TestCase_O04_ChoicesOnTheArrayAreRefused(t *testing.T) {
	schema := object(`{"regions":{"type":"array","enum":["eu","us"]}}`, "regions")
	_, err := blockkit.ParseForm(json.RawMessage(schema))
	wantInvalid(t, schema, err, "requestedSchema.properties.regions.items")
}

func TestCase_O05_EveryFieldIsDrawn(t *testing.T) {
	f := parse(t, object(`{"limit":{"type":"number","minimum":0.5},"note":{"type":"string"}}`, "limit"))
	if n := len(inputs(t, f)); n != 2 {
		t.Errorf("%d inputs, want 2", n)
	}
	if c := f.Choices(); c != nil {
		t.Errorf("buttons %v stand for a form with a number", c)
	}
	wantError(t, f, "fill in", untouched(), typed("x"))
}

func TestCase_O06_OrderIsTheServersEveryTime(t *testing.T) {
	schema := object(`{"firstName":{"type":"string"},"lastName":{"type":"string"},"email":{"type":"string","format":"email"},"age":{"type":"integer"}}`, "firstName")
	for range 50 {
		var got []string
		for _, in := range inputs(t, parse(t, schema)) {
			got = append(got, in.Label)
		}
		if d := cmp.Diff([]string{"firstName", "lastName", "email", "age"}, got); d != "" {
			t.Fatalf("labels (-want +got):\n%s", d)
		}
	}
}

func TestCase_O07_TextThatOnlyStartsWithDigitsIsNoNumber(t *testing.T) {
	f := parse(t, object(`{"n":{"type":"integer"}}`, "n"))
	wantError(t, f, "whole number", typed("42xyz"))
	wantContent(t, f, `{"n":7}`, typed(" 7 "))
}

func TestCase_O08_FractionsStayAsTheyAre(t *testing.T) {
	f := parse(t, object(`{"ratio":{"type":"number","minimum":0,"maximum":1}}`, "ratio"))
	wantContent(t, f, `{"ratio":0.25}`, typed("0.25"))
	wantError(t, f, "from 0 to 1", typed("1.5"))
}

func TestCase_O09_BlankOptionalTextIsNotAnswered(t *testing.T) {
	f := parse(t, object(`{"ticket":{"type":"string","minLength":4},"mail":{"type":"string","format":"email"},"name":{"type":"string"}}`, "name"))
	wantContent(t, f, `{"name":"Ann"}`, untouched(), untouched(), typed("Ann"))
	wantContent(t, f, `{"name":"Ann"}`, typed(""), typed(" "), typed("Ann"))
}

func TestCase_O10_UntouchedDefaultTrueStaysTrue(t *testing.T) {
	f := parse(t, object(`{"keepBackups":{"type":"boolean","default":true}}`, "keepBackups"))
	in := onlyInput(t, f)
	if _, ok := in.Element["initial_options"]; !ok || !in.Optional {
		t.Errorf("element %v optional %v, want it ticked and free to be emptied", in.Element, in.Optional)
	}
	wantContent(t, f, `{"keepBackups":true}`, pickedAll("o0"))
}

func TestCase_O11_UntouchedOptionalBooleanIsAbsent(t *testing.T) {
	f := parse(t, object(`{"notify":{"type":"boolean"},"name":{"type":"string"}}`, "name"))
	wantContent(t, f, `{"name":"Ann"}`, notPicked(), typed("Ann"))
}

func TestCase_O12_DefaultOfTheWrongShapeIsIgnored(t *testing.T) {
	f := parse(t, object(`{"scope":{"type":"array","items":{"type":"string","enum":["read","write"]},"default":"read"},"tier":{"type":"string","enum":["a","b"],"default":"z"}}`))
	inputs(t, f)
	wantContent(t, f, `{}`, pickedAll(), notPicked())
}

func TestCase_O13_LeastNumberBindsOnlyAnAnswer(t *testing.T) {
	f := parse(t, object(`{"areas":{"type":"array","minItems":2,"items":{"type":"string","enum":["a","b","c"]}},"t":{"type":"string"}}`, "t"))
	wantContent(t, f, `{"t":"x"}`, pickedAll(), typed("x"))
	wantError(t, f, "at least 2", pickedAll("o0"), typed("x"))
}

func TestCase_O14_FractionalSecondsPrefillAndTheZoneIsNamed(t *testing.T) {
	f := parse(t, object(`{"at":{"type":"string","format":"date-time","default":"2026-11-05T14:30:00.250Z"}}`, "at"))
	in := onlyInput(t, f)
	sec, _ := in.Element["initial_date_time"].(float64)
	if want := time.Date(2026, 11, 5, 14, 30, 0, 0, time.UTC).Unix(); int64(sec) != want {
		t.Errorf("prefilled %v, want %d", sec, want)
	}
	if !strings.Contains(in.Hint, "UTC") {
		t.Errorf("hint %q does not name the zone", in.Hint)
	}
	wantContent(t, f, `{"at":"2026-11-05T14:30:00Z"}`, moment(int64(sec)))
}

func TestCase_O15_ZeroIsABoundAndADefault(t *testing.T) {
	f := parse(t, object(`{"retries":{"type":"integer","minimum":0,"maximum":0,"default":0},"off":{"type":"boolean","default":false},"s":{"type":"string","default":""}}`, "retries"))
	in := inputs(t, f)
	for _, name := range []string{"min_value", "max_value", "initial_value"} {
		if in[0].Element[name] != "0" {
			t.Errorf("%s is %v, want \"0\"", name, in[0].Element[name])
		}
	}
	if in[1].typ() != "checkboxes" || in[1].Element["initial_options"] != nil {
		t.Errorf("default false draws %v, want an empty checkbox", in[1].Element)
	}
	wantContent(t, f, `{"retries":0,"off":false}`, typed("0"), pickedAll(), untouched())
	wantError(t, f, "from 0 to 0", typed("-1"))
	wantError(t, f, "from 0 to 0", typed("1"))
}

func TestCase_O16_OldChoiceNamesNeverShift(t *testing.T) {
	f := parse(t, object(`{"c":{"type":"string","enum":["#f00","#0f0"],"enumNames":["Red","Green"],"default":"#0f0"}}`, "c"))
	if d := cmp.Diff([]string{"Red", "Green"}, onlyInput(t, f).optionLabels()); d != "" {
		t.Errorf("options (-want +got):\n%s", d)
	}
	wantContent(t, f, `{"c":"#f00"}`, picked("o0"))
	short := parse(t, object(`{"c":{"type":"string","enum":["#f00","#0f0"],"enumNames":["Red"]}}`, "c"))
	if d := cmp.Diff([]string{"#f00", "#0f0"}, onlyInput(t, short).optionLabels()); d != "" {
		t.Errorf("options with too few names (-want +got):\n%s", d)
	}
}

func TestCase_O17_SpecialCharactersComeBackByteForByte(t *testing.T) {
	values := []string{"R&D", "<none>", "a > b", "R&amp;D"}
	f := parse(t, object(`{"q":{"type":"string","enum":["R&D","<none>","a > b","R&amp;D"]}}`, "q"))
	if d := cmp.Diff(values, onlyInput(t, f).optionLabels()); d != "" {
		t.Errorf("options (-want +got):\n%s", d)
	}
	for i, v := range values {
		wantContent(t, f, `{"q":"`+v+`"}`, picked(fmt.Sprintf("o%d", i)))
	}
}

func TestCase_O18_EveryOneOf650ChoicesCanBeFound(t *testing.T) {
	f := parse(t, object(`{"host":{"type":"string",`+enum(650)+`}}`, "host"))
	if got := onlyInput(t, f).typ(); got != "external_select" {
		t.Fatalf("%s, want a menu that is searched", got)
	}
	if all := f.Search("f0", "", blockkit.English); len(all) != 100 {
		t.Errorf("%d options at first, want 100", len(all))
	}
	for i := range 650 {
		found := f.Search("f0", fmt.Sprintf("H%03d", i), blockkit.English)
		optionsJSON(t, found)
		if len(found) != 1 {
			t.Fatalf("h%03d: %d options, want 1", i, len(found))
		}
		wantContent(t, f, fmt.Sprintf(`{"host":"h%03d"}`, i), picked(found[0].Value))
	}
}

func TestCase_O19_LongServerNameStandsInTheBody(t *testing.T) {
	v := formView("Really?")
	v.Server = "Production Change Management"
	m := parse(t, object(`{"x":{"type":"string"}}`)).Modal(v)
	raw := string(viewJSON(t, m))
	if title := m.View.Title.Text; len(utf16.Encode([]rune(title))) > 24 || !strings.HasPrefix(title, "Production Change") {
		t.Errorf("title %q", title)
	}
	if !strings.Contains(raw, "Production Change Management") {
		t.Error("the whole name is not in the view")
	}
}

func TestCase_O20_PropertyNamesAreKeptAndNoIsAnAnswer(t *testing.T) {
	f := parse(t, object(`{"Confirm the operation":{"type":"string","enum":["Yes","No"]}}`, "Confirm the operation"))
	wantContent(t, f, `{"Confirm the operation":"Yes"}`, picked("o0"))
	want := []blockkit.Choice{
		{Label: "Yes", Content: json.RawMessage(`{"Confirm the operation":"Yes"}`)},
		{Label: "No", Content: json.RawMessage(`{"Confirm the operation":"No"}`)},
	}
	if d := cmp.Diff(want, f.Choices()); d != "" {
		t.Errorf("Choices (-want +got):\n%s", d)
	}
}

func TestCase_O21_NothingIsAcceptedBeforeItIsChosen(t *testing.T) {
	f := parse(t, object(`{"approved":{"type":"boolean"}}`, "approved"))
	for _, state := range []string{``, `null`, `{}`, `{"values":{}}`, `{"values":{"f0":{"v":{"selected_option":null}}}}`} {
		if content, errs := f.Answer(json.RawMessage(state), blockkit.Reader{}); content != nil || errs["f0"] == "" {
			t.Errorf("%s: %s %v, want an error at f0", state, content, errs)
		}
	}
	wantContent(t, f, `{"approved":false}`, picked("o1"))
}

func TestCase_O22_EmptySchemaIsOneTap(t *testing.T) {
	f := parse(t, `{"type":"object","properties":{}}`)
	raw := string(messageJSON(t, card("Buy 1 x loaf for 5.00?", f).Open()))
	for _, want := range []string{`"elicit_accept"`, `"elicit_decline"`, `"elicit_cancel"`} {
		if !strings.Contains(raw, want) {
			t.Errorf("no %s on the card: %s", want, raw)
		}
	}
	if strings.Contains(raw, "elicit_respond") {
		t.Error("the card offers a form without fields")
	}
	if content, errs := f.Answer(nil, blockkit.Reader{}); string(content) != `{}` || len(errs) > 0 {
		t.Errorf("Answer: %s %v, want {}", content, errs)
	}
}

func TestCase_O23_StateWithoutValuesIsReadInAllItsShapes(t *testing.T) {
	shapes := []string{``, `null`, `[]`, `{}`, `{"values":[]}`, `{"values":{}}`, `{"values":null}`, `"x"`, `7`, `{"values":{"f0":[]}}`, `{"values":{"f0":{"v":null}}}`, `{"values":{"f0":{"v":7}}}`}
	empty := parse(t, `{"type":"object"}`)
	form := parse(t, object(`{"a":{"type":"string"},"b":{"type":"array","items":{"enum":["x"]},"minItems":1},"c":{"type":"boolean","default":true}}`, "a", "b", "c"))
	optional := parse(t, object(`{"a":{"type":"string"},"c":{"type":"boolean","default":true}}`))
	for _, s := range shapes {
		if content, errs := empty.Answer(json.RawMessage(s), blockkit.Reader{}); string(content) != "{}" || len(errs) > 0 {
			t.Errorf("%s: %s %v, want {}", s, content, errs)
		}
		if content, errs := form.Answer(json.RawMessage(s), blockkit.Reader{}); content != nil || len(errs) != 3 {
			t.Errorf("%s: %s %v, want an error at each field", s, content, errs)
		}
		if content, errs := optional.Answer(json.RawMessage(s), blockkit.Reader{}); string(content) != "{}" || len(errs) > 0 {
			t.Errorf("%s: %s %v, want {}", s, content, errs)
		}
		if id := blockkit.FirstBlock(json.RawMessage(s)); id != "" {
			t.Errorf("FirstBlock(%s) = %q", s, id)
		}
	}
}

func TestCase_O26_ClosingIsNotified(t *testing.T) {
	for _, schema := range []string{`{"type":"object"}`, deployForm} {
		if m := parse(t, schema).Modal(formView("?")); !m.View.NotifyOnClose || m.View.CallbackID != blockkit.CallbackForm {
			t.Errorf("view %+v, want notify_on_close", m.View)
		}
	}
}

func TestCase_O50_NoControlStandsWhereSlackRefusesIt(t *testing.T) {
	f := parse(t, object(`{"m":{"type":"array","items":{"enum":["a","b","c"]},"maxItems":2},"n":{"type":"number"},"t":{"type":"string"},
		"c":{"type":"array","items":{`+enum(11)+`}}}`))
	for _, in := range inputs(t, f) { // each is an input block, and Slack's rules were asked
		if in.BlockID == "" {
			t.Error("an input has no block id")
		}
	}
	messageJSON(t, card("?", f).Open())
}

func TestCase_O51_LongTextsAreShownWhole(t *testing.T) {
	var message, about strings.Builder
	for i := range 700 {
		fmt.Fprintf(&message, "line %d\n", i)
	}
	for i := range 250 {
		fmt.Fprintf(&about, "about %d. ", i)
	}
	schema, err := json.Marshal(map[string]any{"type": "object", "properties": map[string]any{"x": map[string]any{"type": "string", "description": about.String()}}})
	if err != nil {
		t.Fatal(err)
	}
	f := parse(t, string(schema))
	cardJSON := string(messageJSON(t, card(message.String(), f).Open()))
	form := string(viewJSON(t, f.Modal(formView(message.String()))))
	for i := range 700 {
		if line := fmt.Sprintf(`line %d\n`, i); !strings.Contains(cardJSON, line) || !strings.Contains(form, line) {
			t.Fatalf("%s is missing", line)
		}
	}
	for i := range 250 {
		if word := fmt.Sprintf("about %d.", i); !strings.Contains(form, word) {
			t.Fatalf("%s is missing", word)
		}
	}
}

func TestCase_O54_ErrorsNameInputBlocksOnly(t *testing.T) {
	f := parse(t, deployForm)
	known := map[string]bool{}
	for _, in := range inputs(t, f) {
		known[in.BlockID] = true
	}
	_, errs := f.Answer(nil, blockkit.Reader{})
	if len(errs) == 0 {
		t.Fatal("an empty answer has no errors")
	}
	for id := range errs {
		if !known[id] {
			t.Errorf("an error stands at %s, which is no input block", id)
		}
	}
}

func TestCase_O63_HostileTextIsDeadOnEverySurface(t *testing.T) {
	form := parse(t, hostileForm)
	text := card(hostileMessage, form).Open().Text
	for _, live := range []string{"<!", "<#", "<http", "*bold*", "`code`", ":tada:", "://", "@here", " #general", "@example"} {
		rest := strings.ReplaceAll(text, "<!date^", "")
		if strings.Contains(rest, live) {
			t.Errorf("%q is alive in the text: %s", live, text)
		}
	}
	if n := strings.Count(text, "<@"); n != 1 {
		t.Errorf("%d mentions in the text, want Ann's alone: %s", n, text)
	}
	for _, raw := range [][]byte{
		messageJSON(t, card(hostileMessage, form).Open()),
		viewJSON(t, form.Modal(formView(hostileMessage))),
		messageJSON(t, blockkit.Result("deploy", hostileMessage, elicit.Result{Content: []json.RawMessage{textContent(hostileMessage)}})[0]),
		messageJSON(t, blockkit.Note(blockkit.Text(hostileMessage), blockkit.Code(hostileMessage), blockkit.Bold(hostileMessage))),
		messageJSON(t, blockkit.Malformed("deploy", hostileMessage, &elicit.InvalidParamsError{Path: hostileMessage, Problem: hostileMessage})),
	} {
		if bytesHave(raw, `"mrkdwn"`) || bytesHave(raw, `"emoji":true`) || bytesHave(raw, `"type":"link"`) || bytesHave(raw, `"user_id":"U_BOB"`) || bytesHave(raw, `"broadcast"`) {
			t.Errorf("something of the server may come alive: %s", shorten(raw))
		}
		for _, hidden := range []string{"\u202e", "\U000E0061", "\u0007"} {
			if bytesHave(raw, hidden) {
				t.Errorf("%q is hidden in %s", hidden, shorten(raw))
			}
		}
	}
}

func bytesHave(raw []byte, s string) bool { return strings.Contains(string(raw), s) }

func TestCase_O65_PatternThatCannotBeCheckedNeverFailsAfterTheAnswer(t *testing.T) {
	f := parse(t, object(`{"code":{"type":"string","pattern":"^(?=.*[0-9])[a-z0-9]+$"},"bad":{"type":"string","pattern":"*["}}`, "code"))
	wantContent(t, f, `{"code":"abc1","bad":"x"}`, typed("abc1"), typed("x"))
	wantError(t, f, "matches", typed("abc"), untouched())
}

func TestCase_O65_PatternWithoutEndIsCutOff(t *testing.T) {
	f := parse(t, object(`{"x":{"type":"string","pattern":"^(a+)+$"}}`, "x"))
	wantError(t, f, "could not be checked", typed(strings.Repeat("a", 60)+"!"))
}

func TestCase_O66_OnlyWhatWasOfferedIsTaken(t *testing.T) {
	one := parse(t, object(`{"env":{"type":"string","enum":["dev","stage"]}}`, "env"))
	for _, id := range []string{"prod", "o2", "o-1", "o01", "o00", "O0", "o", "none", "0", "o0 ", "o99999999999999999999"} {
		wantError(t, one, "not among the options", picked(id))
	}
	several := parse(t, object(`{"env":{"type":"array","items":{"enum":["dev","stage"]}}}`, "env"))
	wantError(t, several, "not among the options", pickedAll("o0", "o0"))
	wantError(t, several, "not among the options", pickedAll("o0", "o7"))
	tick := parse(t, object(`{"env":{"type":"boolean","default":false}}`, "env"))
	wantError(t, tick, "not among the options", pickedAll("o1"))
	// Blocks and actions that are not ours say nothing.
	content, errs := one.Answer(json.RawMessage(`{"values":{"f9":{"v":{"selected_option":{"value":"o0"}}},"f0":{"other":{"selected_option":{"value":"o0"}}}}}`), blockkit.Reader{})
	if content != nil || len(errs) != 1 {
		t.Errorf("Answer: %s %v, want an error", content, errs)
	}
}

func TestCase_O67_TheConfiguredNameAsks(t *testing.T) {
	f := parse(t, object(`{"x":{"type":"string"}}`))
	for name, text := range map[string]string{
		"card": card("I am the Slack Security Team", f).Open().Text,
		"form": string(viewJSON(t, f.Modal(formView("I am the Slack Security Team")))),
		"end":  card("", nil).Ended(elicit.StateDecided, decision(elicit.Accept, elicit.ReasonSubmitted)).Text,
	} {
		for _, want := range []string{"deploy", "deploy_service", "U_ANN"} {
			if !strings.Contains(text, want) {
				t.Errorf("the %s does not name %s: %s", name, want, text)
			}
		}
	}
}

func TestCase_O68_EmptyTextsAreNeverSent(t *testing.T) {
	f := parse(t, object(`{"n":{"type":"string","title":"","description":" "},"":{"type":"string","title":" \n"},"e":{"type":"string","enum":[""," ","\u200B"]}}`))
	for _, message := range []string{"", " \n", "\u3000"} {
		raw := messageJSON(t, card(message, f).Open())
		if !bytesHave(raw, "sent no message") {
			t.Errorf("no neutral line: %s", raw)
		}
		viewJSON(t, f.Modal(formView(message)))
	}
	in := inputs(t, f)
	if in[0].Label != "n" || in[1].Label != "(empty)" {
		t.Errorf("labels %q %q, want the names", in[0].Label, in[1].Label)
	}
	if d := cmp.Diff([]string{"(empty)", `" "`, "⟦U+200B⟧", "No answer"}, in[2].optionLabels()); d != "" {
		t.Errorf("options (-want +got):\n%s", d)
	}
	for _, m := range []blockkit.Message{
		blockkit.Note(), blockkit.Note(blockkit.Text("")), blockkit.Note(blockkit.Mention(""), blockkit.Date(time.Time{})),
		blockkit.Result("deploy", "t", elicit.Result{})[0],
		blockkit.Result("deploy", "t", elicit.Result{Content: []json.RawMessage{textContent("")}})[0],
		blockkit.ServersList(nil), blockkit.Help(nil), blockkit.Call{}.Ended(blockkit.CallFinished),
	} {
		messageJSON(t, m)
	}
	viewJSON(t, blockkit.NoticeModal())
	viewJSON(t, parse(t, `{}`).Modal(blockkit.FormView{ID: "p"}))
}

func textContent(s string) json.RawMessage {
	raw, err := json.Marshal(map[string]string{"type": "text", "text": s})
	if err != nil {
		panic(err)
	}
	return raw
}
