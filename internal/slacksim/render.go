package slacksim

import (
	"slices"
	"strings"
	"time"
)

// rendererFor shows things as user sees them. The mutex is held.
func (s *Sim) rendererFor(user string) *renderer {
	u, _ := s.user(user)
	zone, err := time.LoadLocation(u.TZ)
	if err != nil {
		zone = time.UTC
	}
	return &renderer{sim: s, zone: zone, locale: u.Locale}
}

// blocks shows blocks as lines of text, without their buttons and fields.
func (r *renderer) blocks(blocks []any) string {
	var lines []string
	for _, b := range blocks {
		o, _ := b.(object)
		if line := r.block(o); line != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

func (r *renderer) block(o object) string {
	switch str(o, "type") {
	case "section", "header", "alert":
		lines := []string{r.textObject(o["text"])}
		for _, f := range items(o, "fields") {
			lines = append(lines, r.textObject(f))
		}
		return strings.Trim(strings.Join(lines, "\n"), "\n")
	case "context":
		var parts []string
		for _, e := range items(o, "elements") {
			if eo, _ := e.(object); str(eo, "type") == "image" {
				parts = append(parts, str(eo, "alt_text"))
			} else {
				parts = append(parts, r.textObject(e))
			}
		}
		return strings.Join(parts, " ")
	case "image":
		return strings.TrimSpace(r.textObject(o["title"]) + " " + str(o, "alt_text"))
	case "rich_text":
		return r.richText(items(o, "elements"))
	case "markdown":
		return str(o, "text")
	case "input":
		return r.textObject(o["label"])
	case "divider", "actions", "context_actions":
		return ""
	case "container", "plan", "carousel":
		inner := slices.Concat(items(o, "child_blocks"), items(o, "tasks"), items(o, "elements"))
		return strings.Trim(r.textObject(o["title"])+str(o, "title")+"\n"+r.blocks(inner), "\n")
	default:
		return r.anyText(o)
	}
}

// anyText shows whatever text a block of a rarer type has, in the order of
// its members' names.
func (r *renderer) anyText(v any) string {
	var parts []string
	switch v := v.(type) {
	case []any:
		for _, it := range v {
			parts = append(parts, r.anyText(it))
		}
	case object:
		switch str(v, "type") {
		case "plain_text", "mrkdwn":
			return r.textObject(v)
		case "rich_text":
			return r.richText(items(v, "elements"))
		case "raw_text", "raw_number":
			return str(v, "text")
		}
		for _, name := range sortedNames(v) {
			switch name {
			case "title", "subtitle", "body", "subtext", "caption", "alt_text", "description", "rows", "details", "output":
				if s, ok := v[name].(string); ok {
					parts = append(parts, s)
				} else {
					parts = append(parts, r.anyText(v[name]))
				}
			}
		}
	}
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), "\n")
}

func sortedNames(o object) []string {
	names := make([]string, 0, len(o))
	for n := range o {
		names = append(names, n)
	}
	slices.Sort(names)
	return names
}

func (r *renderer) textObject(v any) string {
	o, ok := v.(object)
	if !ok {
		return ""
	}
	if str(o, "type") == "mrkdwn" {
		return r.mrkdwn(str(o, "text"), o["verbatim"] == true)
	}
	return r.plain(str(o, "text"), o["emoji"] != false)
}

func (r *renderer) richText(elements []any) string {
	var lines []string
	for _, e := range elements {
		o, _ := e.(object)
		switch str(o, "type") {
		case "rich_text_list":
			for _, it := range items(o, "elements") {
				io, _ := it.(object)
				lines = append(lines, "• "+r.inline(items(io, "elements")))
			}
		default:
			lines = append(lines, r.inline(items(o, "elements")))
		}
	}
	return strings.Join(lines, "\n")
}

func (r *renderer) inline(elements []any) string { return textOf(r.inlineRuns(elements)) }

func (r *renderer) inlineRuns(elements []any) []Run {
	var out []Run
	for _, e := range elements {
		o, _ := e.(object)
		run := r.inlineRun(o)
		style := sub(o, "style")
		run.Bold, run.Italic = style["bold"] == true, style["italic"] == true
		run.Strike, run.Code = style["strike"] == true, style["code"] == true
		out = append(out, run)
	}
	return out
}

func (r *renderer) inlineRun(o object) Run {
	switch str(o, "type") {
	case "text":
		return Run{Text: str(o, "text")}
	case "link":
		return r.link(str(o, "url"), str(o, "text"))
	case "user":
		return r.mention(str(o, "user_id"), r.sim.nameOf(str(o, "user_id")))
	case "usergroup":
		return r.mention(str(o, "usergroup_id"), r.sim.groupName(str(o, "usergroup_id")))
	case "broadcast":
		return r.mention(str(o, "range"), str(o, "range"))
	case "channel":
		return Run{Text: "#" + r.sim.channelName(str(o, "channel_id")), Mention: true}
	case "emoji":
		if char, ok := emojiNamed(str(o, "name")); ok {
			return Run{Text: char}
		}
		return Run{Text: ":" + str(o, "name") + ":"}
	case "date":
		if sec, ok := wholeNumber(o["timestamp"]); ok {
			if shown, ok := r.date(time.Unix(sec, 0), str(o, "format")); ok {
				return Run{Text: shown}
			}
		}
		return Run{Text: str(o, "fallback")}
	default:
		return Run{Text: str(o, "value")}
	}
}

// The names below are looked up with the mutex held.

func (s *Sim) nameOf(id string) string {
	if u, ok := s.user(id); ok {
		return u.RealName
	}
	return id
}

func (s *Sim) channelName(id string) string {
	if c, ok := s.channel(id); ok && c.Name != "" {
		return c.Name
	}
	return id
}

func (s *Sim) groupName(id string) string {
	for _, g := range s.space.Usergroups {
		if g.ID == id {
			return g.Handle
		}
	}
	return id
}

// mentioned returns the users whom a new message pings: members of the channel
// other than its author that its blocks, or without blocks its text, mention.
func (s *Sim) mentioned(m *message) []string {
	r := s.rendererFor(m.author)
	if len(m.blocks) > 0 {
		r.blocks(m.blocks)
	} else {
		r.mrkdwn(m.text, false)
	}
	c, ok := s.channel(m.channel)
	if !ok {
		return nil
	}
	var out []string
	for _, member := range c.Members {
		if member != m.author && slices.ContainsFunc(r.pings, func(p string) bool { return s.pingMeans(p, member) }) {
			out = append(out, member)
		}
	}
	return out
}

// pingMeans reports whether a mention reaches user.
func (s *Sim) pingMeans(ping, user string) bool {
	switch ping {
	case user, "here", "channel", "everyone":
		return true
	}
	for _, g := range s.space.Usergroups {
		if g.ID == ping {
			return slices.Contains(g.Users, user)
		}
	}
	return false
}
