package slacksim

import (
	"strings"
)

// slot is an element of a block that people can use.
type slot struct {
	block    object
	blockID  string
	element  object
	actionID string
	typ      string
	input    bool // stands in an input block
}

// store prepares blocks for keeping: ids that the app did not give are made
// up, and plain_text is escaped, as Slack stores it.
func (s *Sim) store(blocks []any) []any {
	out, _ := escaped(blocks).([]any)
	s.nameBlocks(out)
	return out
}

func (s *Sim) nameBlocks(blocks []any) {
	for _, b := range blocks {
		o, _ := b.(object)
		if o == nil {
			continue
		}
		if str(o, "block_id") == "" {
			o["block_id"] = s.token(3)
		}
		for _, e := range elementsOf(o) {
			if interactive(str(e, "type")) && str(e, "action_id") == "" {
				e["action_id"] = s.token(3)
			}
		}
		s.nameBlocks(items(o, "child_blocks"))
	}
}

// elementsOf returns the elements of a block, whichever slot they stand in.
func elementsOf(block object) []object {
	var out []object
	for _, name := range []string{"accessory", "element"} {
		if e := sub(block, name); e != nil {
			out = append(out, e)
		}
	}
	if t := str(block, "type"); t == "actions" || t == "context_actions" {
		for _, e := range items(block, "elements") {
			if o, ok := e.(object); ok {
				out = append(out, o)
			}
		}
	}
	return out
}

// slots returns the usable elements of blocks, in reading order.
func slots(blocks []any) []slot {
	var out []slot
	for _, b := range blocks {
		o, _ := b.(object)
		for _, e := range elementsOf(o) {
			if t := str(e, "type"); interactive(t) {
				out = append(out, slot{o, str(o, "block_id"), e, str(e, "action_id"), t, str(o, "type") == "input"})
			}
		}
		out = append(out, slots(items(o, "child_blocks"))...)
	}
	return out
}

func interactive(typ string) bool { return typ == "button" || typ == "overflow" || stateful(typ) }

// stateful reports whether an element of that type has a value.
func stateful(typ string) bool {
	switch typ {
	case "plain_text_input", "number_input", "email_text_input", "url_text_input",
		"rich_text_input", "file_input", "datepicker", "timepicker", "datetimepicker",
		"radio_buttons", "checkboxes":
		return true
	default:
		return strings.HasSuffix(typ, "_select")
	}
}

func multiple(typ string) bool { return typ == "checkboxes" || strings.HasPrefix(typ, "multi_") }

// escaped copies v with every plain_text escaped.
func escaped(v any) any {
	switch v := v.(type) {
	case []any:
		out := make([]any, len(v))
		for i, it := range v {
			out[i] = escaped(it)
		}
		return out
	case object:
		out := make(object, len(v))
		for name, it := range v {
			out[name] = escaped(it)
		}
		if text, ok := out["text"].(string); ok && out["type"] == "plain_text" {
			out["text"] = escape(text)
		}
		return out
	default:
		return v
	}
}

func escape(s string) string {
	return escaper.Replace(s)
}

func unescape(s string) string {
	return unescaper.Replace(s)
}

var (
	escaper   = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")
	unescaper = strings.NewReplacer("&lt;", "<", "&gt;", ">", "&amp;", "&")
)
