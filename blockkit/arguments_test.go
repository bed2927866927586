package blockkit_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/slackbridge/slackbridge/blockkit"
)

const deploySchema = `{"type":"object","properties":{
  "service":{"type":"string"},"version":{"type":"string","pattern":"^[0-9]"},
  "replicas":{"type":"integer","minimum":1},"ratio":{"type":"number"},"dry":{"type":"boolean"},
  "tags":{"type":"array","items":{"type":"string"}},"extra":{"type":"object"},
  "tier":{"enum":[1,2,"gold"]},"note":{"type":["string","null"]},"size":{"$ref":"#/$defs/Size"},
  "port":{"anyOf":[{"type":"string"},{"type":"integer"}]}},
  "$defs":{"Size":{"type":"integer"}},"required":["service"],"additionalProperties":false}`

func TestArguments_WordsAreTypedByTheSchema(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"service=payments version=2.3.1", `{"service":"payments","version":"2.3.1"}`},
		{`service="two words"`, `{"service":"two words"}`},
		{"service=“two words”", `{"service":"two words"}`},
		{`service='it is'`, `{"service":"it is"}`},
		{`service=it's`, `{"service":"it's"}`},
		{`service="a \"b\" \\"`, `{"service":"a \"b\" \\"}`},
		{"service=a&amp;b&lt;c&gt;", `{"service":"a&b<c>"}`},
		{"service=&amp;lt;", `{"service":"&lt;"}`},
		{"service=x=y", `{"service":"x=y"}`},
		{"service=", `{"service":""}`},
		{"service=3 replicas=3", `{"service":"3","replicas":3}`},
		{"service=a replicas=12345678901234567890", `{"service":"a","replicas":12345678901234567890}`},
		{"service=a ratio=0.10", `{"service":"a","ratio":0.10}`},
		{"service=a dry=true", `{"service":"a","dry":true}`},
		{`service=a tags=["x","y"]`, `{"service":"a","tags":["x","y"]}`},
		{`service=a extra={"k":1}`, `{"service":"a","extra":{"k":1}}`},
		{"service=a tier=2", `{"service":"a","tier":2}`},
		{"service=a tier=gold", `{"service":"a","tier":"gold"}`},
		{"service=a note=null", `{"service":"a","note":null}`},
		{"service=a note=hello", `{"service":"a","note":"hello"}`},
		{"service=a size=7", `{"service":"a","size":7}`},
		{"service=a port=80", `{"service":"a","port":80}`},
		{"service=a port=http", `{"service":"a","port":"http"}`},
		{`--json {"service":"a","replicas":2}`, `{"service":"a","replicas":2}`},
		{"--json {“service”: “a”}", `{"service": "a"}`},
		{`--json {"service":"he said “hi”"}`, `{"service":"he said “hi”"}`},
		{"--json {\"service\":\"&lt;a&gt;\"}", `{"service":"<a>"}`},
	} {
		got, err := blockkit.Arguments(json.RawMessage(deploySchema), tt.text)
		if err != nil || string(got) != tt.want {
			t.Errorf("Arguments(%q) = %s, %v; want %s", tt.text, got, err, tt.want)
		}
	}
}

func TestArguments_ProblemsNameTheArgument(t *testing.T) {
	for _, tt := range []struct {
		text string
		want []string
	}{
		{"", []string{"missing service"}},
		{"version=1", []string{"missing service"}},
		{"service=a colour=red", []string{"colour", "not an argument", "service, version, replicas"}},
		{"service=a service=b", []string{"service", "twice"}},
		{"service=a replicas=many", []string{"replicas", `"many"`, "whole number"}},
		{"service=a replicas=1.5", []string{"replicas"}},
		{"service=a replicas=0", []string{"replicas", "1"}},
		{"service=a dry=1", []string{"dry", "true or false"}},
		{"service=a dry=yes", []string{"dry", "true or false"}},
		{"service=a tags=x", []string{"tags", "JSON list"}},
		{"service=a tags=[1]", []string{"tags.0"}},
		{"service=a extra=[]", []string{"extra", "JSON object"}},
		{"service=a version=x", []string{"version"}},
		{"service=a tier=3", []string{"tier"}},
		{"payments", []string{`"payments"`, "key=value"}},
		{"=x", []string{"key=value"}},
		{`service="open`, []string{"quote"}},
		{`service=a --json {}`, []string{"mixed"}},
		{`--json {"service":"a"} replicas=2`, []string{"mixed"}},
		{`--json [1]`, []string{"--json", "object"}},
		{`--json null`, []string{"--json"}},
		{`--json {`, []string{"--json"}},
		{`--json {"service":1}`, []string{"service"}},
		{`--json {"service":"a","colour":1}`, []string{"colour"}},
	} {
		got, err := blockkit.Arguments(json.RawMessage(deploySchema), tt.text)
		if err == nil {
			t.Errorf("Arguments(%q) = %s, want an error", tt.text, got)
			continue
		}
		for _, want := range tt.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("Arguments(%q): error %q does not say %q", tt.text, err, want)
			}
		}
	}
}

func TestArguments_OddSchemasAreLeftToTheServer(t *testing.T) {
	for _, tt := range []struct{ schema, text, want string }{
		{``, "a=1", `{"a":"1"}`},
		{`{}`, "", `{}`},
		{`{"type":"object"}`, "", `{}`},
		{`{"type":"object","properties":{"a":true}}`, "a=1", `{"a":"1"}`},
		{`{"type":"object","additionalProperties":true}`, "a=1", `{"a":"1"}`},
		{`{"type":"object","properties":{"a":{"$ref":"https://example.test/x.json"}}}`, "a=1", `{"a":"1"}`},
		{`{"type":"object","properties":{"a":{"type":"string","pattern":"("}}}`, "a=1", `{"a":"1"}`},
	} {
		got, err := blockkit.Arguments(json.RawMessage(tt.schema), tt.text)
		if err != nil || string(got) != tt.want {
			t.Errorf("Arguments(%s, %q) = %s, %v; want %s", tt.schema, tt.text, got, err, tt.want)
		}
	}
}

func FuzzArguments(f *testing.F) {
	f.Add(deploySchema, `service="a b" replicas=3 tags=["x"]`)
	f.Add(`{"properties":[]}`, `--json {"a":1}`)
	f.Fuzz(func(t *testing.T, schema, text string) {
		got, err := blockkit.Arguments(json.RawMessage(schema), text)
		if err == nil && !json.Valid(got) {
			t.Errorf("Arguments(%q, %q) = %q: not JSON", schema, text, got)
		}
	})
}
