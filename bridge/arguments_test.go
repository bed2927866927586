package bridge_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/slackbridge/slackbridge/blockkit"
	"github.com/slackbridge/slackbridge/elicit"
)

// toolWith is a rig whose tool takes these arguments and remembers them.
func toolWith(r *rig, schema string) *[]string {
	var ran []string
	r.host.tools = []elicit.Tool{{Server: "deploy", Name: "deploy_service", Description: "Deploys a service.", InputSchema: json.RawMessage(schema)}}
	r.host.call = func(_ context.Context, c elicit.Call) (elicit.Outcome, error) {
		ran = append(ran, string(c.Arguments))
		return elicit.Outcome{Result: &elicit.Result{}}, nil
	}
	return &ran
}

const deployArguments = `{"type":"object","properties":{
	"service":{"type":"string"},"version":{"type":"string"},
	"labels":{"type":"object","additionalProperties":{"type":"string"}}},"required":["service","version"]}`

func TestArguments_MissingOnesAreAskedForWithWhatWasTyped(t *testing.T) {
	bubble(t, nil, func(t *testing.T, r *rig) {
		ran := toolWith(r, deployArguments)
		r.command("deploy.deploy_service service=payments")
		p := r.openPage()
		for _, want := range []string{`"initial_value":"payments"`, "Deploys a service.", `"text":"Run"`, `"callback_id":"tool_args"`} {
			if !p.says(want) {
				t.Errorf("the form has no %s", want)
			}
		}
		if p.says("elicit_decline") {
			t.Error("there is nothing to decline in it")
		}
		if reply := p.submit("not JSON"); len(reply.Errors) != 1 || !strings.Contains(reply.Errors["f2"], "JSON") {
			t.Errorf("%+v, want an error at the JSON field", reply)
		}
		if len(*ran) != 0 {
			t.Fatalf("the tool ran with %q", *ran)
		}
		state := json.RawMessage(`{"values":{"f0":{"v":{"value":"payments"}},"f1":{"v":{"value":"2"}},"f2":{"v":{"value":"{“team”: “a b”}"}}}}`)
		hand := func() blockkit.SubmitReply {
			reply := r.b.Submit(t.Context(), blockkit.Submission{User: ann, View: p.ref(), State: state, TriggerID: "submit", At: time.Now()})
			if reply.Then != nil {
				reply.Then(t.Context())
			}
			synctest.Wait()
			return reply
		}
		if reply := hand(); len(reply.Errors) > 0 {
			t.Fatalf("%v", reply.Errors)
		}
		if reply := hand(); reply.Then != nil {
			t.Error("the same submission runs the tool again")
		}
		if want := `{"service":"payments","version":"2","labels":{"team":"a b"}}`; len(*ran) != 1 || (*ran)[0] != want {
			t.Errorf("the tool ran with %q, want once with %s", *ran, want)
		}
		r.wantNote("post", "deploy.deploy_service")
	})
}

func TestArguments_SubmittedTooLateSayWhy(t *testing.T) {
	bubble(t, nil, func(t *testing.T, r *rig) {
		ran := toolWith(r, deployArguments)
		r.command("deploy.deploy_service")
		p := r.openPage()
		clear(r.ledger.drafts)
		reply := p.submit("x")
		if reply.Replace == nil || !(page{t, r, *reply.Replace}).says("not known any more") || len(*ran) != 0 {
			t.Errorf("%+v, want to be told", reply)
		}
	})
}

func TestArguments_FormThatDoesNotOpenIsToldInWords(t *testing.T) {
	bubble(t, nil, func(t *testing.T, r *rig) {
		toolWith(r, deployArguments)
		r.slack.setFail("open", elicit.ErrTriggerExpired)
		r.command("deploy.deploy_service")
		r.wantNote("respond", "missing service, version")
	})
}

func TestArguments_WhatCannotBeRecordedKeepsTheForm(t *testing.T) {
	bubble(t, nil, func(t *testing.T, r *rig) {
		ran := toolWith(r, `{"type":"object","properties":{"service":{"type":"string"}},"required":["service"]}`)
		r.command("deploy.deploy_service")
		p := r.openPage()
		r.ledger.fail(errors.New("Redis is away"))
		if reply := p.submit("x"); len(reply.Errors) != 1 || len(*ran) != 0 {
			t.Errorf("%+v, want an error at the first input", reply)
		}
		r.ledger.fail(nil)
	})
}

func TestArguments_ManyAreTurnedPageByPage(t *testing.T) {
	bubble(t, nil, func(t *testing.T, r *rig) {
		var el struct {
			RequestedSchema json.RawMessage `json:"requestedSchema"`
		}
		if err := json.Unmarshal([]byte(longForm()), &el); err != nil {
			t.Fatal(err)
		}
		ran := toolWith(r, string(el.RequestedSchema))
		r.command("deploy.deploy_service q49=typed")
		p := r.openPage()
		for p.says(`"text":"Next"`) {
			p = p.next("x")
		}
		if !p.says(`"initial_value":"typed"`) {
			t.Error("what was typed with the command is not on its page")
		}
		p.back("y")
		p = r.openPage().next("z")
		p.submit("last")
		if len(*ran) != 1 || !strings.HasPrefix((*ran)[0], `{"p0":"x",`) || !strings.HasSuffix((*ran)[0], `"q49":"last"}`) {
			t.Errorf("the tool ran with %q", *ran)
		}
	})
}
