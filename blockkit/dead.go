package blockkit

import (
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// gap is a zero-width space. It stands only in the text that push messages and
// screen readers get, never in what people read and copy in Slack.
const gap = "\u200b"

// lookalikes replace the signs of mrkdwn where they would style text.
var lookalikes = map[rune]string{'*': "∗", '_': "ˍ", '~': "∼", '`': "ˋ"}

// dead breaks what escaping leaves alive in the text of a message: styles,
// emoji, links, mail addresses, #channels and @here, and quotations. Signs
// inside words, such as the _ of deploy_service, are not live and stay.
func dead(s string) string {
	if strings.IndexFunc(s, isSign) < 0 {
		return s
	}
	var b strings.Builder
	before := '\n'
	for i, r := range s {
		if !isSign(r) {
			b.WriteRune(r)
			before = r
			continue
		}
		rest := s[i+utf8.RuneLen(r):]
		next, _ := utf8.DecodeRuneInString(rest)
		switch {
		case lookalikes[r] != "" && (r == '`' || !isWord(before) || !isWord(next)):
			b.WriteString(lookalikes[r])
		case r == '>' && before == '\n':
			b.WriteString(gap + ">")
		case wakes(r, before, rest):
			b.WriteRune(r)
			b.WriteString(gap)
		default:
			b.WriteRune(r)
		}
		before = r
	}
	return b.String()
}

func isSign(r rune) bool { return strings.ContainsRune("*_~`>:@#.", r) }

// wakes reports whether Slack may make something live of r and what follows.
func wakes(r, before rune, rest string) bool {
	next, _ := utf8.DecodeRuneInString(rest)
	switch r {
	case ':':
		return strings.HasPrefix(rest, "//") || isEmojiName(before, rest)
	case '@':
		return isWord(next)
	case '#':
		return isWord(next) && !isWord(before)
	case '.': // www.example.com
		return (before == 'w' || before == 'W') && isWord(next)
	}
	return false
}

// isEmojiName reports whether rest closes an emoji that a colon opened. The
// colons of 12:30:45 do not.
func isEmojiName(before rune, rest string) bool {
	end := strings.IndexByte(rest, ':')
	if end < 1 {
		return false
	}
	letters := false
	for _, r := range rest[:end] {
		if !isWord(r) && !strings.ContainsRune("_+-'", r) {
			return false
		}
		letters = letters || !unicode.IsDigit(r)
	}
	return letters || !unicode.IsDigit(before)
}

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// units counts UTF-16 units, as Slack counts a text that is escaped already.
func units(s string) int {
	n := 0
	for _, r := range s {
		if k := utf16.RuneLen(r); k > 0 {
			n += k
		}
	}
	return n
}
