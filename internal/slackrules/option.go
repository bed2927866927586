package slackrules

import "reflect"

// Counts and lengths of options.
const (
	maxOptions = 100 // options of a select, or of one group
	maxGroups  = 100
	maxChoices = 10 // radio_buttons and checkboxes
	// maxOptionText is the limit of an option's text, value and description.
	// Slack's page allows 150 for values, its TypeScript types and live tests 75.
	maxOptionText = 75
)

// optionRules are what differs between the elements that have options.
type optionRules struct {
	mrkdwn bool // texts may be mrkdwn
	url    bool // an option may carry a url: overflow menus only
}

func (r optionRules) option(c *checker, ptr string, v any) {
	label := plain(maxOptionText)
	if r.mrkdwn {
		label = text(maxOptionText)
	}
	s := shape{
		must("text", label),
		must("value", str(1, maxOptionText)),
		may("description", label),
	}
	if r.url {
		s = append(s, may("url", str(1, maxURL)))
	}
	shaped(s)(c, ptr, v)
}

// options checks the options and option_groups of o, and that no value stands
// twice in all of them, since the answer carries nothing else.
func (c *checker) options(ptr string, o object, r optionRules) {
	seen := map[string]bool{}
	c.optionList(ptr+"/options", o["options"], r, seen)
	groups, _ := o["option_groups"].([]any)
	for i, g := range groups {
		p := at(ptr+"/option_groups", i)
		shaped(shape{
			must("label", plain(75)),
			must("options", list(1, maxOptions, anyValue)),
		})(c, p, g)
		if og, ok := g.(object); ok {
			c.optionList(p+"/options", og["options"], r, seen)
		}
	}
}

func (c *checker) optionList(ptr string, v any, r optionRules, seen map[string]bool) {
	items, _ := v.([]any)
	for i, it := range items {
		p := at(ptr, i)
		r.option(c, p, it)
		o, _ := it.(object)
		value, ok := o["value"].(string)
		if ok && seen[value] {
			c.report(p+"/value", RuleUnique, "option value already exists")
		}
		if ok {
			seen[value] = true
		}
	}
}

// eitherOptions asks for exactly one of the two ways to list options.
func (c *checker) eitherOptions(ptr string, o object) {
	switch {
	case !has(o, "options") && !has(o, "option_groups"):
		c.report(ptr, RuleRequired, "missing required field: options")
	case has(o, "options") && has(o, "option_groups"):
		c.report(ptr, RuleConflict, "must define either `options` or `option_groups`")
	}
}

// initial checks that each preselected option equals a listed one in every
// field. An empty initial_options is refused with the same words.
func (c *checker) initial(ptr string, o object) {
	listed := listedOptions(o)
	if v, ok := o["initial_option"]; ok && !containsOption(listed, v) {
		c.report(ptr+"/initial_option", RuleInitial, "must be one of the provided options")
	}
	v, ok := o["initial_options"]
	if !ok {
		return
	}
	many, ok := v.([]any)
	if !ok {
		c.report(ptr+"/initial_options", RuleType, "must provide an array")
		return
	}
	good := len(many) > 0
	for _, it := range many {
		good = good && containsOption(listed, it)
	}
	if !good {
		c.report(ptr+"/initial_options", RuleInitial, "must be one of the provided options")
	}
}

func listedOptions(o object) []any {
	all, _ := o["options"].([]any)
	groups, _ := o["option_groups"].([]any)
	for _, g := range groups {
		og, _ := g.(object)
		more, _ := og["options"].([]any)
		all = append(all[:len(all):len(all)], more...)
	}
	return all
}

func containsOption(listed []any, v any) bool {
	for _, it := range listed {
		if reflect.DeepEqual(it, v) {
			return true
		}
	}
	return false
}

func overflowKind() elementKind {
	return elementKind{
		on:    clickable(),
		shape: shape{actionID(), must("options", list(1, 5, anyValue)), may("confirm", confirm)},
		also:  func(c *checker, ptr string, o object) { c.options(ptr, o, optionRules{url: true}) },
	}
}

// choicesKind returns radio_buttons or checkboxes. Neither can bound how many
// are picked.
func choicesKind(typ string) elementKind {
	initial := may("initial_option", anyValue)
	if typ == "checkboxes" {
		initial = may("initial_options", anyValue)
	}
	return elementKind{
		on: anywhere(),
		shape: shape{
			actionID(), must("options", list(1, maxChoices, anyValue)), initial,
			may("confirm", confirm), may("focus_on_load", boolean),
		},
		also: func(c *checker, ptr string, o object) {
			c.options(ptr, o, optionRules{mrkdwn: true})
			c.initial(ptr, o)
		},
	}
}
