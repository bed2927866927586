package blockkit

import (
	"strings"
	"unicode/utf16"

	"github.com/rivo/uniseg"
)

// Lengths are counted as Slack's strictest reading counts them: in UTF-16 units
// of the text as Slack stores it, with & < > escaped.

// ellipsis marks a cut.
const ellipsis = "…"

// storedUnits is the length of s as Slack stores it.
func storedUnits(s string) int {
	n := 0
	for _, r := range s {
		n += runeUnits(r)
	}
	return n
}

func runeUnits(r rune) int {
	switch r {
	case '&':
		return len("&amp;")
	case '<', '>':
		return len("&lt;")
	}
	if n := utf16.RuneLen(r); n > 0 {
		return n
	}
	return 1
}

// cut shortens s to at most limit stored units, between graphemes, and marks
// the cut. It never returns less than the mark.
func cut(s string, limit int) string {
	if fits(s, limit) {
		return s
	}
	head, _ := splitAt(s, limit-storedUnits(ellipsis))
	return strings.TrimRightFunc(head, isSpace) + ellipsis
}

// fits reports whether s has at most limit stored units.
func fits(s string, limit int) bool {
	if len(s)*len("&amp;") <= limit {
		return true
	}
	return storedUnits(s) <= limit
}

// maxGrapheme is how long a grapheme may get before it is cut like any other
// text, in units: characters can be joined to one without end.
const maxGrapheme = 64

// splitAt cuts s between graphemes so that head has at most limit stored units.
func splitAt(s string, limit int) (head, rest string) {
	n, end, state := 0, 0, -1
	for end < len(s) {
		var g string
		g, _, _, state = uniseg.FirstGraphemeClusterInString(s[end:], state)
		size := storedUnits(g)
		if n+size > limit {
			if size > maxGrapheme {
				end += prefix(g, limit-n)
			}
			break
		}
		n += size
		end += len(g)
	}
	return s[:end], s[end:]
}

// prefix is how many bytes of s have at most limit stored units.
func prefix(s string, limit int) int {
	n := 0
	for i, r := range s {
		if n += runeUnits(r); n > limit {
			return i
		}
	}
	return len(s)
}

// chunks splits s into pieces of at most limit stored units, at the end of a
// line or a word where one is near. Nothing is lost: the pieces make up s.
// limit is at least maxGrapheme.
func chunks(s string, limit int) []string {
	var out []string
	for s != "" {
		head, rest := splitAt(s, limit)
		if rest != "" {
			if i := breakBefore(head); i > len(head)/2 {
				head, rest = s[:i], s[i:]
			}
		}
		out = append(out, head)
		s = rest
	}
	return out
}

// breakBefore is where head is best broken: after its last line end, else
// after its last space; 0 when it has neither.
func breakBefore(head string) int {
	if i := strings.LastIndexByte(head, '\n'); i > len(head)/2 {
		return i + 1
	}
	return strings.LastIndexByte(head, ' ') + 1
}

// escape writes s for mrkdwn and for the text of a message, where exactly
// these three characters are escaped.
func escape(s string) string { return escaper.Replace(s) }

var escaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")
