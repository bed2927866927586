package slacksim

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf16"

	"github.com/slackbridge/slackbridge/internal/slackrules"
)

// maxErrorText bounds a text under a field. Slack names no limit; longer ones
// have not been tried.
const maxErrorText = 150

// Submit presses the submit button of the modal. Slack's app checks the fields
// first and sends nothing when one is wrong: that is an error here, with the
// texts at the fields. It returns when the app's answer has been carried out;
// field errors from the app are no error of Submit.
func (p *Person) Submit(ctx context.Context) error {
	s := p.sim
	s.mu.Lock()
	v, err := p.frontView()
	if err == nil {
		err = p.checkForm(v)
	}
	if err != nil {
		s.mu.Unlock()
		return err
	}
	v.banner, v.errors = "", nil
	s.change()
	post := s.viewSubmission(v)
	s.mu.Unlock()

	r, err := s.deliver(ctx, post)
	if err != nil {
		return s.connectError(v, "view_submission was not acknowledged: "+err.Error())
	}
	if why := s.settle(v, r.body); why != "" {
		return s.connectError(v, "the answer to view_submission was not usable: "+why)
	}
	return nil
}

// checkForm does what Slack's app does before sending.
func (p *Person) checkForm(v *view) error {
	if v.source["submit"] == nil {
		return ClientError("this modal has no submit button")
	}
	v.errors = map[string]string{}
	var first string
	for _, sl := range slots(v.blocks) {
		if !stateful(sl.typ) || !sl.input {
			continue
		}
		if text := problem(sl, v.state.get(sl)); text != "" {
			v.errors[sl.blockID] = text
			if first == "" {
				first = p.sim.rendererFor(p.id).fieldLabel(sl) + ": " + text
			}
		}
	}
	if first == "" {
		return nil
	}
	p.sim.change()
	return ClientError(first)
}

// settle carries out the app's answer to a submission; it returns why not.
func (s *Sim) settle(v *view, body []byte) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	k := s.stackOf(v)
	if k == nil {
		return "" // the person closed it meanwhile: nothing is shown any more
	}
	switch text := strings.TrimSpace(string(body)); text {
	case "", "null", "{}", `""`:
		s.closeTop(k)
		return ""
	}
	var r struct {
		Action string            `json:"response_action"`
		Errors map[string]string `json:"errors"`
		View   json.RawMessage   `json:"view"`
	}
	if err := json.Unmarshal(body, &r); err != nil {
		return "it is no JSON: " + err.Error()
	}
	switch r.Action {
	case "errors":
		return s.showErrors(v, r.Errors)
	case "update", "push":
		return s.showNext(k, v, r.Action, r.View)
	case "clear":
		s.closeStack(k)
		return ""
	default:
		return fmt.Sprintf("unknown response_action %q", r.Action)
	}
}

// showErrors puts texts under fields. Every key must be the block_id of an
// input block of the view.
func (s *Sim) showErrors(v *view, errs map[string]string) string {
	inputs := map[string]bool{}
	for _, sl := range slots(v.blocks) {
		if sl.input {
			inputs[sl.blockID] = true
		}
	}
	if len(errs) == 0 {
		return "errors is empty"
	}
	for key, text := range errs {
		switch {
		case !inputs[key]:
			return fmt.Sprintf("errors has the key %q, which is no input block of the view", key)
		case text == "":
			return fmt.Sprintf("the error of %q is empty", key)
		case len(utf16.Encode([]rune(text))) > maxErrorText:
			return fmt.Sprintf("the error of %q is longer than %d characters", key, maxErrorText)
		}
	}
	v.errors = errs
	s.change()
	return ""
}

// showNext puts another view in the place of v, or on top of it.
func (s *Sim) showNext(k *stack, v *view, action string, raw json.RawMessage) string {
	if found := slackrules.CheckView(raw); len(found) > 0 {
		return fmt.Sprintf("the view is not valid: %v", found)
	}
	source, _ := decode(raw).(object)
	if action == "push" {
		_, code := s.push(k, source)
		return code
	}
	if s.externalTaken(str(source, "external_id"), v) {
		return "duplicate_external_id"
	}
	s.replace(v, source)
	return ""
}
