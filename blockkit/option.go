package blockkit

import (
	"slices"
	"strconv"
	"strings"

	"github.com/slack-go/slack"
)

// option is one value that can be chosen.
type option struct {
	label string // at most maxOptionText, distinct in its list
	ours  bool   // the label is our word, not the server's
	about string // shown with it, at most maxOptionText; may be empty
	whole string // its full text when label and about hold only a part
	value *node  // goes back byte for byte
}

// optionList is what one field offers.
type optionList struct {
	options  []option
	noAnswer bool // offers not to answer: Slack lets nobody clear a single choice
	external bool // too many for one menu: found by searching
}

// Slack's limits on options, and what reads well below them.
const (
	maxRadio      = 5   // options, besides No answer
	maxCheckboxes = 10  // options
	maxMenu       = 100 // options, with No answer
)

// noAnswerID is the id of the option not to answer.
const noAnswerID = "none"

// optionID names the option at position i. What comes back is looked up by it.
func optionID(i int) string { return "o" + strconv.Itoa(i) }

// find returns the position that an option id of ours names.
func (l optionList) find(id string) (int, bool) {
	digits, ok := strings.CutPrefix(id, "o")
	i, err := strconv.Atoi(digits)
	if !ok || err != nil || i < 0 || i >= len(l.options) || optionID(i) != id {
		return 0, false
	}
	return i, true
}

// index returns the position of the option with that value; -1 when there is
// none.
func (l optionList) index(v *node) int {
	if v.is(nodeObject) || v.is(nodeArray) {
		return -1
	}
	key := v.key()
	return slices.IndexFunc(l.options, func(o option) bool { return o.value.key() == key })
}

func (l optionList) draw(i int, lang Language) Option {
	o := l.options[i]
	label := o.label
	if o.ours {
		label = say(label).in(lang)
	}
	var about *slack.TextBlockObject
	if o.about != "" {
		about = plain(o.about)
	}
	return slack.NewOptionBlockObject(optionID(i), plain(label), about)
}

// entries is how many options stand in a menu.
func (l optionList) entries() int {
	if l.noAnswer {
		return len(l.options) + 1
	}
	return len(l.options)
}

// drawNoAnswer draws the option not to answer, in words that none of the
// server's options has.
func (l *optionList) drawNoAnswer(lang Language) Option {
	label := say(wordNoAnswer).in(lang)
	taken := func(o option) bool { return folded(o.label) == folded(label) }
	if slices.ContainsFunc(l.options, taken) {
		label = say(wordLeaveOpen).in(lang)
	}
	for slices.ContainsFunc(l.options, taken) {
		label += "·"
	}
	return slack.NewOptionBlockObject(noAnswerID, plain(label), nil)
}

// all draws every option, with No answer at the end.
func (l optionList) all(lang Language) []Option {
	out := make([]Option, 0, l.entries())
	for i := range l.options {
		out = append(out, l.draw(i, lang))
	}
	if l.noAnswer {
		out = append(out, l.drawNoAnswer(lang))
	}
	return out
}

// size is what an option weighs in JSON, in bytes.
func (o option) size() int {
	n := jsonSize(o.label) + len(`{"text":{"type":"plain_text","text":"","emoji":false},"value":"o99999"},`)
	if o.about != "" {
		n += jsonSize(o.about) + len(`"description":{"type":"plain_text","text":"","emoji":false},`)
	}
	return n
}

// size is what the list weighs in a view.
func (l optionList) size() int {
	if l.external {
		return 0
	}
	n := 0
	for _, o := range l.options {
		n += o.size()
	}
	return n
}

// extras are the full texts of options that had to be cut.
func (l optionList) extras() []string {
	var out []string
	for _, o := range l.options {
		if o.whole != "" {
			out = append(out, o.label+" = "+o.whole)
		}
	}
	return out
}
