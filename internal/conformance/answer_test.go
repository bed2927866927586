package main

import (
	"encoding/json"
	"testing"

	"github.com/slackbridge/slackbridge/elicit"
)

func TestAnswer(t *testing.T) {
	for name, tt := range map[string]struct{ params, want string }{
		"defaults stay": {
			`{"message":"m","requestedSchema":{"type":"object","properties":{
				"name":{"type":"string","default":"Ann"},"age":{"type":"integer","default":30},"score":{"type":"number","default":95.5},
				"status":{"type":"string","enum":["on","off"],"default":"off"},"sure":{"type":"boolean","default":true},
				"tags":{"type":"array","items":{"type":"string","enum":["a","b"]},"default":["b"]},
				"day":{"type":"string","format":"date","default":"2026-01-02"}}}}`,
			`{"name":"Ann","age":30,"score":95.5,"status":"off","sure":true,"tags":["b"],"day":"2026-01-02"}`,
		},
		"what is required is filled in": {
			`{"message":"m","requestedSchema":{"type":"object","required":["name","age","status","sure","tags","day","at"],"properties":{
				"name":{"type":"string"},"age":{"type":"integer"},"status":{"type":"string","enum":["on","off"]},"sure":{"type":"boolean"},
				"tags":{"type":"array","minItems":1,"items":{"type":"string","enum":["a","b"]}},
				"day":{"type":"string","format":"date"},"at":{"type":"string","format":"date-time"}}}}`,
			`{"name":"text","age":1,"status":"on","sure":true,"tags":["a"],"day":"2026-07-28","at":"2026-07-28T00:00:00Z"}`,
		},
		"nothing is asked":        {`{"message":"m","requestedSchema":{"type":"object","properties":{}}}`, `{}`},
		"a page has no content":   {`{"mode":"url","message":"m","url":"https://example.com/","elicitationId":"1"}`, ``},
		"what may stay open does": {`{"message":"m","requestedSchema":{"type":"object","properties":{"name":{"type":"string"}}}}`, `{}`},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := answer(elicit.Question{Era: elicit.EraBlocking, Params: json.RawMessage(tt.params)})
			if err != nil {
				t.Fatal(err)
			}
			if got.Action != elicit.Accept || string(got.Content) != tt.want {
				t.Errorf("%s %s, want accept %s", got.Action, got.Content, tt.want)
			}
		})
	}
}

func TestAnswer_OfNoFormIsAnError(t *testing.T) {
	if got, err := answer(elicit.Question{Era: elicit.EraBlocking, Params: json.RawMessage(`{"message":"m"}`)}); err == nil {
		t.Errorf("answered with %s %s", got.Action, got.Content)
	}
}

func TestSampleArguments_AreTheRequiredOnes(t *testing.T) {
	got := sampleArguments(json.RawMessage(`{"type":"object","required":["a","b","c","d","e"],"properties":{
		"a":{"type":"number"},"b":{"type":"boolean"},"c":{"type":"object"},"d":{"type":"array"},"e":{"type":["string","null"]},"f":{"type":"string"}}}`))
	if want := `{"a":2,"b":true,"c":{},"d":[],"e":"text"}`; string(got) != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got := sampleArguments(nil); string(got) != `{}` {
		t.Errorf("without a schema %s, want {}", got)
	}
}
