package blockkit

import (
	"encoding/json"

	"github.com/slackbridge/slackbridge/elicit"
)

// Elicitation is a question as a server asked it, checked.
type Elicitation struct {
	Mode    elicit.Mode
	Message string          // verbatim
	Schema  json.RawMessage // requestedSchema, byte for byte; nil in URL mode
	Form    *Form           // without fields in URL mode

	Link *Link  // in URL mode; else nil
	ID   string // elicitationId, by which a server of the blocking era says that the page is finished
}

// Parse reads the params of elicitation/create of a server of that era. An
// error is an *elicit.InvalidParamsError when they are malformed or ask for a
// mode that is not known, and an *UnrenderableError when they are legal but
// Slack cannot show them.
func Parse(params json.RawMessage, era elicit.Era) (*Elicitation, error) {
	n, err := decodeNode(params, path{})
	if err != nil {
		return nil, err
	}
	if !n.is(nodeObject) {
		return nil, invalid(path{}, "must be an object")
	}
	mode := elicit.ModeForm
	if m := n.get("mode"); m != nil {
		mode = elicit.Mode(m.text)
		if !m.is(nodeString) || mode != elicit.ModeForm && mode != elicit.ModeURL {
			return nil, invalid(at("mode"), "must be form or url")
		}
	}
	message := n.get("message")
	switch {
	case message == nil:
		return nil, invalid(at("message"), "is missing")
	case !message.is(nodeString):
		return nil, invalid(at("message"), "must be a string")
	}
	el := &Elicitation{Mode: mode, Message: message.text, Form: &Form{}}
	if mode == elicit.ModeURL {
		return el, el.readLink(n, era)
	}
	if n := len(messagePages(message.text)); n > maxTextPages {
		return nil, unrenderable(at("message"), "it is longer than the %d pages that a form may take for it", maxTextPages)
	}
	schema := n.get("requestedSchema")
	if schema == nil {
		return nil, invalid(at("requestedSchema"), "is missing")
	}
	el.Schema = schema.raw
	el.Form, err = parseForm(schema, at("requestedSchema"))
	if err != nil {
		return nil, err
	}
	return el, nil
}

// readLink reads what URL mode has in the place of a schema.
func (e *Elicitation) readLink(n *node, era elicit.Era) error {
	if !isShort(shown(e.Message)) {
		return unrenderable(at("message"), "it is longer than Slack can show on one card (%d characters)", maxMessage)
	}
	address := n.get("url")
	switch {
	case address == nil:
		return invalid(at("url"), "is missing")
	case !address.is(nodeString):
		return invalid(at("url"), "must be a string")
	}
	id := n.get("elicitationId")
	switch {
	case id.is(nodeString) && id.text != "":
		e.ID = id.text
	case id != nil:
		return invalid(at("elicitationId"), "must be a string that is not empty")
	case era == elicit.EraBlocking:
		return invalid(at("elicitationId"), "is missing")
	}
	var err error
	e.Link, err = parseLink(address.text, at("url"))
	return err
}

// HasForm reports whether answering takes the form. A question without fields
// is answered on its card, if the whole of it is to be seen there.
func (e *Elicitation) HasForm() bool {
	return e.Link != nil || !e.Form.Empty() || !isShort(shown(e.Message))
}
