package slackrules

import "slices"

// newBlockOf returns the blocks that came with 2025 and 2026, and those that
// only ever stood in one kind of surface. Where Slack names no number, none is
// checked.
func newBlockOf(typ string) (blockKind, bool) {
	switch typ {
	case "alert":
		return blockKind{on: onModal, shape: shape{
			must("text", text(200)),
			may("level", oneOf("default", "info", "warning", "error", "success")),
		}}, true
	case "markdown":
		return blockKind{on: onMessage, shape: shape{must("text", str(1, maxMarkdown))}, also: markdownTotal}, true
	case "video":
		return videoKind(), true
	case "file":
		return blockKind{on: onMessage, shape: shape{must("external_id", str(1, maxID)), must("source", oneOf("remote"))}}, true
	case "context_actions":
		return blockKind{
			on:    onMessage,
			shape: shape{must("elements", list(1, 5, anyValue))},
			also:  actionsElements(inContextActions),
		}, true
	case "card":
		return cardKind(), true
	case "carousel":
		return blockKind{on: onMessage | onHome, shape: shape{must("elements", list(1, 10, anyValue))}, also: func(c *checker, ptr string, o object) {
			cards, _ := o["elements"].([]any)
			c.blocks(ptr+"/elements", cards, func(typ string) bool { return typ == "card" })
		}}, true
	case "container":
		return containerKind(), true
	case "task_card":
		return taskCardKind(), true
	case "plan":
		return blockKind{on: onMessage, shape: shape{must("title", str(1, 256)), may("tasks", list(1, 50, anyValue))}, also: func(c *checker, ptr string, o object) {
			tasks, _ := o["tasks"].([]any)
			c.blocks(ptr+"/tasks", tasks, func(typ string) bool { return typ == "task_card" })
		}}, true
	default:
		return dataBlockOf(typ)
	}
}

// maxMarkdown is over all markdown blocks of a payload.
const maxMarkdown = 12_000

func markdownTotal(c *checker, ptr string, o object) {
	s, _ := o["text"].(string)
	before := c.markdown
	c.markdown += units(s)
	if before <= maxMarkdown && c.markdown > maxMarkdown && units(s) <= maxMarkdown {
		c.report(ptr+"/text", RuleLength, "must be less than %d characters", maxMarkdown+1)
	}
}

func videoKind() blockKind {
	return blockKind{on: everywhere, shape: shape{
		must("alt_text", str(1, maxAlt)), must("title", plain(200)),
		must("video_url", str(1, maxURL)), must("thumbnail_url", str(1, maxURL)),
		may("title_url", str(1, maxURL)), may("author_name", str(1, 50)),
		may("provider_name", str(1, maxID)), may("provider_icon_url", str(1, maxURL)),
		may("description", plain(200)),
	}}
}

func cardKind() blockKind {
	return blockKind{
		on: onMessage | onHome, // the catalogue also says modals, older guides do not
		shape: shape{
			may("title", text(150)), may("subtitle", text(150)),
			may("body", text(200)), may("subtext", text(200)),
			may("hero_image", imageElement), may("icon", imageElement),
			may("slack_icon", anyValue), may("actions", list(1, 3, anyValue)),
		},
		also: func(c *checker, ptr string, o object) {
			if has(o, "icon") && has(o, "slack_icon") {
				c.report(ptr, RuleConflict, "must define either `icon` or `slack_icon`")
			}
			buttons, _ := o["actions"].([]any)
			for i, b := range buttons {
				c.element(at(ptr+"/actions", i), b, inCard)
			}
		},
	}
}

func containerKind() blockKind {
	takes := []string{
		"actions", "context", "divider", "file", "header", "image", "input",
		"rich_text", "section", "table", "video",
	}
	return blockKind{
		on: onMessage | onHome,
		shape: shape{
			may("title", plain(150)), may("rich_text_title", richTextValue), may("subtitle", text(150)),
			may("icon", imageElement), may("width", oneOf("narrow", "standard", "wide", "full")),
			may("is_collapsible", boolean), may("default_collapsed", boolean), may("has_header_divider", boolean),
			must("child_blocks", list(1, 10, anyValue)),
		},
		also: func(c *checker, ptr string, o object) {
			if !has(o, "title") && !has(o, "rich_text_title") {
				c.report(ptr, RuleRequired, "missing required field: title")
			}
			children, _ := o["child_blocks"].([]any)
			c.blocks(ptr+"/child_blocks", children, func(typ string) bool { return slices.Contains(takes, typ) })
		},
	}
}

// taskCardKind: unlike everywhere else, title is a string and no text object.
func taskCardKind() blockKind {
	source := func(c *checker, ptr string, v any) {
		if typ, ok := c.typeOf(ptr, v); ok && typ != "url" {
			c.report(ptr+"/type", RulePlacement, "unsupported type: %s", typ)
			return
		}
		c.object(ptr, v, shape{must("url", str(1, maxURL)), must("text", str(1, maxText))})
	}
	return blockKind{on: onMessage, shape: shape{
		must("task_id", str(1, maxID)), must("title", str(1, 256)),
		may("status", oneOf("pending", "in_progress", "complete", "error")),
		may("details", richTextValue), may("output", richTextValue),
		may("sources", list(1, 100, source)), may("hide_title", boolean),
	}}
}
