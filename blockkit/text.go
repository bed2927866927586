package blockkit

import (
	"encoding/json"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/slack-go/slack"
)

// textRule is what a schema asks of a string.
type textRule struct {
	minLen, maxLen int // in code points; maxLen is -1 when there is no limit
	pattern        pattern
	format         string
}

func parseTextRule(s flat, required bool, p path) (textRule, error) {
	var r textRule
	var err error
	if r.minLen, err = s.size("minLength", p); err != nil {
		return r, err
	}
	r.minLen = max(r.minLen, 0)
	if r.maxLen, err = s.size("maxLength", p); err != nil {
		return r, err
	}
	if r.maxLen >= 0 && r.minLen > r.maxLen {
		return r, invalid(p.member("minLength"), "is more than maxLength")
	}
	if r.maxLen == 0 && required {
		return r, invalid(p.member("maxLength"), "allows no text, and some is required")
	}
	source, err := s.words("pattern", p)
	if err != nil {
		return r, err
	}
	r.pattern = newPattern(source)
	r.format, err = s.words("format", p)
	return r, err
}

// check returns what is wrong with s; an empty phrase when nothing is.
func (r textRule) check(s string, a *answering) phrase {
	n := utf8.RuneCountInString(s)
	switch {
	case n < r.minLen:
		return errTooShort(r.minLen, n)
	case r.maxLen >= 0 && n > r.maxLen:
		return errTooLong(r.maxLen, n)
	}
	if r.format != "" && !hasFormat(r.format, s) {
		switch r.format {
		case "email":
			return errEmail
		case "uri":
			return errURI
		}
		return errFormat(r.format)
	}
	return a.match(r.pattern, s)
}

func (r textRule) hints() []phrase {
	out := []phrase{hintLength(r.minLen, r.maxLen)}
	if r.pattern.source != "" {
		out = append(out, hintPattern(r.pattern))
	}
	return out
}

// text is a string that is typed: in a plain, email or URL input.
type text struct {
	textRule
	required  bool
	multiline bool
	plain     bool   // Slack's input for the format would refuse the default
	initial   string // a valid default
}

const (
	longDefault     = 80  // characters; a longer one shows better on several lines
	longText        = 150 // maxLength and description from which on several lines are offered
	clientUnitsRune = 2   // UTF-16 units that one code point takes at most
)

func (f flattener) parseText(s flat, required bool, p path) (control, error) {
	r, err := parseTextRule(s, required, p)
	if err != nil {
		return nil, err
	}
	switch r.format {
	case "date":
		return f.parseDate(s, r), nil
	case "date-time":
		return f.parseMoment(s, r), nil
	}
	if r.minLen > maxText {
		return nil, unrenderable(p.member("minLength"), "Slack's inputs take at most %d characters", maxText)
	}
	t := text{textRule: r, required: required}
	if d := s.get("default"); d.is(nodeString) && !d.lossy && t.canPrefill(d.text, f.tried) {
		t.initial = d.text
	}
	t.plain = t.initial != "" && !slackTakes(r.format, t.initial)
	about := utf8.RuneCountInString(s.str("description"))
	t.multiline = r.maxLen > longText || strings.Contains(t.initial, "\n") ||
		r.maxLen < 0 && (utf8.RuneCountInString(t.initial) > longDefault || about > longText)
	return t, nil
}

// canPrefill reports whether a default is valid, fits Slack's input, and shows
// all there is to it: a person who leaves it as it is must know what is sent.
func (t text) canPrefill(s string, a *answering) bool {
	return s != "" && units(s) <= t.maxUnits() && isAllShown(s) && t.check(s, a).empty()
}

// isAllShown reports whether a person who sees s sees all there is to it.
func isAllShown(s string) bool {
	for _, r := range s {
		if unicode.IsSpace(r) && r != ' ' && r != '\n' && r != '\t' {
			return false // it looks like a space
		}
	}
	s = strings.ReplaceAll(s, "\t", " ")
	return shown(s) == s
}

// slackTakes reports whether Slack's own input for a format is sure to take s.
// It asks for more than the format does, of which only this much is known: web
// addresses, and mail addresses without quotes.
func slackTakes(format, s string) bool {
	switch format {
	case "uri":
		return strings.HasPrefix(s, "http://") || strings.HasPrefix(s, "https://")
	case "email":
		return simpleMail.MatchString(s)
	}
	return true
}

var simpleMail = regexp.MustCompile(`^[A-Za-z0-9._%+-]+@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+$`)

// maxUnits is the limit of Slack's own input. Slack counts UTF-16 units, a
// schema code points, of which each takes up to two units; the exact length is
// checked on submit.
func (t text) maxUnits() int {
	if t.maxLen < 0 || t.maxLen > maxText/clientUnitsRune {
		return maxText
	}
	return max(1, t.maxLen*clientUnitsRune)
}

func (t text) element(Language) slack.BlockElement {
	format := t.format
	if t.plain {
		format = ""
	}
	switch format {
	case "email":
		e := slack.NewEmailTextInputBlockElement(nil, inputAction)
		e.InitialValue = t.initial
		return e
	case "uri":
		e := slack.NewURLTextInputBlockElement(nil, inputAction)
		e.InitialValue = t.initial
		return e
	}
	e := slack.NewPlainTextInputBlockElement(nil, inputAction)
	e.InitialValue, e.Multiline, e.MaxLength = t.initial, t.multiline, t.maxUnits()
	if t.required { // an empty input would break it, which is how an optional one is skipped
		e.MinLength = t.minLen
	}
	return e
}

func (t text) hints(Reader) []phrase { return t.textRule.hints() }

func (t text) skippable(required bool) bool { return !required }

func (t text) missing() phrase { return errFill }

func (t text) keep(e entry) control {
	t.initial, _ = e.text("value")
	t.multiline = t.multiline || strings.Contains(t.initial, "\n")
	return t
}

func (t text) read(e entry, a *answering) (json.RawMessage, phrase) {
	s, ok := e.text("value")
	if !ok {
		return nil, errUnreadable
	}
	if t.format == "email" || t.format == "uri" {
		s = strings.TrimSpace(s) // what phones add when they complete a word
	}
	if s == "" {
		return nil, phrase{}
	}
	if problem := t.check(s, a); !problem.empty() {
		return nil, problem
	}
	return quote(s), phrase{}
}
