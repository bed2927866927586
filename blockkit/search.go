package blockkit

import (
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// maxReply bounds what travels in an acknowledgement, in bytes of JSON: one of
// 20,480 bytes and more is dropped in silence, and the envelope around it needs
// room.
const maxReply = 18_000

// Search returns the options of a menu that have text in their title or value,
// for an external select: at most 100, and less than 20 KB of JSON. It is never
// nil, since Slack wants a list.
func (f *Form) Search(id, text string, l Language) []Option {
	i, ok := fieldAt(id)
	if !ok || i >= len(f.fields) {
		return []Option{}
	}
	if c, ok := f.fields[i].control.(listing); ok {
		return c.list().search(text, l)
	}
	return []Option{}
}

// How well an option fits what was typed. The better ones come first, so that
// typing the whole of a short one finds it among many that contain it.
const (
	isIt = iota
	startsWithIt
	hasIt
	isOther
)

// search draws the options that have text in their title or value, as many as
// Slack takes. Whoever misses one types more of it.
func (l *optionList) search(text string, lang Language) []Option {
	text = folded(text)
	var found [isOther][]int
	for i := range l.options {
		if rank := l.options[i].rank(text); rank < isOther {
			found[rank] = append(found[rank], i)
		}
	}
	out := []Option{}
	left := maxReply
	add := func(o Option, size int) bool {
		if len(out) == maxMenu || size > left {
			return false
		}
		left -= size
		out = append(out, o)
		return true
	}
	if none := l.drawNoAnswer(lang); l.noAnswer && strings.Contains(folded(none.Text.Text), text) {
		add(none, option{label: none.Text.Text}.size())
	}
	for _, i := range slices.Concat(found[:]...) {
		if !add(l.draw(i, lang), l.options[i].size()) {
			break
		}
	}
	return out
}

// rank says how well folded text fits the option.
func (o *option) rank(text string) int {
	best := isOther
	for _, s := range []string{o.label, o.value.text, o.about, o.whole} {
		if s == "" {
			continue
		}
		s = folded(s)
		switch {
		case s == text:
			return isIt
		case strings.HasPrefix(s, text):
			best = min(best, startsWithIt)
		case strings.Contains(s, text):
			best = min(best, hasIt)
		}
	}
	return best
}

// folded is s as it is compared while somebody types: without the differences
// of case, width and composition, in any script.
func folded(s string) string {
	s = strings.TrimSpace(s)
	if isASCII(s) {
		return strings.ToLower(s)
	}
	return cases.Fold().String(norm.NFKC.String(s))
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
