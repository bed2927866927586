package blockkit

import (
	"encoding/json"
	"strconv"
	"strings"
)

// entry is what Slack sends for one input, by the name of the member. It is
// nil when Slack sent nothing for it.
type entry map[string]json.RawMessage

func (e entry) present() bool { return e != nil }

// text reads a string member; null and absent are empty. ok is false when it
// is something else.
func (e entry) text(name string) (s string, ok bool) {
	raw := e[name]
	if len(raw) == 0 {
		return "", true
	}
	return s, json.Unmarshal(raw, &s) == nil // null leaves s empty
}

// seconds reads a member with Unix seconds.
func (e entry) seconds(name string) (sec int64, set, ok bool) {
	raw := strings.Trim(string(e[name]), `"`)
	if raw == "" || raw == "null" {
		return 0, false, true
	}
	sec, err := strconv.ParseInt(raw, 10, 64)
	return sec, true, err == nil && sec >= 0 && sec <= lastMoment
}

// picked is as much of an option as counts: its text is an echo.
type picked struct {
	Value *string `json:"value"`
}

// option reads the id of the chosen option; empty when there is none.
func (e entry) option() (id string, ok bool) {
	raw := e["selected_option"]
	if len(raw) == 0 || string(raw) == "null" {
		return "", true
	}
	var p picked
	if json.Unmarshal(raw, &p) != nil || p.Value == nil || *p.Value == "" {
		return "", false
	}
	return *p.Value, true
}

// options reads the ids of the chosen options.
func (e entry) options() (ids []string, ok bool) {
	raw := e["selected_options"]
	if len(raw) == 0 {
		return nil, true
	}
	var ps []picked
	if json.Unmarshal(raw, &ps) != nil {
		return nil, false
	}
	for _, p := range ps {
		if p.Value == nil {
			return nil, false
		}
		ids = append(ids, *p.Value)
	}
	return ids, true
}

// decodeState reads view.state by block id. Slack sends an object, a list, null
// or nothing where there are no values; all of them are no
// values. What is in other blocks or under other actions is left out.
func decodeState(state json.RawMessage) map[string]entry {
	var outer map[string]json.RawMessage
	if json.Unmarshal(state, &outer) != nil {
		return nil
	}
	var blocks map[string]json.RawMessage
	if json.Unmarshal(outer["values"], &blocks) != nil {
		return nil
	}
	out := make(map[string]entry, len(blocks))
	for id, raw := range blocks {
		var actions map[string]json.RawMessage
		if json.Unmarshal(raw, &actions) != nil {
			continue
		}
		var e entry
		if json.Unmarshal(actions[inputAction], &e) == nil && e != nil {
			out[id] = e
		}
	}
	return out
}

// FirstBlock returns the id of the first input block that a view.state has
// values for, for an error about the form as a whole while its question is not
// at hand. It is empty when there is none.
func FirstBlock(state json.RawMessage) string {
	first, at := "", 0
	for id := range decodeState(state) {
		if i, ok := fieldAt(id); ok && (first == "" || i < at) {
			first, at = id, i
		}
	}
	return first
}
