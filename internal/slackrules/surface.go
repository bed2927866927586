package slackrules

import "encoding/json"

// Blocks per surface.
const (
	maxMessageBlocks = 50
	maxViewBlocks    = 100
)

// message checks the content arguments of chat.postMessage.
func (c *checker) message(args object) {
	for _, name := range []string{"text", "markdown_text"} {
		if v, ok := args[name]; ok {
			c.str("/"+name, v)
		}
	}
	blocks, hasBlocks := args["blocks"]
	if hasBlocks {
		c.messageBlocks(blocks)
	}
	if a, ok := args["attachments"]; ok {
		list(0, 100, anyValue)(c, "/attachments", a)
	}
	if md, ok := args["markdown_text"].(string); ok {
		c.length("/markdown_text", md, 1, 12_000)
		if hasBlocks || filled(args["text"]) {
			c.report("/markdown_text", RuleConflict, "markdown_text_conflict")
		}
	}
	if !filled(args["text"]) && !filled(args["markdown_text"]) && !filled(blocks) && !filled(args["attachments"]) {
		c.report("", RuleNoText, "no_text")
	}
}

// filled reports whether an argument carries any content.
func filled(v any) bool {
	switch v := v.(type) {
	case string:
		return v != ""
	case []any:
		return len(v) > 0
	default:
		return false
	}
}

func (c *checker) messageBlocks(v any) {
	blocks, ok := blockList(v)
	if !ok {
		c.report("/blocks", RuleFormat, "must provide an array of blocks")
		return
	}
	if raw, err := json.Marshal(blocks); err == nil && len(raw) > MaxBlocksBytes {
		c.report("/blocks", RuleSize, "msg_blocks_too_long")
	}
	// An empty list is fine in a message with text: it is how blocks are removed.
	c.count("/blocks", len(blocks), 0, maxMessageBlocks)
	c.blocks("/blocks", blocks, everyBlock)
}

// blockList returns v when it is an array of objects.
func blockList(v any) ([]any, bool) {
	items, ok := v.([]any)
	if !ok {
		return nil, false
	}
	for _, it := range items {
		if _, ok := it.(object); !ok {
			return nil, false
		}
	}
	return items, true
}

// view checks a modal or a Home tab.
func (c *checker) view(ptr string, v any) {
	typ, ok := c.typeOf(ptr, v)
	if !ok {
		return
	}
	want, s := "modal", modalShape()
	if c.surface == onHome {
		want, s = "home", homeShape()
	}
	if typ != want {
		c.report(ptr+"/type", RuleValue, "unsupported type: %s", typ)
		return
	}
	o, _ := c.object(ptr, v, s)
	blocks, ok := o["blocks"].([]any)
	if !ok {
		return // reported by the shape
	}
	c.blocks(ptr+"/blocks", blocks, everyBlock)
	if c.surface == onModal && !has(o, "submit") {
		c.inputsNeedSubmit(ptr+"/blocks", blocks)
	}
}

func modalShape() shape {
	return append(homeShape(),
		must("title", plain(24)),
		may("submit", plain(24)),
		may("close", plain(24)),
		may("clear_on_close", boolean),
		may("notify_on_close", boolean),
	)
}

func homeShape() shape {
	return shape{
		must("blocks", list(1, maxViewBlocks, anyValue)), // their content is checked by view
		may("private_metadata", str(0, 3000)),
		may("callback_id", str(0, maxID)),
		may("external_id", str(0, maxID)),
	}
}

func (c *checker) inputsNeedSubmit(ptr string, blocks []any) {
	for i, b := range blocks {
		if o, ok := b.(object); ok && o["type"] == "input" {
			c.report(at(ptr, i)+"/input", RuleConflict, "must define `submit` to use an `input` block in modals")
		}
	}
}

// suggestions checks the answer to a block_suggestion.
func (c *checker) suggestions(v any) {
	o, ok := v.(object)
	if !ok {
		c.report("", RuleType, "must provide an object")
		return
	}
	shaped(shape{
		may("options", list(0, maxOptions, anyValue)),
		may("option_groups", list(0, maxGroups, anyValue)),
	})(c, "", v)
	c.eitherOptions("", o)
	c.options("", o, optionRules{})
}
