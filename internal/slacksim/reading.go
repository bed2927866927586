package slacksim

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Message is a message as one person sees it.
type Message struct {
	TS        string
	ThreadTS  string // of a reply
	Channel   string
	Author    string // user id
	Text      string // what is visible: blocks as lines, mentions as @Ann, dates in the reader's zone
	Fallback  string // the top-level text, which mobile pushes and screen readers use
	Buttons   []Button
	Links     []string // what can be clicked in the text
	Mentions  []string // ids of the users whom it pinged when it was posted
	Ephemeral bool
	Edited    bool
	Blocks    json.RawMessage // as Slack keeps them; nil when there are none
	Layout    []Block         // what is visible, with its styles; the text when there are no blocks
}

// Button is a visible button.
type Button struct {
	Label      string
	Style      string // "primary", "danger" or empty
	URL        string // what it opens in the browser
	HasConfirm bool
	Confirm    Dialog // the question asked first, when HasConfirm
}

// Dialog is the confirmation dialog of a button.
type Dialog struct {
	Title, Text, Confirm, Deny string
}

// Messages returns the channel as the person sees it, oldest first: top-level
// messages, replies that were also sent to the channel, and what only they
// can see. It is empty for a conversation that they are not in.
func (p *Person) Messages(channel string) []Message {
	return p.read(channel, func(m *message) bool { return m.thread == "" || m.broadcast })
}

// Thread returns a message and its replies as the person sees them.
func (p *Person) Thread(channel, ts string) []Message {
	return p.read(channel, func(m *message) bool { return m.ts == ts || m.thread == ts })
}

func (p *Person) read(channel string, want func(*message) bool) []Message {
	s := p.sim
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []Message
	for _, m := range s.messages {
		if m.channel == channel && want(m) && p.sees(m) {
			out = append(out, p.show(m))
		}
	}
	return out
}

// sees reports whether m is on the person's screen. The mutex is held.
func (p *Person) sees(m *message) bool {
	u, ok := p.sim.user(p.id)
	c, found := p.sim.channel(m.channel)
	return ok && !u.Deleted && found && c.has(p.id) && (m.ephemeral == "" || m.ephemeral == p.id)
}

func (p *Person) show(m *message) Message {
	r := p.sim.rendererFor(p.id)
	aside := *r // collects links that are not of the visible text
	out := Message{
		TS: m.ts, ThreadTS: m.thread, Channel: m.channel, Author: m.author,
		Fallback: aside.mrkdwn(m.text, false),
		Mentions: slices.Clone(m.pinged), Ephemeral: m.ephemeral != "", Edited: m.edited,
	}
	if len(m.blocks) == 0 {
		out.Text = r.mrkdwn(m.text, false)
		out.Layout = []Block{{Type: "section", Paragraphs: paragraphsOf(aside.mrkdwnPieces(m.text, false), "")}}
	} else {
		out.Text = r.blocks(m.blocks)
		out.Buttons = r.buttons(m.blocks)
		out.Blocks = encode(m.blocks)
		out.Layout = aside.layout(m.blocks, nil)
	}
	out.Links = r.links
	return out
}

func (r *renderer) buttons(blocks []any) []Button {
	var out []Button
	for _, sl := range slots(blocks) {
		if sl.typ != "button" {
			continue
		}
		b := Button{Label: r.label(sl), Style: str(sl.element, "style"), URL: str(sl.element, "url")}
		if c := sub(sl.element, "confirm"); c != nil {
			b.HasConfirm = true
			b.Confirm = Dialog{
				Title: r.textObject(c["title"]), Text: r.textObject(c["text"]),
				Confirm: r.textObject(c["confirm"]), Deny: r.textObject(c["deny"]),
			}
		}
		out = append(out, b)
	}
	return out
}

func (r *renderer) label(sl slot) string { return r.textObject(sl.element["text"]) }

// button finds the only button with that label.
func (r *renderer) button(blocks []any, label string) (slot, error) {
	var found []slot
	var labels []string
	for _, sl := range slots(blocks) {
		if sl.typ != "button" {
			continue
		}
		l := r.label(sl)
		labels = append(labels, fmt.Sprintf("%q", l))
		if l == label {
			found = append(found, sl)
		}
	}
	if len(found) != 1 {
		return slot{}, ClientError(fmt.Sprintf("%d buttons are labelled %q; there are: %s", len(found), label, strings.Join(labels, ", ")))
	}
	return found[0], nil
}

// Press presses the button with that visible label on a message, and the
// confirming button of its dialog when it has one. It returns when the app has
// acknowledged; the error is what Slack would show otherwise.
func (p *Person) Press(ctx context.Context, channel, ts, label string) error {
	s := p.sim
	s.mu.Lock()
	m, sl, err := p.pressable(channel, ts, label)
	if err != nil {
		s.mu.Unlock()
		return err
	}
	post := s.messageAction(p.id, m, sl)
	p.follow(sl)
	s.mu.Unlock()
	if _, err := s.deliver(ctx, post); err != nil {
		s.trouble("the press of %q was not acknowledged: %v", label, err)
		return ClientError("the app did not respond: " + code(err))
	}
	return nil
}

// PressCancel presses a button with a confirmation dialog and then the other
// button of that dialog: the app hears nothing.
func (p *Person) PressCancel(channel, ts, label string) error {
	p.sim.mu.Lock()
	defer p.sim.mu.Unlock()
	_, sl, err := p.pressable(channel, ts, label)
	if err == nil && sub(sl.element, "confirm") == nil {
		err = ClientError(fmt.Sprintf("%q asks for no confirmation", label))
	}
	return err
}

func (p *Person) pressable(channel, ts, label string) (*message, slot, error) {
	m := p.sim.find(channel, ts)
	if m == nil || !p.sees(m) {
		return nil, slot{}, ClientError("there is no such message")
	}
	if _, err := p.place(channel); err != nil {
		return nil, slot{}, err
	}
	sl, err := p.sim.rendererFor(p.id).button(m.blocks, label)
	return m, sl, err
}

// follow opens the URL of a button in the browser.
func (p *Person) follow(sl slot) {
	if u := str(sl.element, "url"); u != "" {
		p.sim.opened[p.id] = append(p.sim.opened[p.id], u)
		p.sim.change()
	}
}
