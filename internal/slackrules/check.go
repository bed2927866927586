package slackrules

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
)

// surface is where blocks are shown; several may be joined by |.
type surface uint8

const (
	onMessage surface = 1 << iota
	onModal
	onHome

	everywhere = onMessage | onModal | onHome
)

// checker collects the violations of one payload.
type checker struct {
	surface  surface
	found    []Violation
	blockIDs map[string]bool
	focused  bool // an element with focus_on_load was seen
	markdown int  // units in markdown blocks so far
	tables   int  // units in data_table blocks so far
}

func newChecker(s surface) *checker {
	return &checker{surface: s, blockIDs: map[string]bool{}}
}

func (c *checker) report(ptr, rule, format string, args ...any) {
	c.found = append(c.found, Violation{ptr, fmt.Sprintf(format, args...), rule})
}

// check looks at the value at ptr.
type check func(c *checker, ptr string, v any)

// property is one member that an object may have.
type property struct {
	name     string
	required bool
	check    check
}

func must(name string, f check) property { return property{name, true, f} }
func may(name string, f check) property  { return property{name, false, f} }

// shape lists all members of an object besides "type".
type shape []property

// object checks v against s and returns it; false when it is no object at all.
// Nothing outside the shape is let through, as in Slack's own schemas.
func (c *checker) object(ptr string, v any, s shape) (object, bool) {
	o, ok := v.(object)
	if !ok {
		c.report(ptr, RuleType, "must provide an object")
		return nil, false
	}
	known := map[string]check{"type": nil}
	for _, p := range s {
		known[p.name] = p.check
		if _, has := o[p.name]; !has && p.required {
			c.report(ptr, RuleRequired, "missing required field: %s", p.name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(o)) {
		f, ok := known[name]
		switch {
		case !ok:
			c.report(ptr, RuleProperty, "invalid additional property: %s", name)
		case f != nil:
			f(c, ptr+"/"+escapePointer(name), o[name])
		}
	}
	return o, true
}

// escapePointer escapes a member name for use in a JSON pointer (RFC 6901).
func escapePointer(name string) string {
	return pointerEscape.Replace(name)
}

// typeOf returns the "type" member of v, reporting when there is none.
func (c *checker) typeOf(ptr string, v any) (string, bool) {
	o, ok := v.(object)
	if !ok {
		c.report(ptr, RuleType, "must provide an object")
		return "", false
	}
	t, has := o["type"]
	if !has {
		c.report(ptr, RuleRequired, "missing required field: type")
		return "", false
	}
	s, ok := t.(string)
	if !ok {
		c.report(ptr+"/type", RuleType, "must provide a string")
	}
	return s, ok
}

// shaped is an object without a "type" member.
func shaped(s shape) check {
	return func(c *checker, ptr string, v any) {
		if o, ok := v.(object); ok {
			if _, has := o["type"]; has {
				c.report(ptr, RuleProperty, "invalid additional property: type")
			}
		}
		c.object(ptr, v, s)
	}
}

// str is a string of lo to hi UTF-16 units.
func str(lo, hi int) check {
	return func(c *checker, ptr string, v any) {
		if s, ok := c.str(ptr, v); ok {
			c.length(ptr, s, lo, hi)
		}
	}
}

func (c *checker) str(ptr string, v any) (string, bool) {
	s, ok := v.(string)
	if !ok {
		c.report(ptr, RuleType, "must provide a string")
	}
	return s, ok
}

func (c *checker) length(ptr, s string, lo, hi int) {
	switch n := units(s); {
	case n < lo:
		c.report(ptr, RuleLength, "must be more than %d characters", lo-1)
	case n > hi:
		c.report(ptr, RuleLength, "must be less than %d characters", hi+1)
	}
}

// units counts UTF-16 units, the unit of Slack's JavaScript clients.
func units(s string) int {
	n := 0
	for _, r := range s {
		n += utf16.RuneLen(r)
	}
	return n
}

// boolean is true or false.
func boolean(c *checker, ptr string, v any) {
	if _, ok := v.(bool); !ok {
		c.report(ptr, RuleType, "must provide a boolean")
	}
}

// anyValue takes everything: Slack documents no rule for it.
func anyValue(*checker, string, any) {}

// integer is a whole JSON number from lo to hi.
func integer(lo, hi int64) check {
	return func(c *checker, ptr string, v any) {
		n, ok := wholeNumber(v)
		switch {
		case !ok:
			c.report(ptr, RuleType, "must provide an integer")
		case n < lo:
			c.report(ptr, RuleValue, "must be greater than %d", lo-1)
		case n > hi:
			c.report(ptr, RuleValue, "must be less than %d", hi+1)
		}
	}
}

func wholeNumber(v any) (int64, bool) {
	n, ok := v.(json.Number)
	if !ok {
		return 0, false
	}
	i, err := strconv.ParseInt(n.String(), 10, 64)
	return i, err == nil
}

// number is any JSON number.
func number(c *checker, ptr string, v any) {
	if _, ok := v.(json.Number); !ok {
		c.report(ptr, RuleType, "must provide a number")
	}
}

// oneOf is one of the given strings.
func oneOf(values ...string) check {
	return func(c *checker, ptr string, v any) {
		if s, ok := c.str(ptr, v); ok && !slices.Contains(values, s) {
			c.report(ptr, RuleValue, "must be a valid enum value")
		}
	}
}

// list is an array of lo to hi items.
func list(lo, hi int, item check) check {
	return func(c *checker, ptr string, v any) {
		items, ok := v.([]any)
		if !ok {
			c.report(ptr, RuleType, "must provide an array")
			return
		}
		c.count(ptr, len(items), lo, hi)
		for i, it := range items {
			item(c, at(ptr, i), it)
		}
	}
}

func (c *checker) count(ptr string, n, lo, hi int) {
	switch {
	case n < lo:
		c.report(ptr, RuleCount, "must provide at least %d items", lo)
	case n > hi:
		c.report(ptr, RuleCount, "no more than %d items allowed", hi)
	}
}

var pointerEscape = strings.NewReplacer("~", "~0", "/", "~1")
