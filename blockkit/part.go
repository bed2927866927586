package blockkit

import (
	"strconv"
	"strings"
	"time"

	"github.com/slack-go/slack"
)

// Part is a fragment of one of our sentences. What is not ours stands in it as
// Text or Code and is dead. Words, which are sentences of several parts, are
// parts too.
type Part interface{ fragments() []fragment }

// fragment is what a part is made of.
type fragment struct {
	kind fragmentKind
	text string // of text; the id of a mention
	at   time.Time
	bold bool
	code bool
}

type fragmentKind int

const (
	fragmentText fragmentKind = iota
	fragmentUser
	fragmentChannel
	fragmentDate
)

func (f fragment) fragments() []fragment { return []fragment{f} }

// Text is running text. It is shown as it is: nothing in it is live.
func Text(s string) Part { return fragment{text: shown(s)} }

// Bold is running text in bold.
func Bold(s string) Part { return fragment{text: shown(s), bold: true} }

// Code is a name or a value in a code span, on one line.
func Code(s string) Part { return fragment{text: shownLine(s), code: true} }

// Mention names a user, and pings them in a message.
func Mention(userID string) Part { return fragment{kind: fragmentUser, text: userID} }

// Channel names a channel.
func Channel(channelID string) Part { return fragment{kind: fragmentChannel, text: channelID} }

// Date is a point in time, shown in the zone of the reader.
func Date(t time.Time) Part { return fragment{kind: fragmentDate, at: t} }

func (w Words) fragments() []fragment {
	var out []fragment
	for _, p := range w {
		out = append(out, p.fragments()...)
	}
	return out
}

// dateFormat shows day and time; the day as "today" where that is shorter.
const dateFormat = "{date_short_pretty} {time}"

// dateFallback is for clients and notifications that know no date tokens.
func dateFallback(t time.Time) string { return t.UTC().Format("2006-01-02 15:04 UTC") }

// element draws a fragment as rich text. Rich text is not parsed by Slack, so
// that nothing in a text can come alive.
func (f fragment) element() slack.RichTextSectionElement {
	switch f.kind {
	case fragmentUser:
		return slack.NewRichTextSectionUserElement(f.text, nil)
	case fragmentChannel:
		return slack.NewRichTextSectionChannelElement(f.text, nil)
	case fragmentDate:
		fallback := dateFallback(f.at)
		return slack.NewRichTextSectionDateElement(f.at.Unix(), dateFormat, nil, &fallback)
	}
	var style *slack.RichTextSectionTextStyle
	if f.bold || f.code {
		style = &slack.RichTextSectionTextStyle{Bold: f.bold, Code: f.code}
	}
	return slack.NewRichTextSectionTextElement(f.text, style)
}

// fallback writes a fragment for the text of a message.
func (f fragment) fallback() string {
	switch f.kind {
	case fragmentUser:
		return "<@" + escape(f.text) + ">"
	case fragmentChannel:
		return "<#" + escape(f.text) + ">"
	case fragmentDate:
		return "<!date^" + strconv.FormatInt(f.at.Unix(), 10) + "^" + dateFormat + "|" + dateFallback(f.at) + ">"
	}
	return escape(dead(f.text))
}

// units is about how long a fragment reads.
func (f fragment) units() int {
	if f.kind == fragmentText {
		return storedUnits(f.text)
	}
	return len("@somebody's name")
}

// size is what a fragment weighs in JSON, in bytes.
func (f fragment) size() int { return jsonSize(f.text) + 120 }

// empty reports whether there is nothing to draw; Slack refuses empty texts.
func (f fragment) empty() bool {
	if f.kind == fragmentDate {
		return f.at.Unix() <= 0 // no time at all; Slack refuses what was before 1970
	}
	return f.text == ""
}

// compact drops empty fragments, joins texts of the same style, and splits
// those that are too long for one element.
func compact(in []fragment) []fragment {
	var joined []fragment
	for _, f := range in {
		if f.empty() {
			continue
		}
		if last := len(joined) - 1; last >= 0 && f.joins(joined[last]) {
			joined[last].text += f.text
		} else {
			joined = append(joined, f)
		}
	}
	var out []fragment
	for _, f := range joined {
		if f.kind != fragmentText || fits(f.text, maxText) {
			out = append(out, f)
			continue
		}
		for _, piece := range chunks(f.text, maxText) {
			f.text = piece
			out = append(out, f)
		}
	}
	return out
}

// joins reports whether f can go on the text of before.
func (f fragment) joins(before fragment) bool {
	return f.kind == fragmentText && before.kind == fragmentText && f.bold == before.bold && f.code == before.code
}

// fallbackText joins fragments to the text of a message: at most maxFallback
// characters, never cut inside a token.
func fallbackText(in []fragment) string {
	var b strings.Builder
	left := maxFallback - len(ellipsis)
	for _, f := range in {
		s := f.fallback()
		if n := units(s); n <= left {
			b.WriteString(s)
			left -= n
			continue
		}
		if f.kind == fragmentText {
			head, _ := splitAt(dead(f.text), left)
			b.WriteString(escape(head))
		}
		b.WriteString(ellipsis)
		break
	}
	return strings.TrimSpace(b.String())
}
