package blockkit

import (
	"encoding/json"

	"github.com/slack-go/slack"
)

const (
	jsonTrue  = "true"
	jsonFalse = "false"
)

// parseBoolean asks with one prefilled checkbox when there is a default, which
// makes true and false equally an answer, and otherwise with Yes and No.
func parseBoolean(s flat, required bool) control {
	if d := s.get("default"); d.is(nodeBool) {
		return checkbox{checked: d.text == jsonTrue}
	}
	return newChoice(yesNo(), required, true)
}

func yesNo() []option {
	return []option{
		{label: wordYes, ours: true, value: &trueNode},
		{label: wordNo, ours: true, value: &falseNode},
	}
}

// The values of Yes and No; nodes are never written to.
var (
	trueNode  = node{kind: nodeBool, text: jsonTrue, raw: json.RawMessage(jsonTrue)}
	falseNode = node{kind: nodeBool, text: jsonFalse, raw: json.RawMessage(jsonFalse)}
)

// checkbox is a boolean with a default: it is always answered.
type checkbox struct{ checked bool }

func (c checkbox) option(l Language) Option {
	return slack.NewOptionBlockObject(optionID(0), plain(say(wordYes).in(l)), nil)
}

func (c checkbox) element(l Language) slack.BlockElement {
	e := slack.NewCheckboxGroupsBlockElement(inputAction, c.option(l))
	if c.checked {
		e.InitialOptions = []Option{c.option(l)}
	}
	return e
}

func (checkbox) hints(Reader) []phrase { return nil }

// skippable: Slack would not let a required box stay empty, which is how false
// is said.
func (checkbox) skippable(bool) bool { return true }

func (checkbox) missing() phrase { return errUnreadable }

func (checkbox) keep(e entry) control {
	picked, _ := e.options()
	return checkbox{checked: len(picked) > 0}
}

func (c checkbox) read(e entry, _ *answering) (json.RawMessage, phrase) {
	if !e.present() {
		return nil, phrase{}
	}
	picked, ok := e.options()
	switch {
	case !ok || len(picked) > 1 || len(picked) == 1 && picked[0] != optionID(0):
		return nil, errNotOffered
	case len(picked) == 1:
		return json.RawMessage(jsonTrue), phrase{}
	}
	return json.RawMessage(jsonFalse), phrase{}
}
