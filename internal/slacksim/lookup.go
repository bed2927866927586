package slacksim

import (
	"fmt"
	"slices"
	"strings"
)

// The functions of this file are called with the mutex held.

func (s *Sim) user(id string) (User, bool) {
	i := slices.IndexFunc(s.space.Users, func(u User) bool { return u.ID == id })
	if i < 0 {
		return User{}, false
	}
	return s.space.Users[i], true
}

func (s *Sim) channel(id string) (*Channel, bool) {
	i := slices.IndexFunc(s.space.Channels, func(c Channel) bool { return c.ID == id })
	if i < 0 {
		return nil, false
	}
	return &s.space.Channels[i], true
}

// botChannel returns a channel that the bot may write to, or the error code.
// A conversation that the bot cannot see is unknown to it.
func (s *Sim) botChannel(id string) (*Channel, string) {
	c, ok := s.channel(id)
	switch {
	case !ok:
		return nil, "channel_not_found"
	case c.has(s.space.BotUserID) && c.Archived:
		return nil, "is_archived"
	case c.has(s.space.BotUserID):
		return c, ""
	case c.Private || c.Direct || c.Group:
		return nil, "channel_not_found"
	case c.Archived:
		return nil, "is_archived"
	default:
		return nil, "not_in_channel"
	}
}

// direct returns the conversation of the bot with users, made when needed.
func (s *Sim) direct(users ...string) *Channel {
	members := append([]string{s.space.BotUserID}, users...)
	slices.Sort(members)
	for i, c := range s.space.Channels {
		if (c.Direct || c.Group) && slices.Equal(c.Members, members) {
			return &s.space.Channels[i]
		}
	}
	prefix, group := "D", len(users) > 1
	if group {
		prefix = "G"
	}
	names := make([]string, len(users))
	for i, u := range users {
		names[i] = strings.TrimPrefix(u, "U_")
	}
	s.space.Channels = append(s.space.Channels, Channel{
		ID: prefix + "_" + strings.Join(names, "_"), Members: members, Direct: !group, Group: group, Private: group,
	})
	s.change()
	return &s.space.Channels[len(s.space.Channels)-1]
}

// newTS returns a message timestamp: unique and rising, whatever the clock does.
func (s *Sim) newTS() string {
	s.stamp = max(s.stamp+100, s.opt.Now().UnixMicro())
	return fmt.Sprintf("%d.%06d", s.stamp/1e6, s.stamp%1e6)
}
