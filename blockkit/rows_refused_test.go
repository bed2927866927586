package blockkit_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/slackbridge/slackbridge/blockkit"
	"github.com/slackbridge/slackbridge/elicit"
)

// refusal is a schema that is not shown, with the place and the problem that
// its server is told.
type refusal struct {
	schema  string
	path    string
	problem string
	cancel  bool // legal, but Slack cannot show it
}

// The problems that several schemas have.
const (
	isNested   = "a form is flat: an object cannot be asked for"
	isFreeList = "must list the choices in enum or anyOf: a form cannot ask for a free list"
	isFarAway  = "only references within the schema are followed, such as #/$defs/Name"
	isNoCount  = "must be a whole number from 0 on"
	isNoScalar = "must be a string, a number or a boolean"
	isNoRange  = "minimum and maximum leave no number between them"
	isNoChoice = "a form can offer constants with titles, not several types"
)

// refusedFields are schemas of the property x; their paths go on from there.
var refusedFields = []refusal{
	{schema: `{"type":"object","properties":{"cpu":{"type":"number"}}}`, path: "", problem: isNested},
	{schema: `{"type":"array","items":{"type":"string"}}`, path: ".items", problem: isFreeList},
	{schema: `{"type":"array","items":{"type":"array","items":{"enum":["a","b"]}}}`, path: ".items", problem: isFreeList},
	{schema: `{"type":"array"}`, path: ".items", problem: "is missing: the choices of an array stand there"},
	{schema: `{"type":"array","enum":["eu","us"]}`, path: ".items", problem: "is missing: the choices of an array stand there"},
	{schema: `{"type":"array","enum":["eu","us"],"items":{"type":"string"}}`, path: ".enum", problem: "the choices of an array stand in items"},
	{schema: `{"$ref":"https://example.com/schema.json"}`, path: ".$ref", problem: isFarAway},
	{schema: `{"$ref":"#Anchor"}`, path: ".$ref", problem: isFarAway},
	{schema: `{"$ref":"#/$defs/Missing"}`, path: ".$ref", problem: `"#/$defs/Missing" leads nowhere`},
	{schema: `{"$ref":"#/properties/x"}`, path: "", problem: "leads through more than 16 references"},
	{schema: `{"type":"file"}`, path: ".type", problem: `"file" is not a type that a form can ask for`},
	{schema: `{"type":"null"}`, path: ".type", problem: `"null" is not a type that a form can ask for`},
	{schema: `{}`, path: ".type", problem: "is missing"},
	{schema: `true`, path: "", problem: "must be a schema object"},
	{schema: `{"type":["string","integer"]}`, path: ".type", problem: "must name one type besides null: a form asks for one"},
	{schema: `{"anyOf":[{"type":"string"},{"type":"integer"}]}`, path: ".anyOf[0]", problem: isNoChoice},
	{schema: `{"oneOf":[{"const":"a"},{"title":"B"}]}`, path: ".oneOf[1]", problem: isNoChoice},
	{schema: `{"anyOf":[{"type":"null"}]}`, path: ".anyOf", problem: "allows nothing but null"},
	{schema: `{"allOf":[{"type":"string"},{"maxLength":3}]}`, path: ".allOf", problem: "must be a list of one schema: a form cannot ask for several at once"},
	{schema: `{"type":"string","minLength":5,"maxLength":2}`, path: ".minLength", problem: "is more than maxLength"},
	{schema: `{"type":"string","minLength":"5"}`, path: ".minLength", problem: isNoCount},
	{schema: `{"type":"string","maxLength":-1}`, path: ".maxLength", problem: isNoCount},
	{schema: `{"type":"string","pattern":1}`, path: ".pattern", problem: "must be a string"},
	{schema: `{"type":"string","format":1}`, path: ".format", problem: "must be a string"},
	{schema: `{"type":"integer","minimum":5,"maximum":2}`, path: "", problem: isNoRange},
	{schema: `{"type":"integer","exclusiveMinimum":1,"exclusiveMaximum":2}`, path: "", problem: isNoRange},
	{schema: `{"type":"integer","minimum":"1"}`, path: ".minimum", problem: "must be a number"},
	{schema: `{"type":"number","multipleOf":0}`, path: ".multipleOf", problem: "must be greater than 0"},
	{schema: `{"type":"integer","minimum":1,"maximum":5,"multipleOf":10}`, path: "", problem: "no number between minimum and maximum is a multiple of multipleOf"},
	{schema: `{"type":"string","enum":[]}`, path: "", problem: "allows no value"},
	{schema: `{"type":"string","enum":"a"}`, path: ".enum", problem: "must be a list"},
	{schema: `{"type":"integer","enum":["a"]}`, path: ".enum[0]", problem: "is no value of the type integer"},
	{schema: `{"enum":["a",{"b":1}]}`, path: ".enum[1]", problem: isNoScalar},
	{schema: `{"const":[1]}`, path: ".const", problem: isNoScalar},
	{schema: `{"type":"string","const":1}`, path: ".const", problem: "is no value of the type string"},
	{schema: `{"type":"string","enum":["a"],"const":"b"}`, path: ".const", problem: "is not in enum"},
	{schema: `{"type":"array","minItems":3,"items":{"enum":["a","b"]}}`, path: ".minItems", problem: "is more than there are choices"},
	{schema: `{"type":"array","minItems":2,"maxItems":1,"items":{"enum":["a","b"]}}`, path: ".minItems", problem: "is more than maxItems"},
	{schema: `{"type":"string","minLength":4000}`, path: ".minLength", problem: "Slack's inputs take at most 3000 characters", cancel: true},
}

// refusedForms are all of requestedSchema.
var refusedForms = []refusal{
	{schema: object(`{"x":{"type":"string"}}`, "y"), path: ".required[0]", problem: `"y" is not in properties`},
	{schema: `{"type":"object","properties":{"x":{"type":"string"}},"required":"x"}`, path: ".required", problem: "must be a list of property names"},
	{schema: `{"type":"object","properties":[]}`, path: ".properties", problem: "must be an object"},
	{schema: object(`{"x":{"type":"string"},"x":{"type":"integer"}}`), path: ".properties.x", problem: "stands twice"},
	{schema: object(`{"two words":{"type":"object"}}`), path: `.properties["two words"]`, problem: isNested},
	{schema: `{"type":"array","items":{"type":"string"}}`, path: ".type", problem: `must be "object"`},
	{schema: `[]`, path: "", problem: "must be a schema object"},
	{schema: `{"type":"object"`, path: "", problem: "not valid JSON: unexpected end of JSON input"},
	{schema: `{"type":"object","minProperties":1}`, path: "", problem: "nothing that a person could answer is valid: " +
		"The answers together are not what the server asks for: minProperties: got 0, want 1"},
	{schema: manyFields(1001, `{"type":"string"}`), path: ".properties", problem: "a form has at most 1000 fields, these are 1001", cancel: true},
}

// line asks for requestedSchema, which must be refused as r says, and tells so
// in a line of docs/forms.md.
func (r refusal) line(t *testing.T, requestedSchema, path string) string {
	t.Helper()
	_, err := blockkit.ParseForm(json.RawMessage(requestedSchema))
	var malformed *elicit.InvalidParamsError
	var cannot *blockkit.UnrenderableError
	got, answer := refusal{schema: r.schema}, ""
	switch {
	case errors.As(err, &malformed):
		got.path, got.problem, answer = malformed.Path, malformed.Problem, "-32602"
	case errors.As(err, &cannot):
		got.path, got.problem, got.cancel, answer = cannot.Path, cannot.Problem, true, "cancel"
	}
	if want := (refusal{r.schema, path, r.problem, r.cancel}); got != want {
		t.Errorf("%s: %v, want %s: %s (cancel: %v)", shorten([]byte(requestedSchema)), err, want.path, want.problem, want.cancel)
	}
	return fmt.Sprintf("| %s | %s | %s | %s |\n", shortSchema(r.schema), code(answer), code(got.path), escapeCell(got.problem))
}

// refusedTable lists what is refused, and with which words.
func refusedTable(t *testing.T) string {
	t.Helper()
	const head = "\n| the server asks | it gets | naming | because |\n|---|---|---|---|\n"
	var b strings.Builder
	b.WriteString("\n## What is refused\n\n" +
		"Nothing of it is shown. `-32602` goes to the server for what is not a form; `cancel` for what is, but cannot be shown.\n" +
		"The thread of the call says why.\n" + head)
	for _, r := range refusedFields {
		b.WriteString(r.line(t, object(`{"x":`+r.schema+`}`), "requestedSchema.properties.x"+r.path))
	}
	b.WriteString("\nThe same for all of `requestedSchema`:\n" + head)
	for _, r := range refusedForms {
		b.WriteString(r.line(t, r.schema, "requestedSchema"+r.path))
	}
	return b.String()
}
