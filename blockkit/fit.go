package blockkit

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

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

// fit divides the form over pages. p is where its properties stand.
func (f *Form) fit(p path) error {
	if f.surelySmall() {
		return nil
	}
	for i := range f.fields {
		if err := f.fields[i].legible(p.member(f.fields[i].name)); err != nil {
			return err
		}
	}
	total := f.weight()
	if len(f.fields) <= maxFields {
		total = f.shorten(total)
	}
	if len(f.fields) <= maxFields && total <= maxFormBytes {
		return nil
	}
	for i := range f.fields {
		if l, ok := f.fields[i].control.(listing); ok && l.list().size() > maxPageMenu {
			l.list().external = true
		}
	}
	f.paged = f.divide()
	return nil
}

// surelySmall spares most forms the weighing: it takes the worst of every
// length, which costs nothing to find out.
func (f *Form) surelySmall() bool {
	if len(f.fields) > maxFields {
		return false
	}
	total := 0
	for i := range f.fields {
		n := f.fields[i].atMost()
		if total += n; n > maxMessage || total > maxFormBytes {
			return false
		}
	}
	return true
}

const (
	worstByte  = len(`\u003c`) // what one byte may weigh in JSON
	worstHints = 500           // what our own hints may weigh
)

// atMost is more than the field can weigh.
func (fd *field) atMost() int {
	n := worstByte*(len(fd.label)+len(fd.whole)+2*len(fd.about)) + inputBytes + worstHints
	switch c := fd.control.(type) {
	case text:
		n += worstByte * (len(c.initial) + len(c.pattern.source) + len(c.format))
	case jsonField:
		n += worstByte * len(c.initial)
	case constant:
		n += worstByte * len(c.text)
	case listing:
		for _, o := range c.list().options {
			n += worstByte*(2*len(o.label)+2*len(o.about)+len(o.whole)) + 200
		}
	}
	return n
}

// shorten makes menus that are searched out of the longest ones, until the form
// fits one view. It returns what the form weighs then.
func (f *Form) shorten(total int) int {
	if total <= maxFormBytes {
		return total
	}
	var lists []*optionList
	for _, fd := range f.fields {
		if l, ok := fd.control.(listing); ok {
			lists = append(lists, l.list())
		}
	}
	slices.SortStableFunc(lists, func(a, b *optionList) int { return cmp.Compare(b.size(), a.size()) })
	for _, l := range lists {
		if total <= maxFormBytes {
			break
		}
		total -= l.size()
		l.external = true
	}
	return total
}

func (f *Form) weight() int {
	n := 0
	for i := range f.fields {
		n += f.fields[i].weight()
	}
	return n
}

// weight is what a field weighs in a view, in bytes of JSON. It never says too
// little.
func (fd *field) weight() int {
	n := inputBytes + jsonSize(fd.label) + jsonSize(fd.hint(Reader{}))
	for _, x := range fd.extra() {
		n += jsonSize(x) + 100
	}
	switch c := fd.control.(type) {
	case text:
		n += jsonSize(c.initial)
	case jsonField:
		n += jsonSize(c.initial)
	case constant:
		n += jsonSize(c.text) + jsonSize(fd.about)
	case listing:
		n += c.prefilled() + c.list().size()
	}
	return n
}

// What stands under an input, and what above it. A hint takes 2,000 characters
// at Slack, of which small grey print is read for a few lines at most.
const (
	maxAbout = 500
	maxHint  = 1500
)

// legible refuses a field whose texts are longer than a page: nothing is shown
// by half.
func (fd *field) legible(p path) error {
	n := 0
	for _, x := range fd.extra() {
		n += storedUnits(x)
	}
	if c, ok := fd.control.(constant); ok {
		n += storedUnits(c.text) + storedUnits(fd.about)
	}
	if n > maxMessage {
		return unrenderable(p, "its texts are longer than Slack can show on one page (%d characters)", maxMessage)
	}
	return nil
}

// hint is the small print under an input: what it is about and what is
// expected.
func (fd *field) hint(r Reader) string {
	var parts []string
	if fits(fd.about, maxAbout) && !isBlank(fd.about) {
		parts = append(parts, strings.TrimSpace(fd.about))
	}
	var ours []string
	for _, h := range fd.hints(r) {
		if !h.empty() {
			ours = append(ours, h.in(r.Language))
		}
	}
	if len(parts) > 0 && len(ours) > 0 && !endsSentence(parts[0]) {
		parts = append(parts, "·") // the server's words stay as they are
	}
	parts = append(parts, ours...)
	return cut(strings.Join(parts, " "), maxHint)
}

func endsSentence(text string) bool {
	last, _ := utf8.DecodeLastRuneInString(text)
	return strings.ContainsRune(".!?:;…。！？：；)", last)
}

// extra are the texts that stand above the input, since they have no room in
// it: a paragraph each.
func (fd *field) extra() []string {
	if _, fixed := fd.control.(constant); fixed {
		return nil // it is a paragraph itself
	}
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
	return out
}
