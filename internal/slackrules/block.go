package slackrules

// blockKind says where a block may stand, what it has, and which rules join
// several of its members.
type blockKind struct {
	on    surface
	shape shape
	also  func(c *checker, ptr string, o object) // nil when there are none
}

// blockFilter reports whether a container takes a block of that type.
type blockFilter func(typ string) bool

func everyBlock(string) bool { return true }

// blocks checks the blocks of a surface or of a container.
func (c *checker) blocks(ptr string, blocks []any, takes blockFilter) {
	for i, b := range blocks {
		c.block(at(ptr, i), b, takes)
	}
}

func (c *checker) block(ptr string, v any, takes blockFilter) {
	typ, ok := c.typeOf(ptr, v)
	if !ok {
		return
	}
	k, known := blockOf(typ)
	if !known || k.on&c.surface == 0 || !takes(typ) {
		c.report(ptr+"/type", RulePlacement, "unsupported type: %s", typ)
		return
	}
	o, ok := c.object(ptr, v, append(k.shape, may("block_id", str(1, maxID))))
	if !ok {
		return
	}
	c.uniqueBlockID(ptr, o)
	if k.also != nil {
		k.also(c, ptr, o)
	}
}

// uniqueBlockID refuses a block_id that this surface has already, at whatever
// depth: interaction payloads are keyed by it.
func (c *checker) uniqueBlockID(ptr string, o object) {
	id, ok := o["block_id"].(string)
	if !ok {
		return
	}
	if c.blockIDs[id] {
		c.report(ptr+"/block_id", RuleUnique, "block_id already exists")
	}
	c.blockIDs[id] = true
}

func blockOf(typ string) (blockKind, bool) {
	switch typ {
	case "section":
		return sectionKind(), true
	case "header":
		return blockKind{on: everywhere, shape: shape{must("text", plain(150)), may("level", integer(1, 4))}}, true
	case "divider":
		return blockKind{on: everywhere}, true
	case "image":
		return blockKind{on: everywhere, shape: append(imageShape(), may("title", plain(2000))), also: oneImageSource}, true
	case "context":
		return blockKind{on: everywhere, shape: shape{must("elements", list(1, 10, contextElement))}}, true
	case "actions":
		return blockKind{
			on:    everywhere,
			shape: shape{must("elements", list(1, 25, anyValue))},
			also:  actionsElements(inActions),
		}, true
	case "input":
		return inputKind(), true
	case "rich_text":
		return blockKind{on: everywhere, shape: richTextShape()}, true
	default:
		return newBlockOf(typ)
	}
}

func sectionKind() blockKind {
	return blockKind{
		on: everywhere,
		shape: shape{
			may("text", text(maxText)),
			may("fields", list(1, 10, text(2000))),
			may("accessory", anyValue),
			may("expand", boolean),
		},
		also: func(c *checker, ptr string, o object) {
			if !has(o, "text") && !has(o, "fields") {
				c.report(ptr, RuleRequired, "must define either `text` or `fields`")
			}
			if acc, ok := o["accessory"]; ok {
				c.element(ptr+"/accessory", acc, inSection)
			}
		},
	}
}

func inputKind() blockKind {
	return blockKind{
		on: everywhere,
		shape: shape{
			must("label", plain(2000)),
			must("element", anyValue),
			may("hint", plain(2000)),
			may("optional", boolean),
			may("dispatch_action", boolean),
		},
		also: func(c *checker, ptr string, o object) {
			e, ok := o["element"]
			if !ok {
				return
			}
			c.element(ptr+"/element", e, inInput)
			if eo, ok := e.(object); ok && eo["type"] == "file_input" && o["dispatch_action"] == true {
				c.report(ptr+"/element/type", RulePlacement, "unsupported type: file_input")
			}
		},
	}
}

// actionsElements checks a list of elements and that no action_id stands twice
// in it; across blocks an action_id may repeat.
func actionsElements(where place) func(*checker, string, object) {
	return func(c *checker, ptr string, o object) {
		items, _ := o["elements"].([]any)
		seen := map[string]bool{}
		for i, it := range items {
			p := at(ptr+"/elements", i)
			c.element(p, it, where)
			e, _ := it.(object)
			id, ok := e["action_id"].(string)
			if ok && seen[id] {
				c.report(p+"/action_id", RuleUnique, "action_id already exists")
			}
			seen[id] = ok
		}
	}
}

func contextElement(c *checker, ptr string, v any) {
	typ, ok := c.typeOf(ptr, v)
	switch {
	case !ok:
	case typ == "image":
		imageElement(c, ptr, v)
	default:
		c.text(ptr, v, maxText, true)
	}
}

// imageElement is a small image inside a block.
func imageElement(c *checker, ptr string, v any) {
	typ, ok := c.typeOf(ptr, v)
	if !ok {
		return
	}
	if typ != "image" {
		c.report(ptr+"/type", RulePlacement, "unsupported type: %s", typ)
		return
	}
	if o, ok := c.object(ptr, v, imageShape()); ok {
		oneImageSource(c, ptr, o)
	}
}

func imageShape() shape {
	return shape{
		may("image_url", str(1, maxURL)),
		may("slack_file", slackFile),
		must("alt_text", str(1, maxAlt)),
	}
}

func oneImageSource(c *checker, ptr string, o object) {
	if has(o, "image_url") == has(o, "slack_file") {
		c.report(ptr, RuleConflict, "must define either `image_url` or `slack_file`")
	}
}
