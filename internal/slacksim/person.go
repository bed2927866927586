package slacksim

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Person is a user in front of Slack. Every method acts on, or returns, what
// that user can see.
type Person struct {
	sim *Sim
	id  string
}

// ClientError is what Slack's own app shows or refuses: nothing of the app's
// doing, or the lack of it.
type ClientError string

func (e ClientError) Error() string { return string(e) }

// Person returns the user with that id. Nothing is checked until they act.
func (s *Sim) Person(id string) *Person { return &Person{sim: s, id: id} }

// ID is the user's id.
func (p *Person) ID() string { return p.id }

// Channels returns the conversations that the person is in.
func (p *Person) Channels() []Channel {
	s := p.sim
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []Channel
	for _, c := range s.space.clone().Channels {
		if c.has(p.id) {
			out = append(out, c)
		}
	}
	return out
}

// DM returns the person's conversation with the bot.
func (p *Person) DM() string {
	p.sim.mu.Lock()
	defer p.sim.mu.Unlock()
	return p.sim.direct(p.id).ID
}

// Opened lists the URLs that the person opened through buttons.
func (p *Person) Opened() []string {
	p.sim.mu.Lock()
	defer p.sim.mu.Unlock()
	return slices.Clone(p.sim.opened[p.id])
}

// Type sends text to a conversation. Text that begins with a slash is a
// command, which works also where the bot is not a member; the error is what
// Slack shows when the app does not take it in time.
func (p *Person) Type(ctx context.Context, channel, text string) error {
	if strings.HasPrefix(text, "/") {
		return p.command(ctx, channel, text)
	}
	return p.say(channel, "", text)
}

// TypeInThread replies in a thread. Slack knows no slash commands there.
func (p *Person) TypeInThread(channel, ts, text string) error {
	if name, _, _ := strings.Cut(text, " "); strings.HasPrefix(name, "/") {
		return ClientError(name + " is not supported in threads. Sorry!")
	}
	return p.say(channel, ts, text)
}

// place returns a conversation that the person may write to. The mutex is held.
func (p *Person) place(channel string) (*Channel, error) {
	u, ok := p.sim.user(p.id)
	c, found := p.sim.channel(channel)
	switch {
	case !ok || u.Deleted:
		return nil, ClientError("this account cannot sign in")
	case !found || !c.has(p.id):
		return nil, ClientError("you are not in this conversation")
	case c.Archived:
		return nil, ClientError("this channel has been archived")
	default:
		return c, nil
	}
}

func (p *Person) command(ctx context.Context, channel, text string) error {
	s := p.sim
	name, rest, _ := strings.Cut(text, " ")
	s.mu.Lock()
	c, err := p.place(channel)
	if err == nil && name != s.space.Command {
		err = ClientError(name + " is not a valid command.")
	}
	if err != nil {
		s.mu.Unlock()
		return err
	}
	post, id := s.slashCommand(p.id, c, name, strings.TrimSpace(rest)), c.ID
	s.mu.Unlock()

	r, err := s.deliver(ctx, post)
	if err != nil {
		return ClientError(fmt.Sprintf("%s failed with the error %q", name, code(err)))
	}
	return p.commandAnswer(name, id, r.body)
}

// commandAnswer shows what the app put in the acknowledgement of a command.
func (p *Person) commandAnswer(name, channel string, body []byte) error {
	s := p.sim
	text := strings.TrimSpace(string(body))
	if text == "" || text == "null" || text == "{}" {
		return nil
	}
	answer, ok := decode(body).(object)
	if !ok {
		answer = object{"text": text}
		if quoted, ok := decode(body).(string); ok {
			answer["text"] = quoted
		}
	}
	s.mu.Lock()
	refused := s.reply(channel, p.id, nil, answer)
	s.mu.Unlock()
	if refused != "" {
		s.trouble("the answer to %s was refused: %s", name, refused)
		return ClientError(fmt.Sprintf("%s failed with the error %q", name, "invalid_command_response"))
	}
	return nil
}

// code is the word for a failed delivery in Slack's own messages.
func code(err error) string {
	for _, known := range []error{errNoEndpoint, errServerFault, errClientFault, errStopped} {
		if errors.Is(err, known) {
			return known.Error()
		}
	}
	return errNoAck.Error()
}

// say posts a plain message and tells the app about it when it would be told:
// in its direct messages, and where it is mentioned and a member.
func (p *Person) say(channel, thread, text string) error {
	s := p.sim
	s.mu.Lock()
	c, err := p.place(channel)
	if err != nil {
		s.mu.Unlock()
		return err
	}
	bot, _ := s.user(s.space.BotUserID)
	mention := "<@" + bot.ID + ">"
	stored := strings.ReplaceAll(escape(text), "@"+bot.Name, mention)
	m := &message{channel: c.ID, author: p.id, text: stored}
	if thread != "" {
		if code := s.joinThread(m, thread); code != "" {
			s.mu.Unlock()
			return ClientError(code)
		}
	}
	s.add(m)
	event := object{
		"type": "app_mention", "user": p.id, "text": stored, "ts": m.ts, "event_ts": m.ts,
		"channel": c.ID, "team": s.space.TeamID, "channel_type": "channel",
	}
	if thread != "" {
		event["thread_ts"] = thread
	}
	if c.Direct {
		event["type"], event["channel_type"] = "message", "im"
	}
	told := c.has(bot.ID) && (c.Direct || strings.Contains(stored, mention))
	s.mu.Unlock()
	if told {
		s.sendEvent(event)
	}
	return nil
}

// KillApp ends Slack on the person's device: modals vanish without any event,
// and so do messages that only they could see.
func (p *Person) KillApp() {
	s := p.sim
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.stacks, p.id)
	s.forget(func(m *message) bool { return m.ephemeral == p.id })
	s.change()
}
