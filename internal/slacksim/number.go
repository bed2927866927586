package slacksim

import (
	"fmt"
	"math/big"
	"regexp"
	"strings"
)

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
