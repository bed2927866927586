package blockkit

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// The rule for text that is not ours: nothing in it stays hidden and nothing
// is pushed out of sight. It is applied to everything of a server before it is
// measured, cut or drawn, and never to a value that goes back.
//
//   - Characters that cannot be seen or that change the direction of reading
//     (bidi controls, zero-width and tag characters, fillers, C0 and C1
//     controls) are shown as ⟦U+202E⟧, a run of them as ⟦U+200B ×12⟧. Joiners
//     stay where they do something visible: inside emoji and in scripts that
//     need them.
//   - All line ends become \n; a tab is a space.
//   - More than maxSpaces spaces in a row, of whatever kind, become
//     ⟦3000 spaces⟧; more than maxEmptyLines empty lines become
//     ⟦40 empty lines⟧.
//   - Bytes that are not UTF-8 become U+FFFD.
const (
	maxSpaces     = 16 // room for the indentation of code
	maxEmptyLines = 3
	maxMarks      = 8 // combining marks on one character; more of them cover their neighbours
)

// shown returns s as people may see it, on several lines.
func shown(s string) string {
	if isPlainASCII(s) {
		return s
	}
	return squeezeSpaces(revealHidden(unifyLines(strings.ToValidUTF8(s, "\uFFFD"))))
}

// shownLine returns s as people may see it on one line, without white space
// around it.
func shownLine(s string) string {
	if isPlainASCII(s) && !strings.Contains(s, "\n") && !strings.Contains(s, "  ") {
		return strings.TrimSpace(s)
	}
	return strings.Join(strings.Fields(shown(s)), " ")
}

// isPlainASCII reports whether s needs none of the rules above: the common
// case, and the fast one.
func isPlainASCII(s string) bool {
	spaces, lines := 0, 0
	for i := range len(s) {
		c := s[i]
		switch {
		case c == ' ':
			spaces++
		case c == '\n':
			spaces = 0
			lines++
		case c < ' ' || c >= 0x7F:
			return false
		default:
			spaces, lines = 0, 0
		}
		if spaces > maxSpaces || lines > maxEmptyLines {
			return false
		}
	}
	return true
}

var lineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\v", "\n", "\f", "\n",
	"\u0085", "\n", "\u2028", "\n", "\u2029", "\n", "\t", " ")

func unifyLines(s string) string { return lineEnds.Replace(s) }

// revealHidden shows what cannot be seen.
func revealHidden(s string) string {
	var b strings.Builder
	var v veil
	var first rune // of the run of hidden characters that is open
	run := 0
	for i, r := range s {
		if v.hides(r, s[i+utf8.RuneLen(r):]) {
			if run == 0 {
				first = r
			}
			run++
			continue
		}
		if run > 0 {
			b.WriteString(markHidden(first, run))
			run = 0
		}
		b.WriteRune(r)
	}
	if run > 0 {
		b.WriteString(markHidden(first, run))
	}
	return b.String()
}

// veil tells, character by character, what hides.
type veil struct {
	before rune // the last visible character
	marks  int  // combining marks on it
}

// hides reports whether r, which rest follows, shows nothing of itself there.
func (v *veil) hides(r rune, rest string) bool {
	hides := isHidden(r)
	switch {
	case isVariation(r):
		next, _ := utf8.DecodeRuneInString(rest)
		return !isPictorial(v.before) && next != keycap
	case isJoiner(r):
		next, _ := utf8.DecodeRuneInString(rest)
		return !joins(v.before, next)
	case unicode.In(r, unicode.Mn, unicode.Me):
		v.marks++
		hides = hides || v.marks > maxMarks
	default:
		v.marks = 0
	}
	if !hides {
		v.before = r
	}
	return hides
}

// hidden are the characters that show nothing of themselves.
var hidden = &unicode.RangeTable{
	R16: []unicode.Range16{
		{Lo: 0x00AD, Hi: 0x00AD, Stride: 1}, // soft hyphen
		{Lo: 0x034F, Hi: 0x034F, Stride: 1}, // combining grapheme joiner
		{Lo: 0x061C, Hi: 0x061C, Stride: 1}, // Arabic letter mark
		{Lo: 0x115F, Hi: 0x1160, Stride: 1}, // Hangul fillers
		{Lo: 0x17B4, Hi: 0x17B5, Stride: 1}, // Khmer inherent vowels
		{Lo: 0x180B, Hi: 0x180F, Stride: 1}, // Mongolian selectors and separator
		{Lo: 0x200B, Hi: 0x200B, Stride: 1}, // zero-width space
		{Lo: 0x200E, Hi: 0x200F, Stride: 1}, // direction marks
		{Lo: 0x202A, Hi: 0x202E, Stride: 1}, // bidi embeddings and overrides
		{Lo: 0x2060, Hi: 0x206F, Stride: 1}, // word joiner, invisible operators, bidi isolates
		{Lo: 0x2800, Hi: 0x2800, Stride: 1}, // blank pattern of Braille
		{Lo: 0x3164, Hi: 0x3164, Stride: 1}, // Hangul filler
		{Lo: 0xFE00, Hi: 0xFE0D, Stride: 1}, // variation selectors, but for those of emoji
		{Lo: 0xFEFF, Hi: 0xFEFF, Stride: 1}, // byte order mark
		{Lo: 0xFFA0, Hi: 0xFFA0, Stride: 1}, // half-width Hangul filler
		{Lo: 0xFFF0, Hi: 0xFFFB, Stride: 1}, // specials
	},
	R32: []unicode.Range32{
		{Lo: 0x1BCA0, Hi: 0x1BCA3, Stride: 1}, // shorthand format controls
		{Lo: 0x1D159, Hi: 0x1D159, Stride: 1}, // musical null notehead
		{Lo: 0x1D173, Hi: 0x1D17A, Stride: 1}, // musical format controls
		{Lo: 0xE0000, Hi: 0xE0FFF, Stride: 1}, // tags and variation selectors supplement
	},
}

func isHidden(r rune) bool {
	if r < 0x80 {
		return r != '\n' && (r < ' ' || r == 0x7F)
	}
	return unicode.Is(unicode.Cc, r) || unicode.Is(hidden, r)
}

func isJoiner(r rune) bool { return r == '\u200C' || r == '\u200D' }

// isVariation reports whether r chooses between the text and the emoji form of
// the character before it.
func isVariation(r rune) bool { return r == '\uFE0E' || r == '\uFE0F' }

// keycap encloses the digit before it, and its variation selector.
const keycap = '\u20E3'

// isPictorial reports whether r may be a part of an emoji.
func isPictorial(r rune) bool {
	return unicode.In(r, unicode.So, unicode.Sm) || r >= 0x1F3FB && r <= 0x1F3FF || strings.ContainsRune("\u203C\u2049\u3030\u303D\u00A9\u00AE", r)
}

// joins reports whether a joiner between a and b can do something visible: in
// emoji sequences, and in the scripts from Hebrew to the Indic ones and their
// neighbours. Anywhere else it only makes two texts differ that look the same.
func joins(a, b rune) bool {
	joining := func(r rune) bool { return r >= 0x0590 && r < 0x2000 }
	picture := func(r rune) bool { return isPictorial(r) || isVariation(r) }
	return (joining(a) && joining(b) || picture(a) && picture(b)) && !isHidden(a) && !isHidden(b)
}

// squeezeSpaces shows long runs of white space by their length.
func squeezeSpaces(s string) string {
	var out []string
	empty := 0
	for line := range strings.SplitSeq(s, "\n") {
		if strings.TrimFunc(line, isSpace) == "" {
			empty++
			if empty <= maxEmptyLines {
				out = append(out, squeezeLine(line))
				continue
			}
			if empty == maxEmptyLines+1 {
				out = out[:len(out)-maxEmptyLines+1]
			}
			out[len(out)-1] = markEmptyLines(empty)
			continue
		}
		empty = 0
		out = append(out, squeezeLine(line))
	}
	return strings.Join(out, "\n")
}

func squeezeLine(line string) string {
	var b strings.Builder
	for line != "" {
		end := strings.IndexFunc(line, isSpace)
		if end < 0 {
			end = len(line)
		}
		b.WriteString(line[:end])
		line = line[end:]
		rest := strings.TrimLeftFunc(line, isSpace)
		run := line[:len(line)-len(rest)]
		if n := utf8.RuneCountInString(run); n > maxSpaces {
			run = markSpaces(n)
		}
		b.WriteString(run)
		line = rest
	}
	return b.String()
}

func isSpace(r rune) bool { return unicode.IsSpace(r) }
