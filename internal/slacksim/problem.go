package slacksim

import (
	"fmt"
	"math/big"
	"net/mail"
	"net/url"
	"regexp"
	"strings"
	"unicode/utf16"
)

// problem is what Slack's app finds wrong with a field before it sends the
// form; empty when nothing is.
func problem(sl slot, held object) string {
	value, _ := held[valueName(sl.typ)].(string)
	switch {
	case isEmpty(held) && required(sl):
		return "Please complete this required field."
	case isEmpty(held):
		return ""
	}
	switch sl.typ {
	case "plain_text_input":
		if n, ok := wholeNumber(sl.element["min_length"]); ok && int64(len(utf16.Encode([]rune(value)))) < n {
			return fmt.Sprintf("Please enter at least %d characters.", n)
		}
	case "email_text_input":
		if a, err := mail.ParseAddress(value); err != nil || a.Address != value {
			return "Please enter a valid email address."
		}
	case "url_text_input":
		if u, err := url.Parse(value); err != nil || u.Scheme == "" || u.Host == "" {
			return "Please enter a valid URL."
		}
	case "number_input":
		return numberProblem(sl, value)
	}
	return ""
}

// numberForm is what a number input lets people type. Slack documents neither
// signs nor exponents, so all that browsers allow is let through; the exponent
// is bounded so that a typed number cannot cost more than it is worth.
var numberForm = regexp.MustCompile(`^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,3})?$`)

func parseNumber(text string) (*big.Rat, bool) {
	text = strings.TrimSpace(text)
	if !numberForm.MatchString(text) {
		return nil, false
	}
	return new(big.Rat).SetString(text)
}

// numberProblem checks a typed number against the bounds of its input.
func numberProblem(sl slot, text string) string {
	n, ok := parseNumber(text)
	if !ok {
		return "Please enter a number."
	}
	if sl.element["is_decimal_allowed"] != true && !n.IsInt() {
		return "Please enter a whole number."
	}
	if lo, ok := parseNumber(str(sl.element, "min_value")); ok && n.Cmp(lo) < 0 {
		return fmt.Sprintf("Please enter a number of at least %s.", str(sl.element, "min_value"))
	}
	if hi, ok := parseNumber(str(sl.element, "max_value")); ok && n.Cmp(hi) > 0 {
		return fmt.Sprintf("Please enter a number of at most %s.", str(sl.element, "max_value"))
	}
	return ""
}
