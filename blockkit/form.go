package blockkit

import (
	"encoding/json"
	"slices"
)

// Form is a requestedSchema that Slack can show. It is read-only and may be
// used by several goroutines at once.
type Form struct {
	fields []field
	paged  []span // the fields of each page; nil when they share one
	schema json.RawMessage
}

// ParseForm reads a requestedSchema. An error is an *elicit.InvalidParamsError
// when the schema is malformed, and an *UnrenderableError when it is legal but
// Slack cannot show it.
func ParseForm(requestedSchema json.RawMessage) (*Form, error) {
	p := at("requestedSchema")
	n, err := decodeNode(requestedSchema, p)
	if err != nil {
		return nil, err
	}
	return parseForm(n, p)
}

func parseForm(n *node, p path) (*Form, error) {
	if err := bounded(n, p); err != nil {
		return nil, err
	}
	resolve := newFlattener(n)
	root, err := resolve.flatten(n, p)
	if err != nil {
		return nil, err
	}
	if t := root.get("type"); t != nil && (!t.is(nodeString) || t.text != "object") {
		return nil, invalid(p.member("type"), "must be \"object\"")
	}
	properties := root.get("properties")
	at := p.member("properties")
	if properties != nil && !properties.is(nodeObject) {
		return nil, invalid(at, "must be an object")
	}
	required, err := requiredNames(root.node, properties, p)
	if err != nil {
		return nil, err
	}
	f := &Form{schema: n.raw}
	if properties != nil {
		if len(properties.members) > maxProperties {
			return nil, unrenderable(at, "a form has at most %d fields, these are %d", maxProperties, len(properties.members))
		}
		f.fields = make([]field, 0, len(properties.members))
		for _, m := range properties.members {
			if m.lossy {
				return nil, invalid(at.member(m.name), "its name holds half of a surrogate pair, which cannot be sent back")
			}
			fd, err := resolve.parseField(m.name, m.value, required[m.name], at.member(m.name))
			if err != nil {
				return nil, err
			}
			f.fields = append(f.fields, fd)
		}
		f.label()
	}
	if err := f.fit(at); err != nil {
		return nil, err
	}
	return f, f.possible(root.node, p)
}

// requiredNames reads required. A name that is no property could never be
// answered.
func requiredNames(root, properties *node, p path) (map[string]bool, error) {
	list, at := root.get("required"), p.member("required")
	if list == nil {
		return nil, nil
	}
	if !list.is(nodeArray) {
		return nil, invalid(at, "must be a list of property names")
	}
	out := make(map[string]bool, len(list.items))
	for i, it := range list.items {
		if !it.is(nodeString) {
			return nil, invalid(at.item(i), "must be a property name")
		}
		if properties.get(it.text) == nil {
			return nil, invalid(at.item(i), "%q is not in properties", shortened(it.text, 80))
		}
		out[it.text] = true
	}
	return out, nil
}

// maxLabel is how long labels get. Slack takes 2,000 characters, of which
// nobody reads so many over an input.
const maxLabel = 150

// label gives every field its label: the title, or else the name, distinct
// within the form.
func (f *Form) label() {
	labels, names := make([]string, len(f.fields)), make([]string, len(f.fields))
	for i, fd := range f.fields {
		names[i] = shownLine(fd.name)
		if names[i] == "" {
			names[i] = wordEmpty
		}
		labels[i] = fd.label
		if labels[i] == "" {
			labels[i] = names[i]
		}
	}
	for i, l := range distinct(labels, names, maxLabel) {
		f.fields[i].label = l
		if !fits(labels[i], maxLabel) {
			f.fields[i].whole = labels[i]
		}
	}
}

// annotations are the keywords at the root of a schema that allow any content
// made of its properties.
var annotations = []string{
	"type", "properties", "required", "title", "description", "additionalProperties",
	"$schema", "$id", "$defs", "definitions", "$comment", "examples", "default",
}

// possible checks a form without inputs: its only answer must be valid. A form
// with inputs tells the person what is wrong.
func (f *Form) possible(root *node, p path) error {
	if f.firstInput(0, len(f.fields)) >= 0 {
		return nil
	}
	plain := len(f.fields) == 0
	for _, m := range root.members {
		plain = plain && slices.Contains(annotations, m.name)
	}
	if plain {
		return nil
	}
	content, _ := f.Answer(nil, Reader{})
	if _, problem := misfit(compileSchema(f.schema), content); !problem.empty() {
		return invalid(p, "nothing that a person could answer is valid: %s", problem.in(English))
	}
	return nil
}

// FieldNames returns the property names in the order of the schema, for
// records.
func (f *Form) FieldNames() []string {
	out := make([]string, 0, len(f.fields))
	for _, fd := range f.fields {
		out = append(out, fd.name)
	}
	return out
}

// Labels returns what a person reads over the fields, in the same order.
func (f *Form) Labels() []string {
	out := make([]string, 0, len(f.fields))
	for _, fd := range f.fields {
		out = append(out, fd.label)
	}
	return out
}

// Empty reports whether nothing is asked, so that the answer is {}.
func (f *Form) Empty() bool { return len(f.fields) == 0 }

// SingleBoolean reports whether a single yes-or-no is asked.
func (f *Form) SingleBoolean() bool {
	if len(f.fields) != 1 {
		return false
	}
	switch c := f.fields[0].control.(type) {
	case checkbox:
		return true
	case *choice:
		return c.boolean
	}
	return false
}

// FirstBlockID returns the id of the first input block, for an error about the
// form as a whole; empty when the form has no inputs.
func (f *Form) FirstBlockID() string {
	if i := f.firstInput(0, len(f.fields)); i >= 0 {
		return blockID(i)
	}
	return ""
}
