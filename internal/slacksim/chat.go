package slacksim

import (
	"encoding/json"
	"slices"
	"time"
	"unicode/utf16"

	"github.com/slackbridge/slackbridge/internal/slackrules"
)

// message is a message as Slack keeps it.
type message struct {
	ts, thread  string
	channel     string
	author      string // user id
	bot         bool   // of our app
	text        string
	blocks      []any
	state       state
	ephemeral   string // the only user who sees it
	broadcast   bool   // a reply that is also shown in the channel
	edited      bool
	tombstone   bool // deleted, but replies keep its place
	pinged      []string
	attachments json.RawMessage
}

// Lengths of the top-level text.
const (
	maxStoredText = 40_000 // cut in silence beyond
	maxUpdateText = 4_000  // refused beyond, by chat.update and chat.postEphemeral
)

func (s *Sim) postMessage(in args) answer {
	c, code := s.botChannel(in.str("channel"))
	if code != "" {
		return bad(code)
	}
	m, refused := s.compose(in, c)
	if refused != nil {
		return *refused
	}
	if in.has("thread_ts") {
		if code := s.joinThread(m, in.str("thread_ts")); code != "" {
			return bad(code)
		}
		m.broadcast = in.flag("reply_broadcast")
	}
	if wait := s.untilPost(c.ID); wait > 0 {
		return limited(wait)
	}
	s.lastPost[c.ID] = s.opt.Now()
	s.add(m)
	return good(object{"channel": c.ID, "ts": m.ts, "message": s.wire(m)})
}

// untilPost is how long the channel's limit still holds.
func (s *Sim) untilPost(channel string) time.Duration {
	last, ok := s.lastPost[channel]
	if !ok || s.opt.MessageInterval < 0 {
		return 0
	}
	return s.opt.MessageInterval - s.opt.Now().Sub(last)
}

// compose builds a message of the bot from the arguments of a chat method.
func (s *Sim) compose(in args, c *Channel) (*message, *answer) {
	content := object{}
	for _, name := range []string{"text", "markdown_text", "blocks", "attachments"} {
		if in.has(name) {
			content[name] = in.value(name)
		}
	}
	if in.has("text") {
		content["text"] = in.str("text")
	}
	if found := slackrules.CheckMessage(encode(content)); len(found) > 0 {
		a := refuseMessage(found)
		return nil, &a
	}
	m := &message{channel: c.ID, author: s.space.BotUserID, bot: true, attachments: in["attachments"]}
	s.fill(m, in)
	return m, nil
}

// fill sets the text and blocks of m.
func (s *Sim) fill(m *message, in args) {
	m.text = in.str("text")
	if in.has("markdown_text") {
		m.text = in.str("markdown_text")
	}
	if u := utf16.Encode([]rune(m.text)); len(u) > maxStoredText {
		m.text = string(utf16.Decode(u[:maxStoredText]))
	}
	blocks, _ := decode(in.value("blocks")).([]any)
	m.blocks = s.store(blocks)
	m.state = newState(m.blocks, m.state)
}

// joinThread makes m a reply to the message with that ts.
func (s *Sim) joinThread(m *message, ts string) string {
	parent := s.find(m.channel, ts)
	if parent == nil || parent.ephemeral != "" || parent.thread != "" {
		return "cannot_reply_to_message"
	}
	m.thread = ts
	return ""
}

// add stores a new message and pings whom it mentions.
func (s *Sim) add(m *message) {
	m.ts = s.newTS()
	m.pinged = s.mentioned(m)
	s.messages = append(s.messages, m)
	s.byTS[m.ts] = m
	s.change()
}

func (s *Sim) find(channel, ts string) *message {
	if m := s.byTS[ts]; m != nil && m.channel == channel {
		return m
	}
	return nil
}

// forget takes messages away without a trace.
func (s *Sim) forget(gone func(*message) bool) {
	s.messages = slices.DeleteFunc(s.messages, func(m *message) bool {
		if !gone(m) {
			return false
		}
		delete(s.byTS, m.ts)
		return true
	})
}

func (s *Sim) postEphemeral(in args) answer {
	c, code := s.botChannel(in.str("channel"))
	if code != "" {
		return bad(code)
	}
	u, ok := s.user(in.str("user"))
	if !ok || u.Deleted || !c.has(u.ID) {
		return bad("user_not_in_channel")
	}
	if len(in.str("text")) > maxUpdateText {
		return bad("msg_too_long")
	}
	m, refused := s.compose(in, c)
	if refused != nil {
		return *refused
	}
	if in.has("thread_ts") {
		if code := s.joinThread(m, in.str("thread_ts")); code != "" {
			return bad(code)
		}
	}
	m.ephemeral = u.ID
	s.add(m)
	return good(object{"message_ts": m.ts})
}

func (s *Sim) updateMessage(in args) answer {
	c, code := s.botChannel(in.str("channel"))
	if code == "is_archived" {
		code = "is_inactive"
	}
	if code != "" {
		return bad(code)
	}
	m := s.find(c.ID, in.str("ts"))
	switch {
	case m == nil || m.tombstone || m.ephemeral != "":
		return bad("message_not_found")
	case !m.bot:
		return bad("cant_update_message")
	case len(utf16.Encode([]rune(in.str("text")))) > maxUpdateText:
		return bad("msg_too_long")
	}
	if _, refused := s.compose(in, c); refused != nil {
		return *refused
	}
	s.fill(m, in)
	m.edited = m.edited || !in.has("blocks")
	s.change()
	return good(object{"channel": c.ID, "ts": m.ts, "text": m.text, "message": s.wire(m)})
}

func (s *Sim) deleteMessage(in args) answer {
	c, code := s.botChannel(in.str("channel"))
	if code != "" {
		return bad(code)
	}
	m := s.find(c.ID, in.str("ts"))
	switch {
	case m == nil || m.tombstone || m.ephemeral != "":
		return bad("message_not_found")
	case !m.bot:
		return bad("cant_delete_message")
	}
	s.remove(m)
	return good(object{"channel": c.ID, "ts": m.ts})
}

// remove deletes m; a parent leaves a mark as long as it has replies.
func (s *Sim) remove(m *message) {
	replied := slices.ContainsFunc(s.messages, func(r *message) bool {
		return r.channel == m.channel && r.thread == m.ts && r.ephemeral == ""
	})
	if replied {
		*m = message{ts: m.ts, channel: m.channel, author: m.author, text: "This message was deleted.", tombstone: true}
	} else {
		s.forget(func(o *message) bool { return o == m })
	}
	s.change()
}

// DeleteMessage deletes a message as an administrator does.
func (s *Sim) DeleteMessage(channel, ts string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if m := s.find(channel, ts); m != nil {
		s.remove(m)
	}
}

func (s *Sim) addReaction(in args) answer {
	c, code := s.botChannel(in.str("channel"))
	if code != "" {
		return bad(code)
	}
	m := s.find(c.ID, in.str("timestamp"))
	if m == nil || m.ephemeral != "" {
		return bad("message_not_found")
	}
	name := in.str("name")
	if !emojiName(name) {
		return bad("invalid_name")
	}
	key := c.ID + m.ts + name
	if s.reactions[key] {
		return bad("already_reacted")
	}
	s.reactions[key] = true
	s.change()
	return good(nil)
}

// wire is m as the Web API and interaction payloads show it.
func (s *Sim) wire(m *message) object {
	o := object{"type": "message", "user": m.author, "ts": m.ts, "text": m.text, "team": s.space.TeamID}
	if m.bot {
		o["bot_id"], o["app_id"] = s.space.BotID, s.space.AppID
	}
	if len(m.blocks) > 0 {
		o["blocks"] = m.blocks
	}
	if m.thread != "" {
		o["thread_ts"] = m.thread
	}
	if m.edited {
		o["edited"] = object{"user": m.author, "ts": m.ts}
	}
	return o
}
