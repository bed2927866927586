package slacksim

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// Limits of conversations.members and conversations.open.
const (
	maxPage       = 1000
	defaultPage   = 100
	maxGroupUsers = 8
)

// visible returns a conversation that the bot may read about.
func (s *Sim) visible(id string) (*Channel, bool) {
	c, ok := s.channel(id)
	if !ok || (c.Private || c.Direct || c.Group) && !c.has(s.space.BotUserID) {
		return nil, false
	}
	return c, true
}

func (s *Sim) conversationsInfo(in args) answer {
	c, ok := s.visible(in.str("channel"))
	if !ok {
		return bad("channel_not_found")
	}
	o := object{
		"id": c.ID, "name": c.Name, "is_channel": !c.Private && !c.Direct && !c.Group, "is_group": c.Private && !c.Group,
		"is_im": c.Direct, "is_mpim": c.Group, "is_private": c.Private || c.Direct, "is_archived": c.Archived,
		"is_member": c.has(s.space.BotUserID), "is_shared": c.Shared, "is_ext_shared": c.Shared,
	}
	if c.Direct {
		for _, m := range c.Members {
			if m != s.space.BotUserID {
				o["user"] = m
			}
		}
	}
	if in.flag("include_num_members") {
		o["num_members"] = len(c.Members)
	}
	return good(object{"channel": o})
}

func (s *Sim) conversationsMembers(in args) answer {
	c, ok := s.visible(in.str("channel"))
	if !ok {
		return bad("channel_not_found")
	}
	limit, from := defaultPage, 0
	if in.has("limit") {
		n, err := strconv.Atoi(in.str("limit"))
		if err != nil || n < 1 || n > maxPage {
			return bad("invalid_limit")
		}
		limit = n
	}
	if cursor := in.str("cursor"); cursor != "" {
		n, err := strconv.Atoi(cursor)
		if err != nil || n < 0 || n > len(c.Members) {
			return bad("invalid_cursor")
		}
		from = n
	}
	to, next := min(from+limit, len(c.Members)), ""
	if to < len(c.Members) {
		next = strconv.Itoa(to)
	}
	return good(object{"members": slices.Clone(c.Members[from:to]), "response_metadata": object{"next_cursor": next}})
}

func (s *Sim) conversationsOpen(in args) answer {
	ids := splitList(in.str("users"))
	switch {
	case len(ids) == 0:
		return bad("users_list_not_supplied")
	case len(ids) > maxGroupUsers:
		return bad("too_many_users")
	}
	for _, id := range ids {
		u, ok := s.user(id)
		switch {
		case !ok:
			return bad("user_not_found")
		case u.Deleted:
			return bad("user_disabled")
		case u.TeamID != s.space.TeamID:
			return bad("user_not_visible") // a bot cannot write to strangers
		case u.Bot:
			return bad("cannot_dm_bot")
		}
	}
	return good(object{"channel": object{"id": s.direct(ids...).ID}})
}

// splitList reads a comma-separated argument, or a JSON list of strings.
func splitList(arg string) []string {
	if l, ok := decode([]byte(arg)).([]any); ok {
		var out []string
		for _, it := range l {
			if id, ok := it.(string); ok {
				out = append(out, id)
			}
		}
		return out
	}
	return strings.FieldsFunc(arg, func(r rune) bool { return r == ',' || r == ' ' })
}

func (s *Sim) usersInfo(in args) answer {
	u, ok := s.user(in.str("user"))
	if !ok {
		return bad("user_not_found")
	}
	o := object{
		"id": u.ID, "team_id": u.TeamID, "name": u.Name, "real_name": u.RealName, "deleted": u.Deleted,
		"is_bot": u.Bot, "is_restricted": u.Guest, "is_ultra_restricted": false, "is_admin": false, "is_owner": false,
		"is_stranger": u.TeamID != s.space.TeamID, "is_app_user": false, "updated": 0,
		"profile": object{"real_name": u.RealName, "display_name": u.RealName, "team": u.TeamID},
	}
	if zone, err := time.LoadLocation(u.TZ); err == nil && !u.Deleted {
		label, offset := s.opt.Now().In(zone).Zone()
		o["tz"], o["tz_label"], o["tz_offset"] = u.TZ, label, offset
	}
	if in.flag("include_locale") {
		o["locale"] = u.Locale
	}
	return good(object{"user": o})
}

func (s *Sim) usergroupUsers(in args) answer {
	for _, g := range s.space.Usergroups {
		if g.ID == in.str("usergroup") {
			return good(object{"users": g.Users})
		}
	}
	return bad("no_such_subteam")
}

// RemoveFromChannel takes a user, or the bot, out of a channel.
func (s *Sim) RemoveFromChannel(channel, user string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c, ok := s.channel(channel); ok {
		c.Members = slices.DeleteFunc(c.Members, func(m string) bool { return m == user })
		s.change()
	}
}

// AddToChannel makes a user, or the bot, a member of a channel.
func (s *Sim) AddToChannel(channel, user string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c, ok := s.channel(channel); ok && !c.has(user) {
		c.Members = append(c.Members, user)
		s.change()
	}
}

// Archive closes a channel for writing.
func (s *Sim) Archive(channel string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c, ok := s.channel(channel); ok {
		c.Archived = true
		s.change()
	}
}

// Deactivate ends a user's account. Modals that were open vanish.
func (s *Sim) Deactivate(user string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.space.Users {
		if s.space.Users[i].ID == user {
			s.space.Users[i].Deleted = true
		}
	}
	delete(s.stacks, user)
	s.change()
}
