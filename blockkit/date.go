package blockkit

import (
	"encoding/json"
	"time"

	"github.com/slack-go/slack"
)

// date is a string of the format date.
type date struct {
	textRule
	initial string
}

func (f flattener) parseDate(s flat, r textRule) control {
	c := date{textRule: r}
	if d := s.get("default"); d.is(nodeString) && isDate(d.text) && r.check(d.text, f.tried).empty() {
		c.initial = d.text
	}
	return c
}

// isDate reports whether s is a day in exactly the form of RFC 3339.
func isDate(s string) bool {
	t, err := time.Parse(time.DateOnly, s)
	return err == nil && t.Format(time.DateOnly) == s
}

func (c date) element(Language) slack.BlockElement {
	e := slack.NewDatePickerBlockElement(inputAction)
	e.InitialDate = c.initial
	return e
}

func (c date) hints(Reader) []phrase { return c.patternHint() }

func (c date) skippable(required bool) bool { return !required }

func (c date) missing() phrase { return errDate }

func (c date) keep(e entry) control {
	c.initial = ""
	if s, _ := e.text("selected_date"); isDate(s) {
		c.initial = s
	}
	return c
}

func (c date) read(e entry, a *answering) (json.RawMessage, phrase) {
	s, ok := e.text("selected_date")
	switch {
	case !ok, s != "" && !isDate(s):
		return nil, errDate
	case s == "":
		return nil, phrase{}
	}
	if problem := c.check(s, a); !problem.empty() {
		return nil, problem
	}
	return quote(s), phrase{}
}

// patternHint leaves out lengths, which a picker takes care of.
func (r textRule) patternHint() []phrase {
	if r.pattern.source == "" {
		return nil
	}
	return []phrase{hintPattern(r.pattern)}
}

// moment is a string of the format date-time.
type moment struct {
	textRule
	initial int64 // Unix seconds; 0 for none
}

// Slack's picker takes Unix seconds of ten digits.
const (
	firstMoment = 1_000_000_000
	lastMoment  = 9_999_999_999
)

func (f flattener) parseMoment(s flat, r textRule) control {
	c := moment{textRule: r}
	if d := s.get("default"); d.is(nodeString) {
		t, err := time.Parse(time.RFC3339, d.text) // takes fractions of a second as well
		if err == nil && t.Unix() >= firstMoment && t.Unix() <= lastMoment && r.check(d.text, f.tried).empty() {
			c.initial = t.Unix()
		}
	}
	return c
}

func (c moment) element(Language) slack.BlockElement {
	e := slack.NewDateTimePickerBlockElement(inputAction)
	e.InitialDateTime = c.initial
	return e
}

func (c moment) hints(r Reader) []phrase {
	return append([]phrase{hintZone(r.zone().String())}, c.patternHint()...)
}

func (c moment) skippable(required bool) bool { return !required }

func (c moment) missing() phrase { return errMoment }

func (c moment) keep(e entry) control {
	c.initial = 0
	if sec, set, ok := e.seconds("selected_date_time"); set && ok && sec >= firstMoment {
		c.initial = sec
	}
	return c
}

func (c moment) read(e entry, a *answering) (json.RawMessage, phrase) {
	sec, set, ok := e.seconds("selected_date_time")
	switch {
	case !ok:
		return nil, errMoment
	case !set:
		return nil, phrase{}
	}
	// The person chose an instant, not how it is written: a schema that wants
	// UTC, or fractions of a second, gets it so.
	instant := time.Unix(sec, 0)
	s := rfc3339(sec, a.zone())
	problem := c.check(s, a)
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05.000Z07:00"} {
		if problem.empty() {
			break
		}
		if other := instant.UTC().Format(layout); c.check(other, a).empty() {
			s, problem = other, phrase{}
		}
	}
	if !problem.empty() {
		return nil, problem
	}
	return quote(s), phrase{}
}

// rfc3339 writes an instant with the offset of zone at that instant, Z for
// UTC. Offsets of odd seconds, which RFC 3339 cannot say, become UTC.
func rfc3339(sec int64, zone *time.Location) string {
	t := time.Unix(sec, 0).In(zone)
	if _, offset := t.Zone(); offset%60 != 0 {
		t = t.UTC()
	}
	return t.Format(time.RFC3339)
}
