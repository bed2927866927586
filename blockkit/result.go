package blockkit

import (
	"bytes"
	"encoding/json"

	"github.com/slack-go/slack"
	"github.com/slackbridge/slackbridge/elicit"
)

// A result is shown in at most maxResultMessages messages, each well below
// Slack's limits of 50 blocks and 100 KB.
const (
	maxResultMessages = 3
	maxResultBlocks   = 12
	maxResultBytes    = 60_000
)

// Result draws what a call returned: text as it is, anything else by its name
// and size. What is too long is cut, and says so.
func Result(server, tool string, r elicit.Result) []Message {
	w := resultWriter{}
	w.say(wordResult(server, tool, r.IsError))
	wrote := false
	for _, raw := range r.Content {
		text, name := contentItem(raw)
		if text != "" {
			w.write(text, false)
			wrote = true
		}
		if name != nil {
			w.say(name)
		}
	}
	if !wrote && len(r.Structured) > 0 {
		w.write(pretty(r.Structured), true)
		wrote = true
	}
	if !wrote && len(r.Content) == 0 {
		w.say(Text(wordNoContent))
	}
	return w.finish()
}

// item is as much of a content item as is shown.
type contentBody struct {
	Type     string       `json:"type"`
	Text     string       `json:"text"`
	Name     string       `json:"name"`
	URI      string       `json:"uri"`
	MimeType string       `json:"mimeType"`
	Data     string       `json:"data"`
	Blob     string       `json:"blob"`
	Resource *contentBody `json:"resource"`
}

// contentItem returns the text of a content item, and what to call it when it
// is more or other than text.
func contentItem(raw json.RawMessage) (text string, name Words) {
	var c contentBody
	if json.Unmarshal(raw, &c) != nil || c.Type == "" {
		return "", wordContent("content of an unknown kind", "", "", 0)
	}
	switch c.Type {
	case "text":
		return c.Text, nil
	case "image", "audio":
		return "", wordContent(c.Type, c.Name, c.MimeType, base64Size(c.Data))
	case "resource_link":
		return "", wordContent("link", firstOf(c.URI, c.Name), c.MimeType, 0)
	case "resource":
		if c.Resource != nil {
			size := max(base64Size(c.Resource.Blob), len(c.Resource.Text))
			return c.Resource.Text, wordContent("resource", c.Resource.URI, c.Resource.MimeType, size)
		}
	}
	return "", wordContent(c.Type, firstOf(c.Name, c.URI), c.MimeType, 0)
}

func firstOf(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// base64Size is about how many bytes base64 text stands for.
func base64Size(s string) int { return len(s) / 4 * 3 }

// pretty indents JSON; what is not JSON stays as it is.
func pretty(raw json.RawMessage) string {
	var b bytes.Buffer
	if json.Indent(&b, raw, "", "  ") != nil {
		return string(raw)
	}
	return b.String()
}

// resultWriter fills messages.
type resultWriter struct {
	done []Message
	page lines
	size int  // bytes of the page
	full bool // no more is taken
}

func (w *resultWriter) say(parts ...Part) {
	fs := clip(compact(Words(parts).fragments()), maxText)
	size := 0
	for _, f := range fs {
		size += f.size()
	}
	if w.room(size) {
		w.page.say(Words(parts))
	}
}

// write adds text, in blocks that Slack takes.
func (w *resultWriter) write(text string, code bool) {
	text = shown(text)
	for _, piece := range chunks(text, maxText) {
		if isBlank(piece) {
			continue
		}
		if !w.room(jsonSize(piece) + 200) {
			return
		}
		element := slack.NewRichTextSectionTextElement(piece, nil)
		var part slack.RichTextElement = slack.NewRichTextSection(element)
		if code {
			part = &slack.RichTextPreformatted{Type: slack.RTEPreformatted, Elements: []slack.RichTextSectionElement{element}}
		}
		w.page.blocks = append(w.page.blocks, slack.NewRichTextBlock("", part))
		w.page.text = append(w.page.text, fragment{text: piece + "\n"})
	}
}

// room makes room for one more block, on a new page if need be; false when
// there is none left, which is then said once.
func (w *resultWriter) room(size int) bool {
	if w.full {
		return false
	}
	// One block is kept for the mark of a cut.
	if len(w.page.blocks) < maxResultBlocks-1 && w.size+size <= maxResultBytes {
		w.size += size
		return true
	}
	if len(w.done) == maxResultMessages-1 {
		w.full = true
		w.page.say(Text(wordCutShort))
		return false
	}
	w.done = append(w.done, w.page.message())
	w.page, w.size = lines{}, size
	return true
}

func (w *resultWriter) finish() []Message {
	return append(w.done, w.page.message())
}
