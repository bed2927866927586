package page

import (
	"net/http"
	"strconv"
	"time"

	"github.com/slackbridge/slackbridge/internal/slacksim"
)

// What one person sees, as the page draws it. All of it is text.
type (
	stateOut struct {
		Title    string       `json:"title"`
		Team     string       `json:"team"`
		Users    []userOut    `json:"users"`
		Channels []channelOut `json:"channels"`
		Messages []messageOut `json:"messages"`
		Thread   []messageOut `json:"thread"`
		Modal    *modalOut    `json:"modal"`
		Examples []Example    `json:"examples"`
	}
	userOut struct {
		ID   string `json:"id"`
		Name string `json:"name"`
	}
	channelOut struct {
		ID       string `json:"id"`
		Name     string `json:"name"`
		Direct   bool   `json:"direct"`
		Archived bool   `json:"archived"`
		Count    int    `json:"count"` // messages in it, threads included
	}
	messageOut struct {
		TS        string      `json:"ts"`
		Channel   string      `json:"channel"`
		Author    string      `json:"author"`
		Time      string      `json:"time"`
		Text      string      `json:"text"`
		Ephemeral bool        `json:"ephemeral"`
		Pings     bool        `json:"pings"` // it mentions the reader
		Buttons   []buttonOut `json:"buttons"`
		Replies   int         `json:"replies"`
	}
	buttonOut struct {
		Label   string     `json:"label"`
		Style   string     `json:"style"`
		Confirm *dialogOut `json:"confirm"`
	}
	dialogOut struct {
		Title   string `json:"title"`
		Text    string `json:"text"`
		Confirm string `json:"confirm"`
		Deny    string `json:"deny"`
	}
	modalOut struct {
		ID      string      `json:"id"`
		Title   string      `json:"title"`
		Submit  string      `json:"submit"`
		Close   string      `json:"close"`
		Text    string      `json:"text"`
		Banner  string      `json:"banner"`
		Depth   int         `json:"depth"`
		Fields  []fieldOut  `json:"fields"`
		Buttons []buttonOut `json:"buttons"`
	}
	fieldOut struct {
		Label       string   `json:"label"`
		Hint        string   `json:"hint"`
		Kind        string   `json:"kind"`
		Value       string   `json:"value"`
		Options     []string `json:"options"`
		Chosen      []string `json:"chosen"`
		Placeholder string   `json:"placeholder"`
		Error       string   `json:"error"`
		Optional    bool     `json:"optional"`
		Multiline   bool     `json:"multiline"`
	}
)

func (s *server) state(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	space := s.sim.Workspace()
	out := stateOut{Title: s.o.Title, Team: space.TeamName, Examples: s.o.Examples}
	names := map[string]string{}
	zone := time.UTC
	for _, u := range space.Users {
		names[u.ID] = u.RealName
		if !u.Bot && !u.Deleted {
			out.Users = append(out.Users, userOut{u.ID, u.RealName})
		}
		if u.ID == q.Get("user") {
			if z, err := time.LoadLocation(u.TZ); err == nil {
				zone = z
			}
		}
	}
	p := s.sim.Person(q.Get("user"))
	p.DM() // so that the conversation with the bot is listed
	v := viewer{p: p, names: names, zone: zone}
	for _, c := range p.Channels() {
		out.Channels = append(out.Channels, v.channel(c))
	}
	for _, m := range p.Messages(q.Get("channel")) {
		shown := v.message(m)
		shown.Replies = max(len(p.Thread(m.Channel, m.TS))-1, 0)
		out.Messages = append(out.Messages, shown)
	}
	if ts := q.Get("thread"); ts != "" {
		for _, m := range p.Thread(q.Get("channel"), ts) {
			out.Thread = append(out.Thread, v.message(m))
		}
	}
	if m, ok := p.Modal(); ok {
		out.Modal = modal(m)
	}
	writeJSON(w, out)
}

// viewer turns what a person sees into what the page draws.
type viewer struct {
	p     *slacksim.Person
	names map[string]string
	zone  *time.Location
}

func (v viewer) channel(c slacksim.Channel) channelOut {
	out := channelOut{ID: c.ID, Name: c.Name, Direct: c.Direct || c.Group, Archived: c.Archived}
	if c.Name == "" {
		out.Name = "slackbridge"
	}
	for _, m := range v.p.Messages(c.ID) {
		out.Count += max(len(v.p.Thread(c.ID, m.TS)), 1)
	}
	return out
}

func (v viewer) message(m slacksim.Message) messageOut {
	out := messageOut{
		TS: m.TS, Channel: m.Channel, Author: v.names[m.Author], Text: m.Text, Ephemeral: m.Ephemeral, Buttons: buttons(m.Buttons),
	}
	for _, id := range m.Mentions {
		out.Pings = out.Pings || id == v.p.ID()
	}
	if sec, err := strconv.ParseFloat(m.TS, 64); err == nil {
		out.Time = time.Unix(int64(sec), 0).In(v.zone).Format("15:04")
	}
	return out
}

func buttons(in []slacksim.Button) []buttonOut {
	var out []buttonOut
	for _, b := range in {
		o := buttonOut{Label: b.Label, Style: b.Style}
		if b.HasConfirm {
			o.Confirm = &dialogOut{b.Confirm.Title, b.Confirm.Text, b.Confirm.Confirm, b.Confirm.Deny}
		}
		out = append(out, o)
	}
	return out
}

func modal(m slacksim.Modal) *modalOut {
	out := &modalOut{
		ID: m.ID, Title: m.Title, Submit: m.Submit, Close: m.Close, Text: m.Text, Banner: m.Banner, Depth: m.Depth, Buttons: buttons(m.Buttons),
	}
	if out.Close == "" {
		out.Close = "Cancel"
	}
	for _, f := range m.Fields {
		out.Fields = append(out.Fields, fieldOut{
			f.Label, f.Hint, f.Kind, f.Value, f.Options, f.Chosen, f.Placeholder, f.Error, f.Optional, f.Multiline,
		})
	}
	return out
}
