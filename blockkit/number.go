package blockkit

import (
	"math"
	"math/big"
	"regexp"
	"strconv"
	"strings"
)

// numeral is a number with its digits as written.
type numeral struct {
	literal string // valid JSON
	rat     *big.Rat
}

// Numbers beyond these are refused, in a schema and from people: their exact
// value could cost any amount of memory.
const (
	maxExponent = 400
	maxDigits   = 400
)

// numeralForm is a JSON number, and what people also write: a plus sign,
// leading zeros, no digit before the point.
var numeralForm = regexp.MustCompile(`^([+-]?)([0-9]*)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$`)

// parseNumeral reads a number: +5, 007, .5 and -0 are 5,
// 7, 0.5 and 0; all other digits stay as they are.
func parseNumeral(s string) (*numeral, bool) {
	if len(s) > 2*maxDigits {
		return nil, false
	}
	if n, err := strconv.Atoi(s); err == nil && s[0] != '+' && (s[0] != '0' || s == "0") && s[0] != '-' {
		return &numeral{literal: s, rat: new(big.Rat).SetInt64(int64(n))}, true
	}
	m := numeralForm.FindStringSubmatch(s)
	if m == nil || m[2] == "" && m[3] == "" || len(m[2])+len(m[3]) > maxDigits {
		return nil, false
	}
	if m[4] != "" {
		if e, err := strconv.Atoi(m[4]); err != nil || e > maxExponent || e < -maxExponent {
			return nil, false
		}
	}
	lit := strings.TrimLeft(m[2], "0")
	if lit == "" {
		lit = "0"
	}
	if m[3] != "" {
		lit += "." + m[3]
	}
	if m[4] != "" {
		lit += "e" + m[4]
	}
	rat, ok := new(big.Rat).SetString(lit)
	if !ok {
		return nil, false
	}
	if m[1] == "-" && rat.Sign() != 0 {
		lit = "-" + lit
		rat.Neg(rat)
	}
	return &numeral{literal: lit, rat: rat}, isDouble(rat, lit)
}

// isDouble reports whether other programs can read the number: nearly all of
// them hold it in double precision, where it must be neither infinite nor, if
// it is not, zero.
func isDouble(rat *big.Rat, literal string) bool {
	if len(literal) < doubleDigits && !strings.ContainsAny(literal, "e") {
		return true
	}
	f, _ := rat.Float64()
	return !math.IsInf(f, 0) && (f != 0 || rat.Sign() == 0)
}

// doubleDigits is a length up to which every number without an exponent is
// within double precision.
const doubleDigits = 300

// inRange reports whether parseNumeral takes a JSON number.
func inRange(literal string) bool {
	if len(literal) < doubleDigits && !strings.ContainsAny(literal, "eE") {
		return true
	}
	_, ok := parseNumeral(literal)
	return ok
}

func (n *numeral) cmp(o *numeral) int { return n.rat.Cmp(o.rat) }

func (n *numeral) isInt() bool { return n.rat.IsInt() }

// whole is the literal of an integer: 3.0 and 1e3 are 3 and 1000.
func (n *numeral) whole() string { return n.rat.Num().String() }

// decimal writes the number without an exponent, as Slack wants it in a number
// input, with its digits as they are.
func (n *numeral) decimal() string {
	if !strings.ContainsAny(n.literal, "eE") {
		return n.literal
	}
	if n.isInt() {
		return n.whole()
	}
	// A power of ten divides it, so that this many places are exact.
	s := n.rat.FloatString(maxDigits + maxExponent)
	return strings.TrimRight(s, "0")
}

// short is the number for people; nil is nothing. A very long one is rounded.
func (n *numeral) short() string {
	if n == nil {
		return ""
	}
	if len(n.literal) <= maxNumeral {
		return n.literal
	}
	f, _ := n.rat.Float64()
	return "≈" + strconv.FormatFloat(f, 'g', 12, 64)
}

// bounds are the limits of a number. A nil one is absent.
type bounds struct {
	lo, hi         *numeral
	loOpen, hiOpen bool // the limit itself is not allowed
}

// allow reports whether n is within b.
func (b bounds) allow(n *numeral) bool {
	if b.lo != nil {
		if c := n.cmp(b.lo); c < 0 || c == 0 && b.loOpen {
			return false
		}
	}
	if b.hi != nil {
		if c := n.cmp(b.hi); c > 0 || c == 0 && b.hiOpen {
			return false
		}
	}
	return true
}

// empty reports whether b allows no number, or no whole number, at all.
func (b bounds) empty(integer bool) bool {
	if b.lo == nil || b.hi == nil {
		return false
	}
	if c := b.lo.cmp(b.hi); c > 0 || c == 0 && (b.loOpen || b.hiOpen) {
		return true
	}
	if !integer {
		return false
	}
	in := b.integers()
	return in.lo.cmp(in.hi) > 0
}

// haveMultiple reports whether b allows a multiple of m.
func (b bounds) haveMultiple(m *numeral) bool {
	if b.lo == nil || b.hi == nil {
		return true
	}
	// In steps of m from the first one that is not below b.
	steps := bounds{lo: b.lo.over(m), hi: b.hi.over(m), loOpen: b.loOpen, hiOpen: b.hiOpen}
	return !steps.empty(true)
}

// over is n divided by m, for comparing only.
func (n *numeral) over(m *numeral) *numeral {
	return &numeral{literal: n.literal, rat: new(big.Rat).Quo(n.rat, m.rat)}
}

// integers tightens b to the whole numbers within it.
func (b bounds) integers() bounds {
	var out bounds
	if b.lo != nil {
		out.lo = wholeFrom(b.lo, 1, b.loOpen)
	}
	if b.hi != nil {
		out.hi = wholeFrom(b.hi, -1, b.hiOpen)
	}
	return out
}

// wholeFrom is the next whole number from n on in the direction of step.
func wholeFrom(n *numeral, step int64, open bool) *numeral {
	q := new(big.Int).Div(n.rat.Num(), n.rat.Denom()) // rounds down
	if !n.isInt() && step > 0 {
		q.Add(q, big.NewInt(1))
	}
	if n.isInt() && open {
		q.Add(q, big.NewInt(step))
	}
	return &numeral{literal: q.String(), rat: new(big.Rat).SetInt(q)}
}

// isMultiple reports whether n is a multiple of m.
func (n *numeral) isMultiple(m *numeral) bool {
	return new(big.Rat).Quo(n.rat, m.rat).IsInt()
}
