package slacksim

import "encoding/json"

// state is what the elements of a surface hold: block_id, action_id, and the
// element's part of state.values.
type state map[string]map[string]object

// newState fills in the initial values of blocks. What an element with the
// same ids and type holds in old stays, and its new initial value is ignored.
func newState(blocks []any, old state) state {
	st := state{}
	for _, sl := range slots(blocks) {
		if !stateful(sl.typ) {
			continue
		}
		held, ok := old[sl.blockID][sl.actionID]
		if !ok || held["type"] != sl.typ {
			held = initial(sl.typ, sl.element)
		}
		st.set(sl, held)
	}
	return st
}

func (st state) set(sl slot, v object) {
	if st[sl.blockID] == nil {
		st[sl.blockID] = map[string]object{}
	}
	st[sl.blockID][sl.actionID] = v
}

func (st state) get(sl slot) object { return st[sl.blockID][sl.actionID] }

// valueName is the member of state.values that holds an element's value.
func valueName(typ string) string {
	switch typ {
	case "datepicker":
		return "selected_date"
	case "timepicker":
		return "selected_time"
	case "datetimepicker":
		return "selected_date_time"
	case "static_select", "external_select", "radio_buttons":
		return "selected_option"
	case "multi_static_select", "multi_external_select", "checkboxes":
		return "selected_options"
	case "users_select":
		return "selected_user"
	case "multi_users_select":
		return "selected_users"
	case "conversations_select":
		return "selected_conversation"
	case "multi_conversations_select":
		return "selected_conversations"
	case "channels_select":
		return "selected_channel"
	case "multi_channels_select":
		return "selected_channels"
	case "rich_text_input":
		return "rich_text_value"
	case "file_input":
		return "files"
	default:
		return "value"
	}
}

// initialName is the member of an element that its value comes from.
func initialName(typ string) string {
	switch typ {
	case "datepicker":
		return "initial_date"
	case "timepicker":
		return "initial_time"
	case "datetimepicker":
		return "initial_date_time"
	case "static_select", "external_select", "radio_buttons":
		return "initial_option"
	case "multi_static_select", "multi_external_select", "checkboxes":
		return "initial_options"
	case "users_select":
		return "initial_user"
	case "multi_users_select":
		return "initial_users"
	case "conversations_select":
		return "initial_conversation"
	case "multi_conversations_select":
		return "initial_conversations"
	case "channels_select":
		return "initial_channel"
	case "multi_channels_select":
		return "initial_channels"
	default:
		return "initial_value"
	}
}

func initial(typ string, element object) object {
	v, ok := element[initialName(typ)]
	if !ok {
		return emptyValue(typ, element)
	}
	return filledValue(typ, element, v)
}

// emptyValue is the entry of an element that holds nothing: null for one
// value, [] for several, and no member at all for rich text.
func emptyValue(typ string, element object) object {
	switch {
	case typ == "rich_text_input":
		return object{"type": typ}
	case typ == "file_input" || multiple(typ):
		return filledValue(typ, element, []any{})
	default:
		return filledValue(typ, element, nil)
	}
}

func filledValue(typ string, element object, v any) object {
	o := object{"type": typ, valueName(typ): v}
	if zone, ok := element["timezone"]; ok && typ == "timepicker" {
		o["timezone"] = zone
	}
	return o
}

func isEmpty(v object) bool {
	typ := str(v, "type")
	switch held := v[valueName(typ)].(type) {
	case nil:
		return true
	case string:
		return held == ""
	case []any:
		return len(held) == 0
	default:
		return false
	}
}

// values is st as it stands in answers and payloads.
func (st state) values(keep func(blockID string) bool) object {
	out := object{}
	for block, actions := range st {
		if !keep(block) {
			continue
		}
		entries := object{}
		for action, v := range actions {
			entries[action] = v
		}
		out[block] = entries
	}
	return out
}

func everyBlock(string) bool { return true }

// wholeNumber reads a JSON integer.
func wholeNumber(v any) (int64, bool) {
	n, ok := v.(json.Number)
	if !ok {
		return 0, false
	}
	i, err := n.Int64()
	return i, err == nil
}
