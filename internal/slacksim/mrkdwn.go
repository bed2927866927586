package slacksim

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// renderer turns what Slack keeps into what a reader sees, and collects what
// is live in it. It is used with the mutex held.
type renderer struct {
	sim    *Sim
	zone   *time.Location
	locale string
	links  []string // targets that can be clicked
	pings  []string // user ids; "S…" for groups; "here", "channel", "everyone"
}

// piece is one character of running text, or something that is shown as a
// whole and is no markup any more.
type piece struct {
	char   rune // 0 when opaque is meant
	opaque string
}

// mrkdwn shows text: markup becomes what it stands for, and its signs vanish.
func (r *renderer) mrkdwn(text string, verbatim bool) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		line = strings.TrimPrefix(strings.TrimPrefix(line, ">"), "&gt;") // a quotation
		lines[i] = line
	}
	pieces := r.pieces(strings.Join(lines, "\n"), verbatim)
	for _, sign := range "*_~" {
		pieces = dropEmphasis(pieces, sign)
	}
	var b strings.Builder
	for _, p := range pieces {
		if p.char == 0 {
			b.WriteString(p.opaque)
		} else {
			b.WriteRune(p.char)
		}
	}
	return b.String()
}

// pieces cuts text into characters, code, <…> tokens, links and emoji.
func (r *renderer) pieces(text string, verbatim bool) []piece {
	var out []piece
	opaque := func(s string) { out = append(out, piece{opaque: s}) }
	for text != "" {
		n := 0
		switch {
		case strings.HasPrefix(text, "```"):
			n = r.code(text, "```", opaque)
		case text[0] == '`':
			n = r.code(text, "`", opaque)
		case text[0] == '<':
			if end := strings.IndexByte(text, '>'); end > 1 {
				opaque(r.token(text[1:end]))
				n = end + 1
			}
		case text[0] == ':':
			if char, size := emojiAt(text); size > 0 {
				opaque(char)
				n = size
			}
		case text[0] == '&':
			if char, size := entityAt(text); size > 0 {
				out = append(out, piece{char: char})
				n = size
			}
		case !verbatim && (strings.HasPrefix(text, "https://") || strings.HasPrefix(text, "http://")):
			n = strings.IndexFunc(text, func(c rune) bool { return unicode.IsSpace(c) || strings.ContainsRune("<>|`", c) })
			if n < 0 {
				n = len(text)
			}
			r.links = append(r.links, unescape(text[:n]))
			opaque(unescape(text[:n]))
		}
		if n == 0 {
			var char rune
			char, n = utf8.DecodeRuneInString(text)
			if char == 0 {
				char = utf8.RuneError // as clients show it
			}
			out = append(out, piece{char: char})
		}
		text = text[n:]
	}
	return out
}

// code returns the length of a code span, whose content is shown as it is.
func (r *renderer) code(text, fence string, opaque func(string)) int {
	end := strings.Index(text[len(fence):], fence)
	if end < 1 {
		return 0
	}
	content := text[len(fence) : len(fence)+end]
	if fence == "`" && strings.Contains(content, "\n") {
		return 0
	}
	opaque(unescape(content))
	return end + 2*len(fence)
}

// token shows the inside of <…>.
func (r *renderer) token(t string) string {
	target, label, labelled := strings.Cut(t, "|")
	switch {
	case strings.HasPrefix(target, "@"):
		r.pings = append(r.pings, target[1:])
		return "@" + r.sim.nameOf(target[1:])
	case strings.HasPrefix(target, "#"):
		return "#" + r.sim.channelName(target[1:])
	case strings.HasPrefix(target, "!subteam^"):
		id := strings.TrimPrefix(target, "!subteam^")
		r.pings = append(r.pings, id)
		return "@" + r.sim.groupName(id)
	case strings.HasPrefix(target, "!date^"):
		return r.dateToken(strings.TrimPrefix(target, "!date^"), label)
	case target == "!here" || target == "!channel" || target == "!everyone":
		r.pings = append(r.pings, target[1:])
		return "@" + target[1:]
	case strings.HasPrefix(target, "!"):
		return unescape(label)
	}
	r.links = append(r.links, unescape(target))
	if labelled {
		return unescape(label)
	}
	return unescape(target)
}

// dropEmphasis removes pairs of a sign that Slack takes for bold, italic or
// strike: at the edges of words, within one line.
func dropEmphasis(in []piece, sign rune) []piece {
	gone := map[int]bool{}
	for i := 0; i < len(in); i++ {
		if !opens(in, i, sign) {
			continue
		}
		for j := i + 2; j < len(in) && in[j].char != '\n'; j++ {
			if closes(in, j, sign) {
				gone[i], gone[j] = true, true
				i = j
				break
			}
		}
	}
	out := in[:0:0]
	for i, p := range in {
		if !gone[i] {
			out = append(out, p)
		}
	}
	return out
}

func opens(in []piece, i int, sign rune) bool {
	return in[i].char == sign && (i == 0 || edge(in[i-1])) &&
		i+1 < len(in) && in[i+1].char != sign && !unicode.IsSpace(in[i+1].char)
}

func closes(in []piece, j int, sign rune) bool {
	return in[j].char == sign && in[j-1].char != sign && !unicode.IsSpace(in[j-1].char) &&
		(j+1 == len(in) || edge(in[j+1]))
}

// edge reports whether a word may begin or end beside p.
func edge(p piece) bool {
	return p.char != 0 && !unicode.IsLetter(p.char) && !unicode.IsDigit(p.char)
}

func entityAt(text string) (rune, int) {
	for entity, char := range map[string]rune{"&amp;": '&', "&lt;": '<', "&gt;": '>'} {
		if strings.HasPrefix(text, entity) {
			return char, len(entity)
		}
	}
	return 0, 0
}

// plain shows a stored plain_text.
func (r *renderer) plain(text string, emoji bool) string {
	text = unescape(text)
	if !emoji {
		return text
	}
	var b strings.Builder
	for text != "" {
		if char, size := emojiAt(text); size > 0 {
			b.WriteString(char)
			text = text[size:]
			continue
		}
		char, size := utf8.DecodeRuneInString(text)
		b.WriteRune(char)
		text = text[size:]
	}
	return b.String()
}
