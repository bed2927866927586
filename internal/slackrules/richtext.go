package slackrules

import "slices"

func richTextShape() shape {
	return shape{must("elements", list(1, 1000, richTextElement))}
}

// richTextValue is a whole rich_text block as the value of an element.
func richTextValue(c *checker, ptr string, v any) {
	typ, ok := c.typeOf(ptr, v)
	if !ok {
		return
	}
	if typ != "rich_text" {
		c.report(ptr+"/type", RulePlacement, "unsupported type: %s", typ)
		return
	}
	c.object(ptr, v, append(richTextShape(), may("block_id", str(1, maxID))))
}

func richTextElement(c *checker, ptr string, v any) {
	typ, ok := c.typeOf(ptr, v)
	if !ok {
		return
	}
	border := may("border", integer(0, 1))
	var s shape
	switch typ {
	case "rich_text_section":
		s = shape{must("elements", list(1, 1000, inline))}
	case "rich_text_preformatted":
		s = shape{must("elements", list(1, 1000, inlineOf("text", "link"))), border, may("language", str(1, maxID))}
	case "rich_text_quote":
		s = shape{must("elements", list(1, 1000, inline)), border}
	case "rich_text_list":
		s = shape{
			must("elements", list(1, 1000, listItem)), must("style", oneOf("bullet", "ordered")),
			may("indent", integer(0, 8)), may("offset", integer(0, 1<<31)), border,
		}
	default:
		c.report(ptr+"/type", RulePlacement, "unsupported type: %s", typ)
		return
	}
	c.object(ptr, v, s)
}

// listItem is a section: nested lists are written by indent, and lists inside
// lists have broken modals.
func listItem(c *checker, ptr string, v any) {
	if typ, ok := c.typeOf(ptr, v); ok && typ != "rich_text_section" {
		c.report(ptr+"/type", RulePlacement, "unsupported type: %s", typ)
		return
	}
	richTextElement(c, ptr, v)
}

func inlineOf(types ...string) check {
	return func(c *checker, ptr string, v any) {
		typ, ok := c.typeOf(ptr, v)
		switch {
		case !ok:
		case !slices.Contains(types, typ):
			c.report(ptr+"/type", RulePlacement, "unsupported type: %s", typ)
		default:
			inline(c, ptr, v)
		}
	}
}

// inline is an element of running text.
func inline(c *checker, ptr string, v any) {
	typ, ok := c.typeOf(ptr, v)
	if !ok {
		return
	}
	s, known := inlineShape(typ)
	if !known {
		c.report(ptr+"/type", RulePlacement, "unsupported type: %s", typ)
		return
	}
	c.object(ptr, v, s)
}

func inlineShape(typ string) (shape, bool) {
	style, mention := styled("bold", "italic", "strike", "code", "underline"),
		styled("bold", "italic", "strike", "highlight", "client_highlight", "unlink")
	id := str(1, maxID)
	switch typ {
	case "text":
		return shape{must("text", str(1, MaxBlocksBytes)), style}, true
	case "link":
		return shape{must("url", str(1, maxURL)), may("text", str(1, MaxBlocksBytes)), may("unsafe", boolean), style}, true
	case "user":
		return shape{must("user_id", id), mention}, true
	case "usergroup":
		return shape{must("usergroup_id", id), mention}, true
	case "channel":
		return shape{must("channel_id", id), mention}, true
	case "team":
		return shape{must("team_id", id), mention}, true
	case "broadcast":
		return shape{must("range", oneOf("here", "channel", "everyone"))}, true
	case "emoji":
		return shape{must("name", id), may("unicode", id), may("skin_tone", integer(1, 6)), style}, true
	case "color":
		return shape{must("value", id)}, true
	case "date":
		return shape{
			must("timestamp", integer(0, 1<<40)), must("format", str(1, maxText)),
			may("url", str(1, maxURL)), may("fallback", str(1, maxText)), may("timezone", zone), style,
		}, true
	default:
		return nil, false
	}
}

// styled allows the given flags in "style".
func styled(flags ...string) property {
	s := make(shape, 0, len(flags))
	for _, f := range flags {
		s = append(s, may(f, boolean))
	}
	return may("style", shaped(s))
}
