package blockkit

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Hints under a field.

func hintLength(lo, hi int) string {
	switch {
	case lo > 0 && lo == hi:
		return fmt.Sprintf("Exactly %s.", plural(lo, "character", "characters"))
	case lo > 0 && hi >= 0:
		return fmt.Sprintf("%d to %s.", lo, plural(hi, "character", "characters"))
	case lo > 0:
		return fmt.Sprintf("At least %s.", plural(lo, "character", "characters"))
	case hi >= 0:
		return fmt.Sprintf("At most %s.", plural(hi, "character", "characters"))
	}
	return ""
}

// hintItems says how many may be chosen; hi is -1 without an upper bound.
func hintItems(lo, hi int) string {
	switch {
	case lo > 0 && lo == hi:
		return fmt.Sprintf("Choose exactly %d.", lo)
	case lo > 0 && hi >= 0:
		return fmt.Sprintf("Choose %d to %d.", lo, hi)
	case lo > 0:
		return fmt.Sprintf("Choose at least %d.", lo)
	case hi >= 0:
		return fmt.Sprintf("Choose at most %d.", hi)
	}
	return ""
}

func hintPattern(pattern string) string { return "Must match: " + cut(shownLine(pattern), 120) }

func hintZone(zone string) string {
	if zone != "" {
		zone = ", " + zone
	}
	return "Sent with the offset of your Slack time zone" + zone + ". The picker may show the zone of your device."
}

// Errors at a field: what is expected. Each has at most maxErrorText
// characters.

const (
	errFill       = "Please fill in this field."
	errChoose     = "Please choose one of the options."
	errNotOffered = "This choice is not among the options. Please choose again."
	errUnreadable = "This could not be read. Please enter it again."
	errNumber     = "Please enter a number, such as 12.5."
	errInteger    = "Please enter a whole number, such as 12."
	errEmail      = "Please enter an email address, such as ann@example.com."
	errURI        = "Please enter a full URL, such as https://example.com/page."
	errDate       = "Please choose a date."
	errMoment     = "Please choose a date and a time."
	errTooHard    = "This could not be checked against the pattern that is asked for. Please try a shorter or simpler text."
)

func errTooShort(lo, have int) string {
	return fmt.Sprintf("Please enter at least %s; this has %d.", plural(lo, "character", "characters"), have)
}

func errTooLong(hi, have int) string {
	return fmt.Sprintf("Please enter at most %s; this has %d.", plural(hi, "character", "characters"), have)
}

func errPattern(pattern string) string {
	return "Please enter text that matches " + cut(shownLine(pattern), 100)
}

// formatExamples help where the name of a format alone would not.
var formatExamples = map[string]string{
	"time": "10:30:00Z", "duration": "PT1H30M", "hostname": "db1.example.com", "ipv4": "192.0.2.1", "ipv6": "2001:db8::1",
	"uuid": "123e4567-e89b-12d3-a456-426614174000",
}

func errFormat(format string) string {
	s := "Please enter a valid " + cut(shownLine(format), 60)
	if e := formatExamples[format]; e != "" {
		s += ", such as " + e
	}
	return s + "."
}

func errRange(b bounds) string { return "Please enter a number " + b.words() + "." }

// words says what numbers the bounds allow: "from 1 to 5", "of at least 0".
func (b bounds) words() string {
	lo, hi := "of at least ", "of at most "
	if b.loOpen {
		lo = "greater than "
	}
	if b.hiOpen {
		hi = "less than "
	}
	lo, hi = lo+b.lo.short(), hi+b.hi.short()
	switch {
	case b.lo == nil && b.hi == nil:
		return ""
	case b.hi == nil:
		return lo
	case b.lo == nil:
		return hi
	case b.loOpen || b.hiOpen:
		return lo + " and " + hi
	}
	return "from " + b.lo.short() + " to " + b.hi.short()
}

func hintRange(b bounds) string {
	if w := b.words(); w != "" {
		return "A number " + w + "."
	}
	return ""
}

func hintMultiple(n *numeral) string { return "A multiple of " + n.short() + "." }

func errMultiple(n *numeral) string { return "Please enter a multiple of " + n.short() + "." }

func errTooFew(lo int) string { return fmt.Sprintf("Please choose at least %d.", lo) }

func errTooMany(hi int) string { return fmt.Sprintf("Please choose at most %d.", hi) }

func errWhole(problem string) string {
	return "The answers together are not what the server asks for: " + problem
}

// maxErrorText is how long an error at a field may be; Slack names no limit.
const maxErrorText = 150

// fieldError fits s into an error at a field.
func fieldError(s string) string {
	if utf8.RuneCountInString(s) <= maxErrorText {
		return s
	}
	head, _ := splitAt(s, maxErrorText-len(ellipsis))
	return strings.TrimRightFunc(head, isSpace) + ellipsis
}
