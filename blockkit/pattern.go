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

// compilePattern compiles an ECMA-262 pattern as JSON Schema means it: not
// anchored, with Unicode where the pattern allows it. It is nil for a pattern
// that cannot be compiled; such a one is not checked.
func compilePattern(pattern string) *regexp2.Regexp {
	for _, o := range []regexp2.RegexOptions{regexp2.ECMAScript | regexp2.Unicode, regexp2.ECMAScript} {
		if re, err := regexp2.Compile(pattern, o); err == nil {
			re.MatchTimeout = patternTime
			return re
		}
	}
	return nil
}

// match returns what is wrong with s; nothing when it matches. A pattern that
// takes too long is a problem at the field: whether s fits is not known.
func (a *answering) match(pattern, s string) phrase {
	re := compilePattern(pattern)
	if re == nil {
		return phrase{}
	}
	if a.timeouts >= maxPatternTimeouts {
		return errTooHard
	}
	ok, err := re.MatchString(s)
	switch {
	case err != nil:
		a.timeouts++
		return errTooHard
	case !ok:
		return errPattern(pattern)
	}
	return phrase{}
}
