package blockkit

import (
	"bytes"
	"encoding/json"
)

// Answer reads a submitted form of one page. state is view.state as Slack sent
// it; an object, [], null and nothing are all taken. A date and time is written
// with the offset of the reader's zone.
//
// Either content is the JSON object to send, its members in the order of the
// schema, valid under it. Or content is nil and errs says what is expected, by
// the id of the input block, all errors at once, each of at most 150
// characters.
func (f *Form) Answer(state json.RawMessage, r Reader) (content json.RawMessage, errs map[string]string) {
	return f.AnswerPages(nil, state, Metadata{}, r)
}

// AnswerPages reads a form of several pages when its last one, which m
// describes, is submitted. What stands on the others is in d. An error on
// another page stands at the first input of this one and says where; under no
// id at all when this page has no input.
func (f *Form) AnswerPages(d Draft, state json.RawMessage, m Metadata, r Reader) (content json.RawMessage, errs map[string]string) {
	if m.Pages <= 1 {
		m.From, m.To = 0, len(f.fields)
	}
	all := Draft{}
	for i, e := range d {
		all[i] = e
	}
	all.Put(state, m)
	a := &answering{Reader: r}
	values := make([]json.RawMessage, len(f.fields))
	errs = map[string]string{}
	for i := range f.fields {
		value, problem := f.fields[i].answer(all[i], a)
		if !problem.empty() {
			f.complain(errs, i, problem, m, r)
		}
		values[i] = value
	}
	if len(errs) > 0 {
		return nil, fitErrors(errs)
	}
	content = f.object(values)
	if f.firstInput(0, len(f.fields)) < 0 { // possible has checked it
		return content, nil
	}
	if property, problem := misfit(compileSchema(f.schema), content); !problem.empty() {
		f.complain(errs, f.inputOf(property), problem, m, r)
		return nil, errs
	}
	return content, nil
}

// answer reads one field.
func (fd *field) answer(e entry, a *answering) (json.RawMessage, phrase) {
	value, problem := fd.read(e, a)
	if value == nil && problem.empty() && fd.required {
		problem = fd.missing()
	}
	return value, problem
}

// complain puts a problem of field i where the person can see it. The first
// one counts where several have to share a place.
func (f *Form) complain(errs map[string]string, i int, problem phrase, m Metadata, r Reader) {
	at := i
	if i < m.From || i >= m.To {
		at = f.firstInput(m.From, m.To)
		problem = say("Please correct “%s” on page %d: %s", cut(f.fields[i].label, maxName), f.pageOf(i, m)+1, problem)
	}
	id := ""
	if at >= 0 {
		id = m.blockID(at)
	}
	if _, taken := errs[id]; !taken || at == i {
		errs[id] = fieldError(problem.in(r.Language))
	}
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

// firstInput is the position of the first field from from on, below to, that
// has an input; -1 when there is none.
func (f *Form) firstInput(from, to int) int {
	for i := from; i < min(to, len(f.fields)); i++ {
		if _, fixed := f.fields[i].control.(constant); !fixed {
			return i
		}
	}
	return -1
}

// inputOf is the position of the input of a property; that of the first input
// when it has none.
func (f *Form) inputOf(property string) int {
	for i, fd := range f.fields {
		if _, fixed := fd.control.(constant); fd.name == property && !fixed {
			return i
		}
	}
	return f.firstInput(0, len(f.fields))
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

// isOurButton reports whether a label reads like a button of ours on the same
// card, which means something else.
func isOurButton(label string) bool {
	for _, ours := range []string{wordRespond, wordAccept, wordDecline, wordCancel} {
		if folded(label) == folded(ours) || folded(label)+ellipsis == folded(ours) {
			return true
		}
	}
	return false
}

// Choices returns the answers of a form that asks for nothing but one required
// boolean, or one required choice of up to four short options; else nil.
func (f *Form) Choices() []Choice {
	if len(f.fields) != 1 || !f.fields[0].required || len(f.fields[0].extra()) > 0 {
		return nil // a button must not hide a part of what it answers
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
		if _, problem := misfit(schema, content); !problem.empty() || !fits(o.label, maxChoiceLabel) || o.about != "" || isOurButton(o.label) {
			return nil
		}
		out = append(out, Choice{Label: o.label, Content: content})
	}
	return out
}
