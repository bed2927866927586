package blockkit_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/slackbridge/slackbridge/blockkit"
	"github.com/slackbridge/slackbridge/elicit"
)

func wantInvalid(t *testing.T, input string, err error, path string) {
	t.Helper()
	var bad *elicit.InvalidParamsError
	if !errors.As(err, &bad) {
		t.Errorf("%.200s: %v, want an InvalidParamsError", input, err)
		return
	}
	if bad.Path != path || bad.Problem == "" {
		t.Errorf("%.200s: %v, want it at %s", input, bad, path)
	}
}

func wantUnrenderable(t *testing.T, err error) {
	t.Helper()
	var cannot *blockkit.UnrenderableError
	if !errors.As(err, &cannot) || cannot.Path == "" || cannot.Problem == "" {
		t.Errorf("%v, want an UnrenderableError", err)
	}
}

func TestParse_KeepsWhatTheServerSent(t *testing.T) {
	const schema = `{"type":"object", "properties":{ "b":{"type":"string"},"a":{"type":"integer"} }}`
	el, err := blockkit.Parse(json.RawMessage(`{"_meta":{"progressToken":1},"message":"Which?\n","requestedSchema":`+schema+`}`), elicit.EraBlocking)
	if err != nil {
		t.Fatal(err)
	}
	if el.Mode != elicit.ModeForm || el.Message != "Which?\n" || string(el.Schema) != schema {
		t.Errorf("Parse: %+v", el)
	}
	if names := el.Form.FieldNames(); strings.Join(names, ",") != "b,a" {
		t.Errorf("fields %v, want the order of the wire", names)
	}
}

func TestParse_RefusesMalformedParams(t *testing.T) {
	const ok = `"requestedSchema":{"type":"object","properties":{}}`
	for _, tt := range []struct{ params, path string }{
		{``, "params"},
		{`null`, "params"},
		{`[]`, "params"},
		{`{"message":"x",` + ok, "params"},
		{`{` + ok + `}`, "message"},
		{`{"message":7,` + ok + `}`, "message"},
		{`{"message":null,` + ok + `}`, "message"},
		{`{"message":"x"}`, "requestedSchema"},
		{`{"message":"x","requestedSchema":null}`, "requestedSchema"},
		{`{"message":"x","mode":"voice",` + ok + `}`, "mode"},
		{`{"message":"x","mode":null,` + ok + `}`, "mode"},
		{`{"message":"x","message":"y",` + ok + `}`, "message"},
	} {
		_, err := blockkit.Parse(json.RawMessage(tt.params), elicit.EraBlocking)
		wantInvalid(t, tt.params, err, tt.path)
	}
	if _, err := blockkit.Parse(json.RawMessage(`{"message":"x","mode":"form",`+ok+`}`), elicit.EraBlocking); err != nil {
		t.Errorf("form mode by name: %v", err)
	}
}
