package slacksim

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"
)

const (
	// dateTimeForm is how a datetimepicker is shown and filled.
	dateTimeForm = "2006-01-02 15:04"
	// defaultMaxLength is the ceiling of a text input without max_length.
	defaultMaxLength = 3000
)

// Fill puts values into the field with that visible label, as its widget
// allows: text is typed, choices are picked by their visible text (several
// exactly as given), a date is "2026-12-01", a time "15:04", a point in time
// "2026-12-01 15:04" in the person's zone or Unix seconds.
func (p *Person) Fill(label string, values ...string) error {
	s := p.sim
	s.mu.Lock()
	v, sl, err := p.field(label)
	if err != nil {
		s.mu.Unlock()
		return err
	}
	value, err := p.enter(v, sl, values)
	if err != nil {
		s.mu.Unlock()
		return fmt.Errorf("filling %q: %w", label, err)
	}
	return p.setLocked(v, sl, value)
}

// Clear empties a field. Slack lets nobody take back a single choice.
func (p *Person) Clear(label string) error {
	s := p.sim
	s.mu.Lock()
	v, sl, err := p.field(label)
	if err != nil {
		s.mu.Unlock()
		return err
	}
	if sl.typ == "radio_buttons" || strings.HasSuffix(sl.typ, "_select") && !multiple(sl.typ) {
		s.mu.Unlock()
		return ClientError(fmt.Sprintf("%q cannot be cleared: one of the options stays chosen", label))
	}
	empty := emptyValue(sl.typ, sl.element)
	return p.setLocked(v, sl, empty[valueName(sl.typ)])
}

// setLocked stores a value, releases the mutex, and tells the app when the
// element dispatches its changes.
func (p *Person) setLocked(v *view, sl slot, value any) error {
	s := p.sim
	entry := filledValue(sl.typ, sl.element, value)
	if sl.typ == "rich_text_input" && value == nil {
		entry = emptyValue(sl.typ, sl.element)
	}
	v.state.set(sl, entry)
	delete(v.errors, sl.blockID)
	s.change()
	if !dispatches(sl) {
		s.mu.Unlock()
		return nil
	}
	post := s.viewAction(v, sl)
	s.mu.Unlock()
	return s.act(s.ctx, v, post)
}

// dispatches reports whether a change of sl is sent to the app at once.
func dispatches(sl slot) bool {
	if !sl.input {
		return true
	}
	if sl.block["dispatch_action"] != true {
		return false
	}
	if strings.HasSuffix(sl.typ, "_input") {
		on := items(sub(sl.element, "dispatch_action_config"), "trigger_actions_on")
		return slices.Contains(on, any("on_character_entered"))
	}
	return true
}

// field finds the only field with that label in the person's modal.
func (p *Person) field(label string) (*view, slot, error) {
	v, err := p.frontView()
	if err != nil {
		return nil, slot{}, err
	}
	r := p.sim.rendererFor(p.id)
	var found []slot
	var labels []string
	for _, sl := range slots(v.blocks) {
		if !stateful(sl.typ) {
			continue
		}
		l := r.fieldLabel(sl)
		labels = append(labels, fmt.Sprintf("%q", l))
		if l == label {
			found = append(found, sl)
		}
	}
	if len(found) != 1 {
		return nil, slot{}, ClientError(fmt.Sprintf("%d fields are labelled %q; there are: %s", len(found), label, strings.Join(labels, ", ")))
	}
	return v, found[0], nil
}

// enter returns what the widget holds after values were put in.
func (p *Person) enter(v *view, sl slot, values []string) (any, error) {
	if multiple(sl.typ) {
		return p.pickAll(v, sl, values)
	}
	if len(values) != 1 {
		return nil, ClientError(fmt.Sprintf("it takes one value, not %d", len(values)))
	}
	value := values[0]
	switch sl.typ {
	case "plain_text_input", "email_text_input", "url_text_input", "number_input":
		return typeText(sl, value)
	case "rich_text_input":
		return richTextOf(value), nil
	case "datepicker":
		return pickTime(value, time.DateOnly)
	case "timepicker":
		return pickTime(value, "15:04")
	case "datetimepicker":
		return p.pickMoment(value)
	case "file_input":
		return nil, ClientError("there is no file to choose")
	default:
		return p.pick(v, sl, value)
	}
}

// typeText types into an input: a single line keeps no line breaks, nothing
// goes in beyond the limit, and a number input takes numbers only.
func typeText(sl slot, text string) (any, error) {
	if sl.element["multiline"] != true {
		text = strings.NewReplacer("\r\n", " ", "\n", " ").Replace(text)
	}
	limit := int64(defaultMaxLength)
	if n, ok := wholeNumber(sl.element["max_length"]); ok {
		limit = n
	}
	if n := len(utf16.Encode([]rune(text))); int64(n) > limit {
		return nil, ClientError(fmt.Sprintf("it takes %d characters, not %d", limit, n))
	}
	if sl.typ == "number_input" && text != "" {
		if _, ok := parseNumber(text); !ok {
			return nil, ClientError(fmt.Sprintf("%q is not a number", text))
		}
	}
	if text == "" {
		return nil, nil // an emptied input holds null
	}
	return text, nil
}

func richTextOf(text string) any {
	if text == "" {
		return nil
	}
	return object{"type": "rich_text", "elements": []any{
		object{"type": "rich_text_section", "elements": []any{object{"type": "text", "text": text}}},
	}}
}

func pickTime(value, form string) (any, error) {
	if _, err := time.Parse(form, value); err != nil {
		return nil, ClientError(fmt.Sprintf("%q cannot be picked", value))
	}
	return value, nil
}

func (p *Person) pickMoment(value string) (any, error) {
	if sec, err := strconv.ParseInt(value, 10, 64); err == nil {
		return json.Number(strconv.FormatInt(sec, 10)), nil
	}
	t, err := time.ParseInLocation(dateTimeForm, value, p.sim.rendererFor(p.id).zone)
	if err != nil {
		return nil, ClientError(fmt.Sprintf("%q cannot be picked", value))
	}
	return json.Number(strconv.FormatInt(t.Unix(), 10)), nil
}

// pick chooses the only option with that visible text.
func (p *Person) pick(v *view, sl slot, label string) (any, error) {
	var found []choice
	all := p.choices(v, sl)
	var labels []string
	for _, c := range append(all, p.held(v, sl)...) {
		labels = append(labels, fmt.Sprintf("%q", c.label))
		if c.label == label && !slices.ContainsFunc(found, func(f choice) bool { return sameChoice(f, c) }) {
			found = append(found, c)
		}
	}
	if len(found) != 1 {
		return nil, ClientError(fmt.Sprintf("%d options read %q; there are: %s", len(found), label, strings.Join(labels, ", ")))
	}
	return found[0].value, nil
}

// held are the options that an external menu has chosen already; they can be
// kept without being searched again.
func (p *Person) held(v *view, sl slot) []choice {
	if sl.typ != "multi_external_select" {
		return nil
	}
	var out []choice
	for _, o := range items(v.state.get(sl), "selected_options") {
		out = append(out, choice{p.sim.rendererFor(p.id).optionLabel(o), o})
	}
	return out
}

func sameChoice(a, b choice) bool { return string(encode(a.value)) == string(encode(b.value)) }

func (p *Person) pickAll(v *view, sl slot, labels []string) (any, error) {
	if most, ok := wholeNumber(sl.element["max_selected_items"]); ok && int64(len(labels)) > most {
		return nil, ClientError(fmt.Sprintf("no more than %d can be chosen", most))
	}
	out := []any{}
	for _, l := range labels {
		c, err := p.pick(v, sl, l)
		if err != nil {
			return nil, err
		}
		out = append(out, c)
	}
	return out, nil
}
