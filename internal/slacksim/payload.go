package slacksim

// The functions of this file are called with the mutex held.

// interaction is what all interaction payloads of a user have.
func (s *Sim) interaction(typ, userID string) object {
	u, _ := s.user(userID)
	return object{
		"type": typ, "token": "unused", "api_app_id": s.space.AppID, "enterprise": nil, "is_enterprise_install": false,
		"user": object{"id": u.ID, "username": u.Name, "name": u.Name, "team_id": u.TeamID},
		"team": object{"id": u.TeamID, "domain": s.domain(u.TeamID)},
	}
}

func (s *Sim) domain(team string) string {
	if team == s.space.TeamID {
		return s.space.Domain
	}
	return "other"
}

// action is one entry of block_actions.
func (s *Sim) action(sl slot, held object) object {
	a := object{"type": sl.typ, "block_id": sl.blockID, "action_id": sl.actionID, "action_ts": s.newTS()}
	if sl.typ == "button" {
		a["text"] = sl.element["text"]
		for _, name := range []string{"value", "style", "url"} {
			if v, ok := sl.element[name]; ok {
				a[name] = v
			}
		}
		return a
	}
	for name, v := range held {
		a[name] = v
	}
	return a
}

// messageAction is block_actions for an element of a message.
func (s *Sim) messageAction(user string, m *message, sl slot) parcel {
	c, _ := s.channel(m.channel)
	p := s.interaction("block_actions", user)
	container := object{"type": "message", "message_ts": m.ts, "channel_id": m.channel, "is_ephemeral": m.ephemeral != ""}
	if m.thread != "" {
		container["thread_ts"] = m.thread
	}
	p["container"] = container
	p["channel"] = object{"id": m.channel, "name": wireName(c)}
	p["message"] = s.wire(m)
	p["state"] = object{"values": m.state.values(everyBlock)}
	p["trigger_id"] = s.newTrigger(user, nil)
	p["response_url"] = s.newResponseURL(user, m.channel, m)
	p["actions"] = []any{s.action(sl, m.state.get(sl))}
	return interactiveParcel(p)
}

// viewAction is block_actions for an element of a modal or the Home tab.
func (s *Sim) viewAction(v *view, sl slot) parcel {
	p := s.interaction("block_actions", v.user)
	p["container"] = object{"type": "view", "view_id": v.id}
	p["view"] = s.payloadView(v, everyBlock)
	p["trigger_id"] = s.newTrigger(v.user, s.stackOf(v))
	p["actions"] = []any{s.action(sl, v.state.get(sl))}
	return interactiveParcel(p)
}

// payloadView is v as payloads show it. Without any value, values is a list:
// Slack has been seen to send one (slack-go#943).
func (s *Sim) payloadView(v *view, keep func(blockID string) bool) object {
	o := s.wireView(v, keep)
	if values := v.state.values(keep); len(values) == 0 {
		o["state"] = object{"values": []any{}}
	}
	return o
}

func (s *Sim) viewSubmission(v *view) parcel {
	p := s.interaction("view_submission", v.user)
	p["view"] = s.payloadView(v, everyBlock)
	p["trigger_id"] = s.newTrigger(v.user, s.stackOf(v))
	p["response_urls"] = []any{}
	return interactiveParcel(p)
}

// viewClosed leaves out what stood in input blocks.
func (s *Sim) viewClosed(v *view, cleared bool) parcel {
	inputs := map[string]bool{}
	for _, sl := range slots(v.blocks) {
		inputs[sl.blockID] = inputs[sl.blockID] || sl.input
	}
	p := s.interaction("view_closed", v.user)
	p["view"] = s.payloadView(v, func(block string) bool { return !inputs[block] })
	p["is_cleared"] = cleared
	return interactiveParcel(p)
}

// blockSuggestion asks for options; it carries neither trigger nor response_url.
func (s *Sim) blockSuggestion(v *view, sl slot, typed string) parcel {
	p := s.interaction("block_suggestion", v.user)
	p["container"] = object{"type": "view", "view_id": v.id}
	p["view"] = s.payloadView(v, func(string) bool { return false }) // the state is not reliably filled
	p["block_id"], p["action_id"], p["value"] = sl.blockID, sl.actionID, typed
	out := interactiveParcel(p)
	out.path = "/slack/options"
	return out
}

func interactiveParcel(payload object) parcel {
	return parcel{envelope: "interactive", path: "/slack/interactions", payload: payload}
}

func (s *Sim) slashCommand(user string, c *Channel, command, text string) parcel {
	u, _ := s.user(user)
	return parcel{envelope: "slash_commands", path: "/slack/commands", payload: object{
		"token": "unused", "api_app_id": s.space.AppID, "is_enterprise_install": "false",
		"team_id": u.TeamID, "team_domain": s.domain(u.TeamID), "user_id": u.ID, "user_name": u.Name,
		"channel_id": c.ID, "channel_name": wireName(c), "command": command, "text": escape(text),
		"trigger_id": s.newTrigger(user, nil), "response_url": s.newResponseURL(user, c.ID, nil),
	}}
}

func wireName(c *Channel) string {
	switch {
	case c.Direct:
		return "directmessage"
	case c.Private && !c.Group:
		return "privategroup"
	default:
		return c.Name
	}
}
