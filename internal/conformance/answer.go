package main

import (
	"encoding/json"
	"fmt"

	"github.com/slackbridge/slackbridge/blockkit"
	"github.com/slackbridge/slackbridge/elicit"
)

// answer accepts a question as a person would who opens its form, fills in what
// is required and not filled in already, and submits.
func answer(q elicit.Question) (elicit.Answer, error) {
	asked, err := blockkit.Parse(q.Params, q.Era)
	if err != nil {
		return elicit.Answer{}, fmt.Errorf("reading the question: %w", err)
	}
	if asked.Mode == elicit.ModeURL {
		return elicit.Answer{Action: elicit.Accept}, nil
	}
	state, err := submitted(asked.Form.Modal(blockkit.FormView{ID: "question", User: q.Origin.RequesterUser(), Server: q.Server, Message: asked.Message}))
	if err != nil {
		return elicit.Answer{}, err
	}
	content, problems := asked.Form.Answer(state, blockkit.Reader{})
	if len(problems) > 0 {
		return elicit.Answer{}, fmt.Errorf("the form refuses what was entered: %v", problems)
	}
	return elicit.Answer{Action: elicit.Accept, Content: content}, nil
}

// element is an input of a form in the JSON that Slack gets.
type element struct {
	Type     string            `json:"type"`
	ActionID string            `json:"action_id"`
	Value    json.RawMessage   `json:"initial_value"`
	Option   json.RawMessage   `json:"initial_option"`
	Options  json.RawMessage   `json:"initial_options"`
	Date     json.RawMessage   `json:"initial_date"`
	DateTime json.RawMessage   `json:"initial_date_time"`
	Choices  []json.RawMessage `json:"options"`
}

// submitted is view.state as Slack sends it when the form is submitted: what
// stands in the inputs already, and in required ones without that, anything.
func submitted(form blockkit.Modal) (json.RawMessage, error) {
	raw, err := json.Marshal(form.View)
	if err != nil {
		return nil, fmt.Errorf("writing the form: %w", err)
	}
	var view struct {
		Blocks []struct {
			BlockID  string  `json:"block_id"`
			Optional bool    `json:"optional"`
			Element  element `json:"element"`
		} `json:"blocks"`
	}
	if err := json.Unmarshal(raw, &view); err != nil {
		return nil, fmt.Errorf("reading the form: %w", err)
	}
	values := map[string]any{}
	for _, b := range view.Blocks {
		if b.Element.ActionID != "" {
			values[b.BlockID] = map[string]any{b.Element.ActionID: b.Element.filled(!b.Optional)}
		}
	}
	state, err := json.Marshal(map[string]any{"values": values})
	if err != nil {
		return nil, fmt.Errorf("writing the state of the form: %w", err)
	}
	return state, nil
}

// filled is the element's entry in view.state.
func (e element) filled(required bool) map[string]any {
	out := map[string]any{"type": e.Type}
	pick := func(name string, initial json.RawMessage, sample any) {
		switch {
		case initial != nil:
			out[name] = initial
		case required:
			out[name] = sample
		default:
			out[name] = nil
		}
	}
	var first json.RawMessage
	if len(e.Choices) > 0 {
		first = e.Choices[0]
	}
	switch e.Type {
	case "static_select", "radio_buttons":
		pick("selected_option", e.Option, first)
	case "multi_static_select", "checkboxes":
		pick("selected_options", e.Options, []json.RawMessage{first})
	case "datepicker":
		pick("selected_date", e.Date, "2026-07-28")
	case "datetimepicker":
		pick("selected_date_time", e.DateTime, 1785196800)
	case "number_input":
		pick("value", e.Value, "1")
	default:
		pick("value", e.Value, "text")
	}
	return out
}
