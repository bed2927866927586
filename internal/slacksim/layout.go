package slacksim

import "strings"

// Styles of paragraphs.
const (
	heading      = "heading"
	fineprint    = "context"
	quotation    = "quote"
	preformatted = "preformatted"
	listItem     = "item"
)

// Paragraph is a piece of text that begins on a line of its own.
type Paragraph struct {
	Style string // "heading", "context", "quote", "preformatted", "item" or empty
	Runs  []Run
}

// Block is a block as a reader sees it: its text, and then what can be used.
type Block struct {
	Type       string // Slack's, e.g. "section"
	Paragraphs []Paragraph
	Buttons    []Button
	Fields     []Field // of a modal or Home tab
}

// layout shows blocks in their order. field shows an element that holds a
// value; nil where nothing can be filled in.
func (r *renderer) layout(blocks []any, field func(slot) Field) []Block {
	var out []Block
	for _, b := range blocks {
		o, _ := b.(object)
		own := shallow(o)
		shown := Block{Type: str(o, "type"), Paragraphs: r.paragraphs(own), Buttons: r.buttons([]any{own})}
		for _, sl := range slots([]any{own}) {
			if field != nil && stateful(sl.typ) {
				shown.Fields = append(shown.Fields, field(sl))
			}
		}
		out = append(out, shown)
		out = append(out, r.layout(items(o, "child_blocks"), field)...)
	}
	return out
}

// shallow is a block without the blocks in it.
func shallow(o object) object {
	out := object{}
	for name, v := range o {
		if name != "child_blocks" {
			out[name] = v
		}
	}
	return out
}

func (r *renderer) paragraphs(o object) []Paragraph {
	switch str(o, "type") {
	case "section", "alert":
		out := r.textParagraphs(o["text"], "")
		for _, f := range items(o, "fields") {
			out = append(out, r.textParagraphs(f, "")...)
		}
		return out
	case "header":
		return r.textParagraphs(o["text"], heading)
	case "context":
		var out []Run
		for _, e := range items(o, "elements") {
			if len(out) > 0 {
				out = append(out, Run{Text: " "})
			}
			if eo, _ := e.(object); str(eo, "type") == "image" {
				out = append(out, Run{Text: str(eo, "alt_text")})
			} else {
				out = append(out, runsOf(r.textPieces(e))...)
			}
		}
		return []Paragraph{{fineprint, out}}
	case "rich_text":
		return r.richParagraphs(items(o, "elements"))
	case "input":
		return nil // its label belongs to its field
	default:
		return paragraphsOf([]piece{{run: Run{Text: r.block(o)}}}, "")
	}
}

func (r *renderer) richParagraphs(elements []any) []Paragraph {
	var out []Paragraph
	for _, e := range elements {
		o, _ := e.(object)
		switch str(o, "type") {
		case "rich_text_list":
			for _, it := range items(o, "elements") {
				io, _ := it.(object)
				out = append(out, Paragraph{listItem, r.inlineRuns(items(io, "elements"))})
			}
		case "rich_text_quote":
			out = append(out, Paragraph{quotation, r.inlineRuns(items(o, "elements"))})
		case "rich_text_preformatted":
			out = append(out, Paragraph{preformatted, r.inlineRuns(items(o, "elements"))})
		default:
			out = append(out, Paragraph{"", r.inlineRuns(items(o, "elements"))})
		}
	}
	return out
}

func (r *renderer) textParagraphs(text any, style string) []Paragraph {
	return paragraphsOf(r.textPieces(text), style)
}

func (r *renderer) textPieces(v any) []piece {
	if o, _ := v.(object); str(o, "type") == "mrkdwn" {
		return r.mrkdwnPieces(str(o, "text"), o["verbatim"] == true)
	}
	return []piece{{run: Run{Text: r.textObject(v)}}}
}

// paragraphsOf cuts running text where a quotation or preformatted text
// begins or ends; the line break at a cut is the cut.
func paragraphsOf(pieces []piece, style string) []Paragraph {
	var out []Paragraph
	for _, p := range pieces {
		in := p.paragraph
		if in == "" {
			in = style
		}
		if last := len(out) - 1; last >= 0 && out[last].Style == in {
			out[last].Runs = append(out[last].Runs, p.run)
			continue
		}
		if len(out) > 0 {
			p.run.Text = strings.TrimPrefix(p.run.Text, "\n")
		}
		if p.run.Text != "" {
			out = append(out, Paragraph{in, []Run{p.run}})
		}
	}
	for i := range max(len(out)-1, 0) {
		last := &out[i].Runs[len(out[i].Runs)-1]
		last.Text = strings.TrimSuffix(last.Text, "\n")
	}
	return out
}
