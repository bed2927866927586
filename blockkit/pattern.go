package blockkit

import (
	"time"

	"github.com/dlclark/regexp2/v2"
)

// A pattern of a server runs on text of a person, in a backtracking engine:
// it gets this much time, and a form this many patterns that need all of it,
// so that an acknowledgement is never late.
const (
	patternTime        = 100 * time.Millisecond
	maxPatternTimeouts = 3
)

// maxPattern bounds a pattern, in bytes: compiling takes time as well. What is
// longer is left to the server.
const maxPattern = 4000

// pattern is a pattern of a schema.
type pattern struct {
	source string
	re     *regexp2.Regexp // nil when no engine compiles it: it is not checked
}

// newPattern compiles an ECMA-262 pattern as JSON Schema means it: not
// anchored, with Unicode where the pattern allows it.
func newPattern(source string) pattern {
	p := pattern{source: source}
	if source == "" || len(source) > maxPattern {
		return p
	}
	for _, o := range []regexp2.RegexOptions{regexp2.ECMAScript | regexp2.Unicode, regexp2.ECMAScript} {
		if re, err := regexp2.Compile(source, o); err == nil {
			re.MatchTimeout = patternTime
			p.re = re
			break
		}
	}
	return p
}

// match returns what is wrong with s; nothing when it matches. A pattern that
// takes too long is a problem at the field: whether s fits is not known.
func (a *answering) match(p pattern, s string) phrase {
	if p.re == nil {
		return phrase{}
	}
	if a.timeouts >= maxPatternTimeouts {
		return errTooHard
	}
	ok, err := p.re.MatchString(s)
	switch {
	case err != nil:
		a.timeouts++
		return errTooHard
	case !ok:
		return errPattern(p)
	}
	return phrase{}
}
