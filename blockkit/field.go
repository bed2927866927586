package blockkit

import (
	"encoding/json"
	"slices"
	"strconv"

	"github.com/slack-go/slack"
)

// field is one property of a form.
type field struct {
	name     string // in the schema and in the content
	label    string // what a person reads: at most maxLabel, distinct within the form
	whole    string // the label when it had to be cut; else empty
	about    string // the description
	required bool
	control
}

// control is how a property is asked for; there is one kind for each row of
// the type table.
type control interface {
	// element draws the input; nil when there is nothing to enter.
	element(l Language) slack.BlockElement
	// hints say what is expected, in order of interest; empty ones are left out.
	hints(r Reader) []phrase
	// skippable reports whether Slack lets the input stay empty. Slack's own
	// check must never be stricter than the schema.
	skippable(required bool) bool
	// read takes the answer out of what Slack sent: its JSON value, nil when
	// there is none, or what is wrong with it.
	read(e entry, a *answering) (value json.RawMessage, problem phrase)
	// missing is the error when there must be an answer.
	missing() phrase
	// keep returns the control with what a person had entered in it, right or
	// wrong, in the place of the default. Only drawing follows it.
	keep(e entry) control
}

// answering is what reading the fields of one form shares.
type answering struct {
	Reader
	timeouts int // of patterns, so far
}

// blockID names the input block of the field at position i. It depends on
// nothing else, so that every replica knows it.
func blockID(i int) string { return "f" + strconv.Itoa(i) }

// inputAction is the action id of every input; it is looked for within its block.
const inputAction = "v"

// parseField reads the property name, whose schema stands at p.
func (f flattener) parseField(name string, schema *node, required bool, p path) (field, error) {
	s, err := f.flatten(schema, p)
	if err != nil {
		return field{}, err
	}
	out := field{name: name, label: shownLine(s.str("title")), about: shown(s.str("description")), required: required}
	out.control, err = f.parseControl(s, required, p)
	return out, err
}

func (f flattener) parseControl(s flat, required bool, p path) (control, error) {
	if c := s.get("const"); c != nil {
		return parseConstant(s, c, p)
	}
	if s.str("type") == "array" && s.get("enum") != nil && s.get("items") != nil {
		return nil, invalid(p.member("enum"), "the choices of an array stand in items")
	}
	if s.is(nodeObject) && (s.get("enum") != nil || s.get("oneOf") != nil || s.get("anyOf") != nil) && s.str("type") != "array" {
		return parseChoice(s, required, p)
	}
	kind := s.get("type")
	if kind == nil {
		return nil, invalid(p.member("type"), "is missing")
	}
	if !kind.is(nodeString) {
		return nil, invalid(p.member("type"), "must be a string")
	}
	switch kind.text {
	case "string":
		return f.parseText(s, required, p)
	case "integer", "number":
		return parseNumber(s, p)
	case "boolean":
		return parseBoolean(s, required), nil
	case "array":
		return f.parseChoices(s, required, p)
	case "object":
		return nil, invalid(p, "a form is flat: an object cannot be asked for")
	}
	return nil, invalid(p.member("type"), "%q is not a type that a form can ask for", shortened(kind.text, 40))
}

// constant is a property whose only value is known: it is shown and sent.
type constant struct {
	value json.RawMessage
	text  string
}

func parseConstant(s flat, c *node, p path) (control, error) {
	if err := checkScalar(c, s.str("type"), p.member("const")); err != nil {
		return nil, err
	}
	if list := s.get("enum"); list.is(nodeArray) && !slices.ContainsFunc(list.items, func(v *node) bool { return v.key() == c.key() }) {
		return nil, invalid(p.member("const"), "is not in enum")
	}
	return constant{value: c.raw, text: c.text}, nil
}

func (constant) element(Language) slack.BlockElement                { return nil }
func (constant) hints(Reader) []phrase                              { return nil }
func (constant) skippable(bool) bool                                { return true }
func (constant) missing() phrase                                    { return phrase{} }
func (c constant) read(entry, *answering) (json.RawMessage, phrase) { return c.value, phrase{} }
func (c constant) keep(entry) control                               { return c }

// checkScalar checks that v is a value that an answer can hold, of the
// declared type if there is one.
func checkScalar(v *node, declared string, p path) error {
	switch v.kind {
	case nodeObject, nodeArray, nodeNull:
		return invalid(p, "must be a string, a number or a boolean")
	}
	if v.lossy {
		return invalid(p, "holds half of a surrogate pair, which cannot be sent back")
	}
	ok := true
	switch declared {
	case "":
	case "integer":
		ok = false
		if v.is(nodeNumber) {
			n, _ := parseNumeral(v.text)
			ok = n.isInt()
		}
	case "string":
		ok = v.is(nodeString)
	case "number":
		ok = v.is(nodeNumber)
	case "boolean":
		ok = v.is(nodeBool)
	default:
		ok = false
	}
	if !ok {
		return invalid(p, "is no value of the type %s", shortened(declared, 40))
	}
	return nil
}
