package blockkit

import (
	"bytes"
	"encoding/json"
	"time"
)

// Answer reads a submitted form. state is view.state as Slack sent it; an
// object, [], null and nothing are all taken. A date and time is written with
// the offset of zone; nil is UTC.
//
// Either content is the JSON object to send, its members in the order of the
// schema, valid under it. Or content is nil and errs says what is expected, by
// the id of the input block, all errors at once, each of at most 150
// characters.
func (f *Form) Answer(state json.RawMessage, zone *time.Location) (content json.RawMessage, errs map[string]string) {
	if zone == nil {
		zone = time.UTC
	}
	a := &answering{zone: zone}
	entries := decodeState(state)
	values := make([]json.RawMessage, len(f.fields))
	errs = map[string]string{}
	for i, fd := range f.fields {
		value, problem := fd.read(entries[blockID(i)], a)
		if value == nil && problem == "" && fd.required {
			problem = fd.missing()
		}
		if problem != "" {
			errs[blockID(i)] = fieldError(problem)
		}
		values[i] = value
	}
	if len(errs) > 0 {
		return nil, errs
	}
	content = f.object(values)
	first := f.FirstBlockID()
	if first == "" { // possible has checked it
		return content, nil
	}
	if property, problem := misfit(compileSchema(f.schema), content); problem != "" {
		return nil, map[string]string{f.blockOf(property, first): fieldError(problem)}
	}
	return content, nil
}

// object writes content: the answered fields in the order of the schema.
func (f *Form) object(values []json.RawMessage) json.RawMessage {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, v := range values {
		if v == nil {
			continue
		}
		if b.Len() > 1 {
			b.WriteByte(',')
		}
		b.Write(quote(f.fields[i].name))
		b.WriteByte(':')
		b.Write(v)
	}
	b.WriteByte('}')
	return b.Bytes()
}

// blockOf is the input block of a property; first when it has none.
func (f *Form) blockOf(property, first string) string {
	for i, fd := range f.fields {
		if _, fixed := fd.control.(constant); fd.name == property && !fixed {
			return blockID(i)
		}
	}
	return first
}

// Choice is an answer that can be given with one button.
type Choice struct {
	Label   string          // at most maxChoiceLabel characters
	Content json.RawMessage // the whole content
}

// What stands as buttons on a card: few, and short enough for a phone, where a
// button shows about 30 characters.
const (
	maxChoices     = 4
	maxChoiceLabel = 30
)

// Choices returns the answers of a form that asks for nothing but one required
// boolean, or one required choice of up to four short options; else nil.
func (f *Form) Choices() []Choice {
	if len(f.fields) != 1 || !f.fields[0].required {
		return nil
	}
	var options []option
	switch c := f.fields[0].control.(type) {
	case checkbox:
		options = yesNo()
	case *choice:
		options = c.options
	}
	if len(options) > maxChoices {
		return nil
	}
	schema := compileSchema(f.schema)
	var out []Choice
	for _, o := range options {
		content := f.object([]json.RawMessage{o.value.raw})
		if _, problem := misfit(schema, content); problem != "" || !fits(o.label, maxChoiceLabel) || o.about != "" {
			return nil
		}
		out = append(out, Choice{Label: o.label, Content: content})
	}
	return out
}
