package slackrules

import (
	"encoding/json"
	"math/big"
	"regexp"
	"time"
)

// inputOf returns the elements that are typed into or uploaded to.
func inputOf(typ string) (elementKind, bool) {
	input := func(s surface) map[place]surface { return map[place]surface{inInput: s} }
	switch typ {
	case "plain_text_input":
		return elementKind{on: input(everywhere), shape: typed(
			may("initial_value", str(1, maxText)),
			may("multiline", boolean),
			may("min_length", integer(0, maxText)),
			may("max_length", integer(1, maxText)),
		), also: textBounds}, true
	case "email_text_input", "url_text_input":
		// A message with one was once accepted, but no document allows it.
		return elementKind{on: input(onModal), shape: typed(may("initial_value", str(1, maxText)))}, true
	case "number_input":
		return elementKind{on: input(onModal), shape: typed(
			must("is_decimal_allowed", boolean),
			may("min_value", numeral), may("max_value", numeral), may("initial_value", numeral),
		), also: numberBounds}, true
	case "rich_text_input":
		return elementKind{on: input(onModal | onHome), shape: append(typed(
			may("initial_value", richTextValue),
			may("min_lines", integer(1, 100)), may("max_lines", integer(1, 100)),
		), must("action_id", str(1, maxID))), also: lineBounds}, true
	case "file_input":
		return elementKind{on: input(onModal), shape: shape{
			actionID(),
			may("filetypes", list(1, 100, str(1, maxID))),
			may("max_files", integer(1, 10)),
		}}, true
	default:
		return elementKind{}, false
	}
}

// typed is what all typed inputs have, besides more.
func typed(more ...property) shape {
	return append(shape{
		actionID(),
		may("placeholder", plain(maxPlaceholder)),
		may("focus_on_load", boolean),
		may("dispatch_action_config", shaped(shape{
			may("trigger_actions_on", list(1, 2, oneOf("on_enter_pressed", "on_character_entered"))),
		})),
	}, more...)
}

func textBounds(c *checker, ptr string, o object) {
	lo, hasLo := wholeNumber(o["min_length"])
	hi, hasHi := wholeNumber(o["max_length"])
	if hasLo && hasHi && lo > hi {
		c.report(ptr+"/min_length", RuleValue, "must be less than or equal to max_length")
	}
	if v, ok := o["initial_value"].(string); ok && hasHi && int64(units(v)) > hi {
		c.report(ptr+"/initial_value", RuleLength, "failed to match schema")
	}
}

func lineBounds(c *checker, ptr string, o object) {
	lo, hasLo := wholeNumber(o["min_lines"])
	hi, hasHi := wholeNumber(o["max_lines"])
	if hasLo && hasHi && lo > hi {
		c.report(ptr+"/min_lines", RuleValue, "must be less than or equal to max_lines")
	}
}

// decimalForm is how Slack's examples write numbers: no exponent, no plus sign.
var decimalForm = regexp.MustCompile(`^-?[0-9]+(\.[0-9]+)?$`)

func decimal(s string) (*big.Rat, bool) {
	if !decimalForm.MatchString(s) {
		return nil, false
	}
	return new(big.Rat).SetString(s)
}

// numeral is a number written as a string: a JSON number fails Slack's schema.
func numeral(c *checker, ptr string, v any) {
	s, ok := c.str(ptr, v)
	if !ok {
		return
	}
	if _, ok := decimal(s); !ok {
		c.report(ptr, RuleValue, "failed to match schema")
	}
}

func numberBounds(c *checker, ptr string, o object) {
	rat := func(name string) *big.Rat {
		s, _ := o[name].(string)
		r, ok := decimal(s)
		if !ok {
			return nil
		}
		if o["is_decimal_allowed"] == false && !r.IsInt() {
			c.report(ptr+"/"+name, RuleValue, "failed to match schema")
		}
		return r
	}
	lo, hi, initial := rat("min_value"), rat("max_value"), rat("initial_value")
	if lo != nil && hi != nil && lo.Cmp(hi) > 0 {
		c.report(ptr+"/min_value", RuleValue, "must be less than or equal to max_value")
	}
	if initial != nil && (lo != nil && initial.Cmp(lo) < 0 || hi != nil && initial.Cmp(hi) > 0) {
		c.report(ptr+"/initial_value", RuleValue, "failed to match schema")
	}
}

// pickerOf returns the date and time pickers. None of them has bounds.
func pickerOf(typ string) elementKind {
	common := shape{actionID(), may("confirm", confirm), may("focus_on_load", boolean)}
	placeholder := may("placeholder", plain(maxPlaceholder))
	switch typ {
	case "datepicker":
		return elementKind{on: anywhere(), shape: append(common, placeholder, may("initial_date", layout("2006-01-02")))}
	case "timepicker":
		return elementKind{on: anywhere(), shape: append(common, placeholder,
			may("initial_time", layout("15:04")), may("timezone", zone))}
	default: // datetimepicker: not in a section, not on the Home tab, no placeholder
		on := map[place]surface{inActions: onMessage | onModal, inInput: onMessage | onModal}
		return elementKind{on: on, shape: append(common, may("initial_date_time", unixSeconds))}
	}
}

// layout is a string that is exactly what time prints in that layout.
func layout(form string) check {
	return func(c *checker, ptr string, v any) {
		s, ok := c.str(ptr, v)
		if !ok {
			return
		}
		if t, err := time.Parse(form, s); err != nil || t.Format(form) != s {
			c.report(ptr, RuleValue, "failed to match schema")
		}
	}
}

func zone(c *checker, ptr string, v any) {
	s, ok := c.str(ptr, v)
	if !ok {
		return
	}
	if _, err := time.LoadLocation(s); err != nil || s == "" || s == "Local" {
		c.report(ptr, RuleValue, "failed to match schema")
	}
}

// unixSeconds is a whole number of ten digits.
func unixSeconds(c *checker, ptr string, v any) {
	n, isNumber := v.(json.Number)
	if _, whole := wholeNumber(v); !isNumber || !whole {
		c.report(ptr, RuleType, "must provide an integer")
		return
	}
	if len(n.String()) != 10 || n.String()[0] == '-' {
		c.report(ptr, RuleValue, "failed to match schema")
	}
}
