package slackapp

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/slackbridge/slackbridge/blockkit"
	"github.com/slackbridge/slackbridge/elicit"
)

// payload is an interaction, as far as it is looked at. State stays raw.
type payload struct {
	Type        string `json:"type"`
	TriggerID   string `json:"trigger_id"`
	ResponseURL string `json:"response_url"`
	ActionTS    string `json:"action_ts"`
	User        struct {
		ID     string `json:"id"`
		TeamID string `json:"team_id"`
	} `json:"user"`
	Team *struct {
		ID string `json:"id"`
	} `json:"team"` // null for installs of a whole organisation
	Channel struct {
		ID string `json:"id"`
	} `json:"channel"`
	Container struct {
		MessageTS   string `json:"message_ts"`
		ThreadTS    string `json:"thread_ts"`
		ChannelID   string `json:"channel_id"`
		IsEphemeral bool   `json:"is_ephemeral"`
	} `json:"container"`
	View    *view `json:"view"`
	Actions []struct {
		ActionID string `json:"action_id"`
		BlockID  string `json:"block_id"`
		Value    string `json:"value"`
		ActionTS string `json:"action_ts"`
	} `json:"actions"`
	IsCleared bool `json:"is_cleared"`
	// block_suggestion
	BlockID  string `json:"block_id"`
	ActionID string `json:"action_id"`
	Value    string `json:"value"`
}

type view struct {
	ID         string          `json:"id"`
	TeamID     string          `json:"team_id"`
	Hash       string          `json:"hash"`
	CallbackID string          `json:"callback_id"`
	Metadata   string          `json:"private_metadata"`
	State      json.RawMessage `json:"state"`
}

func (v *view) ref() blockkit.ViewRef {
	return blockkit.ViewRef{ID: v.ID, Hash: v.Hash, CallbackID: v.CallbackID, Metadata: v.Metadata}
}

func parsePayload(raw []byte) (payload, error) {
	var p payload
	if err := json.Unmarshal(raw, &p); err != nil {
		// The error would quote what somebody typed.
		return p, errors.New("reading an interaction: not the JSON that was expected")
	}
	if p.Type == "" || p.User.ID == "" {
		return p, fmt.Errorf("reading an interaction of type %q: it names no user", p.Type)
	}
	return p, nil
}

// user is who acted. The home team of the user counts, not the workspace in
// which they acted.
func (p payload) user() elicit.User {
	u := elicit.User{ID: p.User.ID, Team: p.User.TeamID}
	if u.Team == "" && p.Team != nil {
		u.Team = p.Team.ID
	}
	return u
}

func (p payload) click(i int, at time.Time) blockkit.Click {
	a := p.Actions[i]
	c := blockkit.Click{
		User: p.user(), Action: a.ActionID, Value: a.Value, TriggerID: p.TriggerID, ResponseURL: p.ResponseURL, At: at,
	}
	if p.View != nil {
		ref := p.View.ref()
		c.View, c.State = &ref, p.View.State
		return c
	}
	channel := p.Channel.ID
	if channel == "" {
		channel = p.Container.ChannelID
	}
	c.Message = elicit.MessageRef{Channel: channel, TS: p.Container.MessageTS}
	c.Thread = p.Container.ThreadTS
	return c
}

func command(form url.Values, at time.Time) blockkit.Command {
	return blockkit.Command{
		User:    elicit.User{Team: form.Get("team_id"), ID: form.Get("user_id")},
		Channel: form.Get("channel_id"), Text: form.Get("text"), TriggerID: form.Get("trigger_id"),
		ResponseURL: form.Get("response_url"), At: at,
	}
}
