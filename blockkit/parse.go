package blockkit

import (
	"encoding/json"

	"github.com/slackbridge/slackbridge/elicit"
)

// Elicitation is a question as a server asked it, checked.
type Elicitation struct {
	Mode    elicit.Mode
	Message string          // verbatim
	Schema  json.RawMessage // requestedSchema, byte for byte
	Form    *Form
}

// Parse reads the params of elicitation/create. An error is an
// *elicit.InvalidParamsError when they are malformed or ask for a mode that is
// not declared, and an *UnrenderableError when they are legal but Slack cannot
// show them.
func Parse(params json.RawMessage) (*Elicitation, error) {
	n, err := decodeNode(params, path{})
	if err != nil {
		return nil, err
	}
	if !n.is(nodeObject) {
		return nil, invalid(path{}, "must be an object")
	}
	if m := n.get("mode"); m != nil && (!m.is(nodeString) || m.text != string(elicit.ModeForm)) {
		return nil, invalid(at("mode"), "this client has declared form mode only")
	}
	message := n.get("message")
	switch {
	case message == nil:
		return nil, invalid(at("message"), "is missing")
	case !message.is(nodeString):
		return nil, invalid(at("message"), "must be a string")
	}
	if n := len(messagePages(message.text)); n > maxTextPages {
		return nil, unrenderable(at("message"), "it is longer than the %d pages that a form may take for it", maxTextPages)
	}
	schema := n.get("requestedSchema")
	if schema == nil {
		return nil, invalid(at("requestedSchema"), "is missing")
	}
	form, err := parseForm(schema, at("requestedSchema"))
	if err != nil {
		return nil, err
	}
	return &Elicitation{Mode: elicit.ModeForm, Message: message.text, Schema: schema.raw, Form: form}, nil
}

// HasForm reports whether answering takes the form. A question without fields
// is answered on its card, if the whole of it is to be seen there.
func (e *Elicitation) HasForm() bool { return !e.Form.Empty() || !isShort(shown(e.Message)) }
