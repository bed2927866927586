package slackrules

import "strings"

// Lengths of texts and ids, in UTF-16 units.
const (
	maxText        = 3000 // any text object
	maxID          = 255  // block_id, action_id, callback_id, external_id
	maxURL         = 3000
	maxAlt         = 2000
	maxPlaceholder = 150
)

// plain is a plain_text object of 1 to hi units.
func plain(hi int) check {
	return func(c *checker, ptr string, v any) { c.text(ptr, v, hi, false) }
}

// text is a plain_text or mrkdwn object of 1 to hi units.
func text(hi int) check {
	return func(c *checker, ptr string, v any) { c.text(ptr, v, hi, true) }
}

func (c *checker) text(ptr string, v any, hi int, mrkdwn bool) {
	typ, ok := c.typeOf(ptr, v)
	if !ok {
		return
	}
	switch {
	case typ == "plain_text":
		c.object(ptr, v, shape{must("text", storedText(hi)), may("emoji", boolean)})
	case typ == "mrkdwn" && mrkdwn:
		c.object(ptr, v, shape{must("text", str(1, hi)), may("verbatim", boolean)})
	default:
		c.report(ptr+"/type", RulePlacement, "unsupported type: %s", typ)
	}
}

// storedText is a string that counts as Slack stores it, & < > escaped.
func storedText(hi int) check {
	return func(c *checker, ptr string, v any) {
		if s, ok := c.str(ptr, v); ok {
			c.length(ptr, stored(s), 1, hi)
		}
	}
}

// stored escapes s as Slack does for storing.
func stored(s string) string {
	return escaper.Replace(s)
}

// confirm is a confirmation dialog. Slack's page asks for all four texts and
// for plain_text; its TypeScript types are laxer.
func confirm(c *checker, ptr string, v any) {
	shaped(shape{
		must("title", plain(100)),
		must("text", plain(300)),
		must("confirm", plain(30)),
		must("deny", plain(30)),
		may("style", buttonStyle),
	})(c, ptr, v)
}

// buttonStyle has no word for the default look: it is left out instead.
func buttonStyle(c *checker, ptr string, v any) { oneOf("primary", "danger")(c, ptr, v) }

// slackFile is a file that was uploaded to Slack: by id or by URL.
func slackFile(c *checker, ptr string, v any) {
	shaped(shape{may("id", str(1, maxID)), may("url", str(1, maxURL))})(c, ptr, v)
	if o, ok := v.(object); ok && has(o, "id") == has(o, "url") {
		c.report(ptr, RuleConflict, "must define either `id` or `url`")
	}
}

func has(o object, name string) bool {
	_, ok := o[name]
	return ok
}

var escaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")
