package slackrules

import "strings"

// isMulti reports whether typ is a select menu that takes several choices.
func isMulti(typ string) bool { return strings.HasPrefix(typ, "multi_") && isSelect(typ) }

func isSelect(typ string) bool {
	switch strings.TrimPrefix(typ, "multi_") {
	case "static_select", "external_select", "users_select", "conversations_select", "channels_select":
		return true
	default:
		return false
	}
}

// selectKind returns a select menu. Slack's page allows multi-selects among
// actions; Slack itself refuses them there.
func selectKind(typ string) elementKind {
	source, multi := strings.TrimPrefix(typ, "multi_"), isMulti(typ)
	k := elementKind{on: anywhere(), shape: shape{
		actionID(),
		may("placeholder", plain(maxPlaceholder)),
		may("confirm", confirm),
		may("focus_on_load", boolean),
	}}
	if multi {
		delete(k.on, inActions)
		k.shape = append(k.shape, may("max_selected_items", integer(1, 1<<31)))
	}
	switch source {
	case "static_select":
		staticSelect(&k, multi)
	case "external_select":
		k.shape = append(k.shape, may("min_query_length", integer(0, 1<<31)))
		externalSelect(&k, multi)
	case "users_select":
		k.shape = append(k.shape, initialIDs("initial_user", multi))
	case "channels_select":
		k.shape = append(k.shape, initialIDs("initial_channel", multi), responseURL(multi))
		k.also = responseURLOnlyInModalInput
	case "conversations_select":
		k.shape = append(k.shape, initialIDs("initial_conversation", multi), responseURL(multi),
			may("default_to_current_conversation", boolean), may("filter", conversationFilter))
		k.also = responseURLOnlyInModalInput
	}
	return k
}

func staticSelect(k *elementKind, multi bool) {
	k.shape = append(k.shape,
		may("options", list(1, maxOptions, anyValue)),
		may("option_groups", list(1, maxGroups, anyValue)),
		may(initialName(multi), anyValue),
	)
	k.also = func(c *checker, ptr string, o object) {
		c.eitherOptions(ptr, o)
		c.options(ptr, o, optionRules{})
		c.initial(ptr, o)
	}
}

// externalSelect: what is preselected cannot be compared with a list, only
// looked at.
func externalSelect(k *elementKind, multi bool) {
	option := optionRules{}.option
	if multi {
		k.shape = append(k.shape, may(initialName(multi), list(1, maxOptions, option)))
	} else {
		k.shape = append(k.shape, may(initialName(multi), option))
	}
}

func initialName(multi bool) string {
	if multi {
		return "initial_options"
	}
	return "initial_option"
}

func initialIDs(name string, multi bool) property {
	if multi {
		return may(name+"s", list(1, maxOptions, str(1, maxID)))
	}
	return may(name, str(1, maxID))
}

// responseURL is known to single selects only.
func responseURL(multi bool) property {
	name := "response_url_enabled"
	if multi {
		return may(name, func(c *checker, ptr string, _ any) {
			c.report(strings.TrimSuffix(ptr, "/"+name), RuleProperty, "invalid additional property: %s", name)
		})
	}
	return may(name, boolean)
}

func responseURLOnlyInModalInput(c *checker, ptr string, o object) {
	if o["response_url_enabled"] == true && (c.surface != onModal || !strings.HasSuffix(ptr, "/element")) {
		c.report(ptr, RulePlacement, "invalid additional property: response_url_enabled")
	}
}

func conversationFilter(c *checker, ptr string, v any) {
	shaped(shape{
		may("include", list(1, 4, oneOf("im", "mpim", "private", "public"))),
		may("exclude_external_shared_channels", boolean),
		may("exclude_bot_users", boolean),
	})(c, ptr, v)
}
