package blockkit

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// maxFormBytes is the share of the inputs in a view, of which Slack takes
// 250,000 bytes; the message has maxMessageBytes of the rest.
const maxFormBytes = 150_000

// inputBytes is what an input block weighs besides its texts and options.
const inputBytes = 420

// listing is a control with options, which can do without showing them all.
type listing interface {
	control
	list() *optionList
	prefilled() int // bytes of the options that are preselected
}

func (c *choice) list() *optionList  { return &c.optionList }
func (c *choices) list() *optionList { return &c.optionList }

func (c *choice) prefilled() int {
	if c.initial < 0 {
		return 0
	}
	return c.options[c.initial].size()
}

func (c *choices) prefilled() int {
	n := 0
	for _, i := range c.initial {
		n += c.options[i].size()
	}
	return n
}

// fit keeps the form within one view: the longest menus become menus that are
// searched, until the rest fits.
func (f *Form) fit(p path) error {
	total := 0
	var lists []*optionList
	for i := range f.fields {
		fd := &f.fields[i]
		total += inputBytes + fd.size()
		if l, ok := fd.control.(listing); ok {
			total += l.prefilled() + l.list().size()
			lists = append(lists, l.list())
		}
	}
	if total <= maxFormBytes {
		return nil
	}
	slices.SortStableFunc(lists, func(a, b *optionList) int { return cmp.Compare(b.size(), a.size()) })
	for _, l := range lists {
		total -= l.size()
		l.external = true
		if total <= maxFormBytes {
			return nil
		}
	}
	return unrenderable(p, "the form is larger than Slack can show")
}

// size is what the texts of a field weigh.
func (fd *field) size() int {
	n := jsonSize(fd.label) + jsonSize(fd.hint(time.UTC))
	for _, x := range fd.extra() {
		n += jsonSize(x) + 100
	}
	switch c := fd.control.(type) {
	case text:
		n += jsonSize(c.initial)
	case constant:
		n += jsonSize(c.text) + jsonSize(fd.about)
	}
	return n
}

// What stands under an input, and what above it. A hint takes 2,000 characters
// at Slack, of which small grey print is read for a few lines at most.
const (
	maxAbout = 500
	maxHint  = 1500
	maxExtra = 2 * maxText
)

// hint is the small print under an input: what it is about and what is
// expected.
func (fd *field) hint(zone *time.Location) string {
	var parts []string
	if fits(fd.about, maxAbout) && !isBlank(fd.about) {
		parts = append(parts, strings.TrimSpace(fd.about))
	}
	for _, h := range fd.hints(zone) {
		if h != "" {
			parts = append(parts, h)
		}
	}
	return cut(strings.Join(parts, " "), maxHint)
}

// extra are the texts that stand above the input, since they have no room in
// it: a paragraph each.
func (fd *field) extra() []string {
	var out []string
	if fd.whole != "" {
		out = append(out, fd.whole)
	}
	if !fits(fd.about, maxAbout) {
		out = append(out, strings.TrimSpace(fd.about))
	}
	if l, ok := fd.control.(listing); ok {
		out = append(out, l.list().extras()...)
	}
	left := maxExtra
	for i, x := range out {
		n := storedUnits(x)
		if n > left {
			return append(out[:i:i], cut(x, max(left-storedUnits(wordCutShort), 1)), wordCutShort)
		}
		left -= n
	}
	return out
}
