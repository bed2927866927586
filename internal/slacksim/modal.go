package slacksim

import (
	"slices"
	"strings"
	"time"
)

// ConnectError is what a modal shows when the app's answer was late, missing
// or not usable.
const ConnectError = "We had some trouble connecting. Try again?"

// Modal is a view as its user sees it: the top of a modal, or the Home tab.
type Modal struct {
	ID         string
	ExternalID string
	Title      string
	Submit     string // label of the button; empty when there is none
	Close      string
	Text       string // blocks without fields and buttons, as lines
	Fields     []Field
	Buttons    []Button
	Layout     []Block  // text, fields and buttons in their order, with their styles
	Links      []string // what can be clicked in the text
	Banner     string   // a generic error of the client, e.g. ConnectError
	Depth      int      // 1 for the first view of a modal
}

// Field is something to fill in.
type Field struct {
	Label       string
	Hint        string
	Kind        string   // Slack's element type, e.g. "plain_text_input"
	Value       string   // what is in it, as shown; several choices are joined by ", "
	Chosen      []string // labels of the chosen options, each by itself
	Options     []string
	Placeholder string
	Error       string // what stands under it
	Optional    bool
	Multiline   bool
}

// Modal returns the view in front of the person.
func (p *Person) Modal() (Modal, bool) {
	s := p.sim
	s.mu.Lock()
	defer s.mu.Unlock()
	k := p.front()
	if k == nil {
		return Modal{}, false
	}
	m := p.showView(k.top())
	m.Depth = len(k.views)
	return m, true
}

// OpenModals lists the ids of the views that are open for the person, in front
// or behind: the last one is in front.
func (p *Person) OpenModals() []string {
	s := p.sim
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []string
	for _, k := range s.stacks[p.id] {
		for _, v := range k.views {
			out = append(out, v.id)
		}
	}
	return out
}

// front is the modal that the person sees; nil without one.
func (p *Person) front() *stack {
	stacks := p.sim.stacks[p.id]
	if len(stacks) == 0 {
		return nil
	}
	return stacks[len(stacks)-1]
}

func (p *Person) frontView() (*view, error) {
	if k := p.front(); k != nil {
		return k.top(), nil
	}
	return nil, ClientError("no modal is open")
}

func (p *Person) showView(v *view) Modal {
	r := p.sim.rendererFor(p.id)
	rest := slices.DeleteFunc(slices.Clone(v.blocks), func(b any) bool {
		o, _ := b.(object)
		return str(o, "type") == "input"
	})
	m := Modal{
		ID: v.id, ExternalID: str(v.source, "external_id"), Banner: v.banner,
		Title: r.textObject(v.source["title"]), Submit: r.textObject(v.source["submit"]), Close: r.textObject(v.source["close"]),
		Text: r.blocks(rest), Buttons: r.buttons(v.blocks),
	}
	m.Links = r.links
	m.Layout = r.layout(v.blocks, func(sl slot) Field { return p.showField(v, sl) })
	for _, sl := range slots(v.blocks) {
		if stateful(sl.typ) {
			m.Fields = append(m.Fields, p.showField(v, sl))
		}
	}
	return m
}

func (p *Person) showField(v *view, sl slot) Field {
	r := p.sim.rendererFor(p.id)
	f := Field{
		Label: r.fieldLabel(sl), Kind: sl.typ, Value: p.shownValue(v, sl),
		Placeholder: r.textObject(sl.element["placeholder"]), Multiline: sl.element["multiline"] == true,
		Hint: r.textObject(sl.block["hint"]), Error: v.errors[sl.blockID], Optional: !required(sl),
	}
	for _, c := range p.choices(v, sl) {
		f.Options = append(f.Options, c.label)
	}
	f.Chosen = r.chosen(v.state.get(sl))
	return f
}

// chosen lists the labels of the options in the state of an element.
func (r *renderer) chosen(held object) []string {
	var out []string
	if o := sub(held, "selected_option"); o != nil {
		out = append(out, r.optionLabel(o))
	}
	for _, o := range items(held, "selected_options") {
		out = append(out, r.optionLabel(o))
	}
	return out
}

// fieldLabel is the label of an input block; elsewhere what stands beside the
// element, or in it.
func (r *renderer) fieldLabel(sl slot) string {
	for _, text := range []any{sl.block["label"], sl.block["text"], sl.element["placeholder"]} {
		if l := r.textObject(text); l != "" {
			return l
		}
	}
	return sl.actionID
}

func required(sl slot) bool { return sl.input && sl.block["optional"] != true }

// shownValue is what a field holds, as its widget shows it.
func (p *Person) shownValue(v *view, sl slot) string {
	held := v.state.get(sl)
	value := held[valueName(sl.typ)]
	r := p.sim.rendererFor(p.id)
	one := func(it any) string {
		if o, ok := it.(object); ok {
			return r.textObject(o["text"])
		}
		id, _ := it.(string)
		return p.sim.pickName(id)
	}
	switch value := value.(type) {
	case nil:
		return ""
	case string:
		if strings.HasSuffix(sl.typ, "_select") {
			return one(value)
		}
		return value
	case []any:
		var parts []string
		for _, it := range value {
			parts = append(parts, one(it))
		}
		return strings.Join(parts, ", ")
	case object:
		if sl.typ == "rich_text_input" {
			return r.richText(items(value, "elements"))
		}
		return one(value)
	default:
		sec, _ := wholeNumber(value)
		return time.Unix(sec, 0).In(r.zone).Format(dateTimeForm)
	}
}

// pickName shows a picked user or conversation.
func (s *Sim) pickName(id string) string {
	if _, ok := s.user(id); ok {
		return "@" + s.nameOf(id)
	}
	return "#" + s.channelName(id)
}

// offer names the element that found options belong to.
type offer struct{ view, block, action string }

// choice is an option that can be picked, and what it stands for in the state.
type choice struct {
	label string
	value any
}

// choices are the options that the person can see in an element.
func (p *Person) choices(v *view, sl slot) []choice {
	s, r := p.sim, p.sim.rendererFor(p.id)
	var out []choice
	switch strings.TrimPrefix(sl.typ, "multi_") {
	case "static_select", "radio_buttons", "checkboxes":
		for _, o := range listed(sl.element) {
			out = append(out, choice{r.optionLabel(o), o})
		}
	case "external_select":
		for _, o := range s.offered[offer{v.id, sl.blockID, sl.actionID}] {
			out = append(out, choice{r.optionLabel(o), o})
		}
	case "users_select":
		for _, u := range s.space.Users {
			if !u.Deleted {
				out = append(out, choice{s.pickName(u.ID), u.ID})
			}
		}
	case "channels_select", "conversations_select":
		for _, c := range s.space.Channels {
			if c.has(p.id) && c.Name != "" && (!c.Private || sl.typ != "channels_select") {
				out = append(out, choice{s.pickName(c.ID), c.ID})
			}
		}
	}
	return out
}

func (r *renderer) optionLabel(o any) string {
	oo, _ := o.(object)
	return r.textObject(oo["text"])
}

// listed returns the options of an element, its groups' included.
func listed(element object) []any {
	out := slices.Clone(items(element, "options"))
	for _, g := range items(element, "option_groups") {
		o, _ := g.(object)
		out = append(out, items(o, "options")...)
	}
	return out
}
