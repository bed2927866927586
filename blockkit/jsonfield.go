package blockkit

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/slack-go/slack"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// jsonField is an argument that no input can ask for: it is typed as JSON.
type jsonField struct {
	schema  *jsonschema.Schema // nil when it cannot be compiled; the server checks then
	example string
	initial string
}

// parseJSONField reads the property that stands at pointer within root.
func parseJSONField(s *node, root json.RawMessage, pointer string) control {
	f := jsonField{schema: compileAt(root, pointer), example: `"text", 5, ["a","b"]`}
	switch s.str("type") {
	case "array":
		f.example = `["a","b"]`
	case "object":
		f.example = `{"name":"value"}`
	}
	if d := s.get("default"); d != nil {
		text := pretty(d.raw)
		if f.check(d.raw).empty() && units(text) <= maxText && revealHidden(text) == text {
			f.initial = text
		}
	}
	return f
}

// pointerTo is the JSON pointer of a property.
func pointerTo(name string) string {
	return "/properties/" + pointerEscape.Replace(name)
}

func (f jsonField) element(Language) slack.BlockElement {
	e := slack.NewPlainTextInputBlockElement(nil, inputAction)
	e.InitialValue, e.Multiline, e.MaxLength = f.initial, true, maxText
	return e
}

func (f jsonField) hints(Reader) []phrase { return []phrase{say("JSON, such as %s", f.example)} }

func (f jsonField) skippable(required bool) bool { return !required }

func (f jsonField) missing() phrase { return errFill }

func (f jsonField) keep(e entry) control {
	f.initial, _ = e.text("value")
	return f
}

func (f jsonField) read(e entry, _ *answering) (json.RawMessage, phrase) {
	s, ok := e.text("value")
	if !ok {
		return nil, errUnreadable
	}
	if s = strings.TrimSpace(s); s == "" {
		return nil, phrase{}
	}
	raw := json.RawMessage(s)
	if !json.Valid(raw) { // phones turn quotes into curly ones
		raw = json.RawMessage(straightQuotes.Replace(s))
	}
	n, err := decodeNode(raw, path{})
	if err != nil {
		var none any
		if syntax := json.Unmarshal([]byte(s), &none); syntax != nil {
			return nil, say("Please enter JSON: %s", syntax.Error())
		}
		return nil, say("Please enter JSON: %s", err.Error())
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, n.raw); err != nil { // it is valid
		return nil, errUnreadable
	}
	return compact.Bytes(), f.check(compact.Bytes())
}

// check returns what is wrong with a value, and where inside it.
func (f jsonField) check(raw json.RawMessage) phrase {
	if f.schema == nil {
		return phrase{}
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return say("Please enter JSON: %s", err.Error())
	}
	var bad *jsonschema.ValidationError
	if err = f.schema.Validate(value); !errors.As(err, &bad) {
		if err != nil {
			return say("This is not what is asked for: %s", err.Error())
		}
		return phrase{}
	}
	for len(bad.Causes) > 0 {
		bad = bad.Causes[0]
	}
	why := bad.ErrorKind.LocalizedString(message.NewPrinter(language.English))
	if len(bad.InstanceLocation) == 0 {
		return say("This is not what is asked for: %s", why)
	}
	return say("This is not what is asked for at %s: %s", cut(shownLine(strings.Join(bad.InstanceLocation, ".")), maxName), why)
}

var pointerEscape = strings.NewReplacer("~", "~0", "/", "~1")
