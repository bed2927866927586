package blockkit

import (
	"strings"
	"unicode/utf8"

	"github.com/slack-go/slack"
)

// maxNoteBlocks bounds a note; what is longer than that is cut, and says so.
const maxNoteBlocks = 8

// Note is a message of our own words: a note in a thread or for one person.
func Note(parts ...Part) Message {
	fs := compact(Words(parts).fragments())
	if len(fs) == 0 {
		fs = []fragment{{text: wordNothing}}
	}
	fs = clip(fs, maxNoteBlocks*maxText)
	return Message{Text: fallbackText(fs), Blocks: paragraphs(fs)}
}

// clip ends fragments at limit units, with a mark.
func clip(fs []fragment, limit int) []fragment {
	left := limit
	for i, f := range fs {
		if left -= f.units(); left < 0 {
			return append(fs[:i:i], fragment{text: wordCutShort})
		}
	}
	return fs
}

// paragraphs draws fragments as rich text, in blocks of at most maxText units.
func paragraphs(fs []fragment) []slack.Block {
	var blocks []slack.Block
	var line []slack.RichTextSectionElement
	left := maxText
	flush := func() {
		if len(line) > 0 {
			blocks = append(blocks, section(line...))
		}
		line, left = nil, maxText
	}
	for _, f := range fs {
		if f.units() > left {
			flush()
		}
		line = append(line, f.element())
		left -= f.units()
	}
	flush()
	return blocks
}

// section is a block of rich text with one paragraph.
func section(elements ...slack.RichTextSectionElement) *slack.RichTextBlock {
	return slack.NewRichTextBlock("", slack.NewRichTextSection(elements...))
}

// sentence is a block that holds one of our sentences.
func sentence(parts ...Part) *slack.RichTextBlock {
	var elements []slack.RichTextSectionElement
	for _, f := range compact(Words(parts).fragments()) {
		elements = append(elements, f.element())
	}
	return section(elements...)
}

// quotes draws a text of a server as quotations, so that it is seen to be
// somebody else's words: in at most blocks blocks, of one element for each
// maxText units.
func quotes(text string, blocks int) []slack.Block {
	pieces := chunks(text, maxText)
	var out []slack.Block
	for i := range min(blocks, len(pieces)) {
		var elements []slack.RichTextSectionElement
		from, to := i*len(pieces)/min(blocks, len(pieces)), (i+1)*len(pieces)/min(blocks, len(pieces))
		for _, piece := range pieces[from:to] {
			elements = append(elements, slack.NewRichTextSectionTextElement(piece, nil))
		}
		out = append(out, slack.NewRichTextBlock("", &slack.RichTextQuote{Type: slack.RTEQuote, Elements: elements}))
	}
	return out
}

// jsonSize is what s weighs inside JSON, in bytes. It never says too little.
func jsonSize(s string) int {
	n := 0
	for _, r := range s {
		switch {
		case r < ' ', r == '<', r == '>', r == '&', r == '\u2028', r == '\u2029', r == utf8.RuneError:
			n += len(`\u003c`)
		case r == '"', r == '\\':
			n += 2
		default:
			n += utf8.RuneLen(r)
		}
	}
	return n
}

// isBlank reports whether nothing of s would be seen.
func isBlank(s string) bool { return strings.TrimFunc(s, isSpace) == "" }
