package blockkit

import (
	"encoding/json"
	"slices"
	"strconv"
	"time"

	"github.com/slackbridge/slackbridge/elicit"
)

// ParseArguments reads a tool's inputSchema as a form. What a form can ask for
// is asked as it is for a server's question; anything else is typed as JSON and
// checked at its field. An error says that the arguments cannot be asked for at
// all.
func ParseArguments(inputSchema json.RawMessage) (*Form, error) {
	p := at("inputSchema")
	if len(inputSchema) == 0 {
		return &Form{schema: json.RawMessage(`{}`)}, nil
	}
	root, err := decodeNode(inputSchema, p)
	if err != nil {
		return nil, err
	}
	if !root.is(nodeObject) {
		return nil, invalid(p, "must be a schema object")
	}
	if err := bounded(root, p); err != nil {
		return nil, err
	}
	f := &Form{schema: root.raw}
	required := requiredArguments(root)
	resolve := newFlattener(root)
	properties := root.get("properties")
	if properties.is(nodeObject) {
		for _, m := range properties.members {
			f.fields = append(f.fields, resolve.argument(m.name, m.value, slices.Contains(required, m.name), p))
		}
	}
	for _, name := range required {
		if properties.get(name) == nil {
			f.fields = append(f.fields, resolve.argument(name, &node{kind: nodeObject, raw: json.RawMessage("{}")}, true, p))
		}
	}
	if len(f.fields) > maxProperties {
		return nil, unrenderable(p, "a form has at most %d fields, these are %d", maxProperties, len(f.fields))
	}
	f.label()
	return f, f.fit(p)
}

// argument is one property as a field: typed as JSON where it is nothing else.
func (f flattener) argument(name string, schema *node, required bool, p path) field {
	fd, err := f.parseField(name, schema, required, p)
	if err == nil {
		return fd
	}
	return field{
		name: name, label: shownLine(schema.str("title")), about: shown(schema.str("description")), required: required,
		control: parseJSONField(schema, f.root.raw, pointerTo(name)),
	}
}

func requiredArguments(root *node) []string {
	var out []string
	if list := root.get("required"); list.is(nodeArray) {
		for _, it := range list.items {
			if it.is(nodeString) && !slices.Contains(out, it.text) {
				out = append(out, it.text)
			}
		}
	}
	return out
}

// Given is a draft of what was typed with the command, for the fields that can
// show it.
func (f *Form) Given(args json.RawMessage) Draft {
	d := Draft{}
	given, err := decodeNode(args, at("arguments"))
	if err != nil {
		return d
	}
	for i, fd := range f.fields {
		v := given.get(fd.name)
		if v == nil {
			continue
		}
		if e := entryFor(fd.control, v); e != nil {
			d[i] = e
		}
	}
	return d
}

// entryFor is what Slack would send for a control that holds v; nil when it
// cannot hold it.
func entryFor(c control, v *node) entry {
	pick := func(ids ...string) json.RawMessage {
		out := make([]picked, len(ids))
		for i := range ids {
			out[i].Value = &ids[i]
		}
		raw, err := json.Marshal(out)
		if err != nil { // strings always encode
			return nil
		}
		return raw
	}
	switch c := c.(type) {
	case jsonField:
		return entry{"value": quote(pretty(v.raw))}
	case text, number:
		return entry{"value": quote(v.text)}
	case date:
		return entry{"selected_date": quote(v.text)}
	case moment:
		if t, err := time.Parse(time.RFC3339, v.text); err == nil {
			return entry{"selected_date_time": strconv.AppendInt(nil, t.Unix(), 10)}
		}
	case checkbox:
		if v.text == jsonTrue {
			return entry{"selected_options": pick(optionID(0))}
		}
		return entry{"selected_options": pick()}
	case *choice:
		if i := c.index(v); i >= 0 {
			raw, err := json.Marshal(picked{Value: new(optionID(i))})
			if err == nil {
				return entry{"selected_option": raw}
			}
		}
	case *choices:
		var ids []string
		for _, it := range v.items {
			if i := c.index(it); i >= 0 {
				ids = append(ids, optionID(i))
			}
		}
		return entry{"selected_options": pick(ids...)}
	}
	return nil
}

// ArgumentsView is what the form of a tool's arguments says.
type ArgumentsView struct {
	ID          string // of the form
	User        elicit.User
	Server      string
	Tool        string
	Description string // of the server, verbatim
	Reader      Reader
	Opened      time.Time
	Page        int
	Visit       int
	Draft       Draft
}

// ArgumentsModal draws the form of a tool's arguments, or one page of it.
func (f *Form) ArgumentsModal(v ArgumentsView) Modal {
	l := v.Reader.Language
	return f.draw(drawing{
		id: v.ID, user: v.User, title: v.Server, head: say("Arguments for %s:", Code(name(v.Server+"."+v.Tool))).words(l),
		message: v.Description, submit: wordRun, callback: CallbackArguments,
		reader: v.Reader, opened: v.Opened, page: v.Page, visit: v.Visit, draft: v.Draft,
	})
}
