package blockkit

import (
	"encoding/json"
	"strings"

	"github.com/slack-go/slack"
)

// number is a number or an integer.
type number struct {
	integer  bool
	bounds   bounds
	multiple *numeral // nil when any will do
	initial  string   // a valid default, without an exponent
}

// maxNumeral is how long the numbers in a number input may be. Slack documents
// no limit; longer bounds are checked by us alone.
const maxNumeral = 50

func parseNumber(s flat, p path) (control, error) {
	n := number{integer: s.str("type") == "integer"}
	if err := n.parseLimits(s, p); err != nil {
		return nil, err
	}
	if n.bounds.empty(n.integer) {
		return nil, invalid(p, "minimum and maximum leave no number between them")
	}
	if n.multiple != nil && !n.bounds.haveMultiple(n.multiple) {
		return nil, invalid(p, "no number between minimum and maximum is a multiple of multipleOf")
	}
	if d := s.get("default"); d.is(nodeNumber) {
		if num, _ := parseNumeral(d.text); n.check(num).empty() {
			n.initial = n.input(num)
		}
	}
	return n, nil
}

// parseLimits reads the keywords that limit a number.
func (n *number) parseLimits(s flat, p path) error {
	for _, k := range []struct {
		keyword string
		to      **numeral
		open    *bool
	}{
		{"minimum", &n.bounds.lo, &n.bounds.loOpen},
		{"exclusiveMinimum", &n.bounds.lo, &n.bounds.loOpen},
		{"maximum", &n.bounds.hi, &n.bounds.hiOpen},
		{"exclusiveMaximum", &n.bounds.hi, &n.bounds.hiOpen},
		{"multipleOf", &n.multiple, nil},
	} {
		v := s.get(k.keyword)
		if v == nil || v.is(nodeBool) && strings.HasPrefix(k.keyword, "exclusive") { // as draft 4 had it
			if v != nil && v.text == "true" {
				*k.open = true
			}
			continue
		}
		if !v.is(nodeNumber) {
			return invalid(p.member(k.keyword), "must be a number")
		}
		num, _ := parseNumeral(v.text)
		n.tighten(k.keyword, k.to, num)
	}
	if n.multiple != nil && n.multiple.rat.Sign() <= 0 {
		return invalid(p.member("multipleOf"), "must be greater than 0")
	}
	return nil
}

// tighten takes the stricter of two bounds when both minimum and
// exclusiveMinimum stand in a schema.
func (n *number) tighten(keyword string, to **numeral, num *numeral) {
	switch keyword {
	case "exclusiveMinimum":
		if *to == nil || num.cmp(*to) >= 0 {
			*to, n.bounds.loOpen = num, true
		}
	case "exclusiveMaximum":
		if *to == nil || num.cmp(*to) <= 0 {
			*to, n.bounds.hiOpen = num, true
		}
	default:
		*to = num
	}
}

// input writes a number for Slack's input; empty when it is too long for it.
func (n number) input(num *numeral) string {
	if num == nil {
		return ""
	}
	s := num.decimal()
	if n.integer {
		s = num.whole()
	}
	if len(s) > maxNumeral {
		return ""
	}
	return s
}

func (n number) check(num *numeral) phrase {
	switch {
	case n.integer && !num.isInt():
		return errInteger
	case !n.bounds.allow(num):
		return errRange(n.bounds)
	case n.multiple != nil && !num.isMultiple(n.multiple):
		return errMultiple(n.multiple)
	}
	return phrase{}
}

func (n number) element(Language) slack.BlockElement {
	e := slack.NewNumberInputBlockElement(nil, inputAction, !n.integer)
	b := n.bounds
	if n.integer {
		b = b.integers()
	}
	e.MinValue, e.MaxValue, e.InitialValue = n.input(b.lo), n.input(b.hi), n.initial
	return e
}

func (n number) hints(Reader) []phrase {
	out := []phrase{hintRange(n.bounds)}
	if n.multiple != nil {
		out = append(out, hintMultiple(n.multiple))
	}
	return out
}

func (n number) skippable(required bool) bool { return !required }

func (n number) missing() phrase { return errFill }

// keep leaves out what Slack would not take as the number to begin with.
func (n number) keep(e entry) control {
	n.initial = ""
	s, _ := e.text("value")
	if num, ok := parseNumeral(strings.TrimSpace(s)); ok && n.check(num).empty() {
		n.initial = n.input(num)
	}
	return n
}

func (n number) read(e entry, _ *answering) (json.RawMessage, phrase) {
	s, ok := e.text("value")
	if !ok {
		return nil, errUnreadable
	}
	if s = strings.TrimSpace(s); s == "" {
		return nil, phrase{}
	}
	num, ok := parseNumeral(s)
	if !ok {
		if n.integer {
			return nil, errInteger
		}
		return nil, errNumber
	}
	if problem := n.check(num); !problem.empty() {
		return nil, problem
	}
	if n.integer {
		return json.RawMessage(num.whole()), phrase{}
	}
	return json.RawMessage(num.literal), phrase{}
}
