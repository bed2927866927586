package blockkit

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/slack-go/slack"
)

// choice is one value out of several.
type choice struct {
	optionList
	boolean bool
	initial int // position of a valid default; -1 for none
}

func newChoice(options []option, required, boolean bool) *choice {
	c := &choice{optionList: optionList{options: options, noAnswer: !required}, boolean: boolean, initial: -1}
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

func (c *choice) element() slack.BlockElement {
	var initial Option
	if c.initial >= 0 {
		initial = c.draw(c.initial)
	}
	switch {
	case c.external:
		e := slack.NewOptionsSelectBlockElement(slack.OptTypeExternal, nil, inputAction)
		e.InitialOption, e.MinQueryLength = initial, new(int)
		return e
	case len(c.options) <= maxRadio:
		e := slack.NewRadioButtonsBlockElement(inputAction, c.all()...)
		e.InitialOption = initial
		return e
	}
	e := slack.NewOptionsSelectBlockElement(slack.OptTypeStatic, nil, inputAction, c.all()...)
	e.InitialOption = initial
	return e
}

func (c *choice) hints(*time.Location) []string { return nil }

func (c *choice) skippable(required bool) bool { return !required }

func (c *choice) missing() string { return errChoose }

func (c *choice) read(e entry, _ *answering) (json.RawMessage, string) {
	id, ok := e.option()
	if !ok {
		return nil, errNotOffered
	}
	if id == "" || id == noAnswerID && c.noAnswer {
		return nil, ""
	}
	i, ok := c.find(id)
	if !ok {
		return nil, errNotOffered
	}
	return c.options[i].value.raw, ""
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
	if !d.is(nodeArray) || len(d.items) == 0 || c.count(len(d.items)) != "" || len(d.items) > maxMenu {
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
func (c *choices) count(n int) string {
	switch {
	case n < c.minItems:
		return errTooFew(c.minItems)
	case c.maxItems >= 0 && n > c.maxItems:
		return errTooMany(c.maxItems)
	}
	return ""
}

func (c *choices) element() slack.BlockElement {
	var initial []Option
	for _, i := range c.initial {
		initial = append(initial, c.draw(i))
	}
	if !c.external && c.maxItems < 0 && len(c.options) <= maxCheckboxes {
		e := slack.NewCheckboxGroupsBlockElement(inputAction, c.all()...)
		e.InitialOptions = initial
		return e
	}
	e := slack.NewOptionsMultiSelectBlockElement(slack.MultiOptTypeStatic, nil, inputAction)
	if c.external {
		e.Type, e.MinQueryLength = slack.MultiOptTypeExternal, new(int)
	} else {
		e.Options = c.all()
	}
	e.InitialOptions = initial
	if c.maxItems > 0 {
		e.MaxSelectedItems = &c.maxItems
	}
	return e
}

func (c *choices) hints(*time.Location) []string {
	return []string{hintItems(c.minItems, c.maxItems)}
}

// skippable: choosing nothing is a valid answer to a required list without a
// lower bound.
func (c *choices) skippable(required bool) bool { return !required || c.minItems == 0 }

func (c *choices) missing() string { return errTooFew(max(c.minItems, 1)) }

// read: an optional list that was left empty is not answered, unless emptying
// a prefilled one says that none is wanted.
func (c *choices) read(e entry, _ *answering) (json.RawMessage, string) {
	if !e.present() {
		return nil, ""
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
	if len(picked) == 0 && (c.minItems > 0 || !c.required && c.initial == nil) {
		return nil, ""
	}
	if problem := c.count(len(picked)); problem != "" {
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
	return append(out, ']'), ""
}
