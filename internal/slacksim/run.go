package slacksim

import "strings"

// Run is a stretch of text in one style, as a reader sees it.
type Run struct {
	Text    string
	Bold    bool
	Italic  bool
	Strike  bool
	Code    bool
	Mention bool   // it is a live mention, of people or of a channel
	Link    string // what a click on it opens; empty when it is no link
}

// emphasise adds the style that a sign of mrkdwn stands for.
func (r *Run) emphasise(sign rune) {
	switch sign {
	case '*':
		r.Bold = true
	case '_':
		r.Italic = true
	case '~':
		r.Strike = true
	}
}

// textOf is what the runs read.
func textOf(runs []Run) string {
	var b strings.Builder
	for _, run := range runs {
		b.WriteString(run.Text)
	}
	return b.String()
}

// joined makes runs of the characters of one style. quoted says of each line
// whether it is a quotation.
func joined(pieces []piece, quoted []bool) []piece {
	var out []piece
	line, open := 0, false // open: the last run consists of characters
	for _, p := range pieces {
		chars := p.char != 0
		if chars {
			p.run.Text, p.char = string(p.char), 0
		}
		if p.paragraph == "" && line < len(quoted) && quoted[line] {
			p.paragraph = quotation
		}
		line += strings.Count(p.run.Text, "\n")
		if last := len(out) - 1; open && chars && sameStyle(out[last], p) {
			out[last].run.Text += p.run.Text
		} else {
			out = append(out, p)
		}
		open = chars
	}
	return out
}

func sameStyle(a, b piece) bool {
	a.run.Text, b.run.Text = "", ""
	return a == b
}

func runsOf(pieces []piece) []Run {
	var out []Run
	for _, p := range pieces {
		out = append(out, p.run)
	}
	return out
}
