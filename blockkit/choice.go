package blockkit

import (
	"encoding/json"
	"slices"

	"github.com/slack-go/slack"
)

// choice is one value out of several.
type choice struct {
	optionList
	boolean bool
	initial int // position of a valid default; noInitial or noAnswerChosen
}

// What initial says besides a position.
const (
	noInitial      = -1
	noAnswerChosen = -2 // by a person, on a page that is drawn again
)

func newChoice(options []option, required, boolean bool) *choice {
	c := &choice{optionList: optionList{options: options, noAnswer: !required}, boolean: boolean, initial: noInitial}
	c.external = c.entries() > maxMenu
	return c
}

func parseChoice(s flat, required bool, p path) (control, error) {
	entries, err := parseEntries(s, p)
	if err != nil {
		return nil, err
	}
	c := newChoice(optionsOf(entries), required, false)
	if d := s.get("default"); d != nil {
		c.initial = c.index(d)
	}
	return c, nil
}

func (c *choice) element(l Language) slack.BlockElement {
	var initial Option
	switch {
	case c.initial >= 0:
		initial = c.draw(c.initial, l)
	case c.initial == noAnswerChosen:
		initial = c.drawNoAnswer(l)
	}
	switch {
	case c.external:
		e := slack.NewOptionsSelectBlockElement(slack.OptTypeExternal, nil, inputAction)
		e.InitialOption, e.MinQueryLength = initial, new(int)
		return e
	case len(c.options) <= maxRadio:
		e := slack.NewRadioButtonsBlockElement(inputAction, c.all(l)...)
		e.InitialOption = initial
		return e
	}
	e := slack.NewOptionsSelectBlockElement(slack.OptTypeStatic, nil, inputAction, c.all(l)...)
	e.InitialOption = initial
	return e
}

func (c *choice) hints(Reader) []phrase { return nil }

func (c *choice) skippable(required bool) bool { return !required }

func (c *choice) missing() phrase { return errChoose }

func (c *choice) keep(e entry) control {
	out := *c
	out.initial = noInitial
	id, _ := e.option()
	if i, ok := c.find(id); ok {
		out.initial = i
	} else if id == noAnswerID && c.noAnswer {
		out.initial = noAnswerChosen
	}
	return &out
}

func (c *choice) read(e entry, _ *answering) (json.RawMessage, phrase) {
	id, ok := e.option()
	if !ok {
		return nil, errNotOffered
	}
	if id == "" || id == noAnswerID && c.noAnswer {
		return nil, phrase{}
	}
	i, ok := c.find(id)
	if !ok {
		return nil, errNotOffered
	}
	return c.options[i].value.raw, phrase{}
}

// choices is any number of values out of several.
type choices struct {
	optionList
	required           bool
	minItems, maxItems int   // maxItems is -1 when there is no limit
	initial            []int // positions of a valid default
}

// parseChoices reads an array: items must list their values, as a form has no
// other way to ask for several.
func (f flattener) parseChoices(s flat, required bool, p path) (control, error) {
	at := p.member("items")
	raw := s.get("items")
	if raw == nil {
		return nil, invalid(at, "is missing: the choices of an array stand there")
	}
	items, err := f.flatten(raw, at)
	if err != nil {
		return nil, err
	}
	if items.get("enum") == nil && items.get("anyOf") == nil && items.get("oneOf") == nil {
		return nil, invalid(at, "must list the choices in enum or anyOf: a form cannot ask for a free list")
	}
	entries, err := parseEntries(items, at)
	if err != nil {
		return nil, err
	}
	c := &choices{
		optionList: optionList{options: optionsOf(entries), external: len(entries) > maxMenu},
		required:   required,
	}
	if c.minItems, err = s.size("minItems", p); err != nil {
		return nil, err
	}
	c.minItems = max(c.minItems, 0)
	if c.maxItems, err = s.size("maxItems", p); err != nil {
		return nil, err
	}
	switch {
	case c.maxItems >= 0 && c.minItems > c.maxItems:
		return nil, invalid(p.member("minItems"), "is more than maxItems")
	case c.minItems > len(c.options):
		return nil, invalid(p.member("minItems"), "is more than there are choices")
	}
	c.initial = c.valid(s.get("default"))
	return c, nil
}

// valid returns the positions of a default, nil when it does not fit.
func (c *choices) valid(d *node) []int {
	if !d.is(nodeArray) || len(d.items) == 0 || !c.count(len(d.items)).empty() || len(d.items) > maxMenu {
		return nil
	}
	var out []int
	for _, it := range d.items {
		i := c.index(it)
		if i < 0 || slices.Contains(out, i) {
			return nil
		}
		out = append(out, i)
	}
	slices.Sort(out)
	return out
}

// count returns what is wrong with choosing n.
func (c *choices) count(n int) phrase {
	switch {
	case n < c.minItems:
		return errTooFew(c.minItems)
	case c.maxItems >= 0 && n > c.maxItems:
		return errTooMany(c.maxItems)
	}
	return phrase{}
}

func (c *choices) element(l Language) slack.BlockElement {
	var initial []Option
	for _, i := range c.initial {
		initial = append(initial, c.draw(i, l))
	}
	if !c.external && c.maxItems < 0 && len(c.options) <= maxCheckboxes {
		e := slack.NewCheckboxGroupsBlockElement(inputAction, c.all(l)...)
		e.InitialOptions = initial
		return e
	}
	e := slack.NewOptionsMultiSelectBlockElement(slack.MultiOptTypeStatic, nil, inputAction)
	if c.external {
		e.Type, e.MinQueryLength = slack.MultiOptTypeExternal, new(int)
	} else {
		e.Options = c.all(l)
	}
	e.InitialOptions = initial
	if c.maxItems > 0 {
		e.MaxSelectedItems = &c.maxItems
	}
	return e
}

func (c *choices) hints(Reader) []phrase {
	return []phrase{hintItems(c.minItems, c.maxItems)}
}

// skippable: choosing nothing is a valid answer to a required list without a
// lower bound.
func (c *choices) skippable(required bool) bool { return !required || c.minItems == 0 }

func (c *choices) missing() phrase { return errTooFew(max(c.minItems, 1)) }

func (c *choices) keep(e entry) control {
	out := *c
	out.initial = nil
	ids, _ := e.options()
	for _, id := range ids {
		if i, ok := c.find(id); ok && !slices.Contains(out.initial, i) {
			out.initial = append(out.initial, i)
		}
	}
	slices.Sort(out.initial)
	return &out
}

// read: an optional list that is empty is not answered, whether it was left so
// or emptied; a required one without a lower bound is answered by nothing.
func (c *choices) read(e entry, _ *answering) (json.RawMessage, phrase) {
	if !e.present() {
		return nil, phrase{}
	}
	ids, ok := e.options()
	if !ok {
		return nil, errNotOffered
	}
	var picked []int
	for _, id := range ids {
		i, ok := c.find(id)
		if !ok || slices.Contains(picked, i) {
			return nil, errNotOffered
		}
		picked = append(picked, i)
	}
	if len(picked) == 0 && (c.minItems > 0 || !c.required) {
		return nil, phrase{}
	}
	if problem := c.count(len(picked)); !problem.empty() {
		return nil, problem
	}
	slices.Sort(picked)
	out := []byte{'['}
	for n, i := range picked {
		if n > 0 {
			out = append(out, ',')
		}
		out = append(out, c.options[i].value.raw...)
	}
	return append(out, ']'), phrase{}
}
