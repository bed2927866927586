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

// piece is one character of running text, or a run that is shown as a whole
// and holds no markup any more.
type piece struct {
	char      rune   // 0 when it is a run
	run       Run    // of a character: its style
	paragraph string // the style of the paragraph that it makes, if any
}

// mrkdwn shows text: markup becomes what it stands for, and its signs vanish.
func (r *renderer) mrkdwn(text string, verbatim bool) string {
	return textOf(runsOf(r.mrkdwnPieces(text, verbatim)))
}

// mrkdwnPieces is the same with the styles kept: runs only, no characters.
func (r *renderer) mrkdwnPieces(text string, verbatim bool) []piece {
	lines := strings.Split(text, "\n")
	quoted := make([]bool, len(lines))
	for i, line := range lines {
		lines[i] = strings.TrimPrefix(strings.TrimPrefix(line, ">"), "&gt;")
		quoted[i] = lines[i] != line
	}
	pieces := r.pieces(strings.Join(lines, "\n"), verbatim)
	for _, sign := range "*_~" {
		pieces = emphasise(pieces, sign)
	}
	return joined(pieces, quoted)
}

// pieces cuts text into characters, code, <…> tokens, links and emoji.
func (r *renderer) pieces(text string, verbatim bool) []piece {
	var out []piece
	whole := func(run Run) { out = append(out, piece{run: run}) }
	code := func(fence, style string) int {
		content, n := codeSpan(text, fence)
		if n > 0 {
			out = append(out, piece{run: Run{Text: content, Code: true}, paragraph: style})
		}
		return n
	}
	for text != "" {
		n := 0
		switch {
		case strings.HasPrefix(text, "```"):
			n = code("```", preformatted)
		case text[0] == '`':
			n = code("`", "")
		case text[0] == '<':
			if end := strings.IndexByte(text, '>'); end > 1 {
				whole(r.token(text[1:end]))
				n = end + 1
			}
		case text[0] == ':':
			if char, size := emojiAt(text); size > 0 {
				whole(Run{Text: char})
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
			whole(r.link(unescape(text[:n]), ""))
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

// codeSpan returns the content of a code span, which is shown as it is, and
// the length of the span; 0 when there is none.
func codeSpan(text, fence string) (string, int) {
	end := strings.Index(text[len(fence):], fence)
	if end < 1 {
		return "", 0
	}
	content := text[len(fence) : len(fence)+end]
	if fence == "`" && strings.Contains(content, "\n") {
		return "", 0
	}
	return unescape(content), end + 2*len(fence)
}

// token shows the inside of <…>.
func (r *renderer) token(t string) Run {
	target, label, labelled := strings.Cut(t, "|")
	switch {
	case strings.HasPrefix(target, "@"):
		return r.mention(target[1:], r.sim.nameOf(target[1:]))
	case strings.HasPrefix(target, "#"):
		return Run{Text: "#" + r.sim.channelName(target[1:]), Mention: true}
	case strings.HasPrefix(target, "!subteam^"):
		id := strings.TrimPrefix(target, "!subteam^")
		return r.mention(id, r.sim.groupName(id))
	case strings.HasPrefix(target, "!date^"):
		return r.dateToken(strings.TrimPrefix(target, "!date^"), label)
	case target == "!here" || target == "!channel" || target == "!everyone":
		return r.mention(target[1:], target[1:])
	case strings.HasPrefix(target, "!"):
		return Run{Text: unescape(label)}
	case labelled:
		return r.link(unescape(target), unescape(label))
	default:
		return r.link(unescape(target), "")
	}
}

// mention is live: it pings whoever is meant.
func (r *renderer) mention(id, name string) Run {
	r.pings = append(r.pings, id)
	return Run{Text: "@" + name, Mention: true}
}

// link is live: a click on its text, or without one on its address, opens it.
func (r *renderer) link(target, text string) Run {
	r.links = append(r.links, target)
	if text == "" {
		text = target
	}
	return Run{Text: text, Link: target}
}

// emphasise removes pairs of a sign that Slack takes for bold, italic or
// strike, at the edges of words and within one line, and styles what they
// enclose.
func emphasise(in []piece, sign rune) []piece {
	gone := map[int]bool{}
	for i := 0; i < len(in); i++ {
		if !opens(in, i, sign) {
			continue
		}
		for j := i + 2; j < len(in) && in[j].char != '\n'; j++ {
			if closes(in, j, sign) {
				gone[i], gone[j] = true, true
				for k := i + 1; k < j; k++ {
					in[k].run.emphasise(sign)
				}
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
