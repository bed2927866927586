package slackrules

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCheckView_Frame(t *testing.T) {
	titled := func(title string) string {
		return `{"type":"modal","title":` + title + `,"blocks":[{"type":"divider"}]}`
	}
	divider := func(int) string { return `{"type":"divider"}` }
	text := el("plain_text_input")
	runEdges(t, CheckView, []edge{
		{"title 24", titled(plainJSON(x(24))), titled(plainJSON(x(25))), []string{"/view/title/text: must be less than 25 characters"}},
		{"title required", titled(plainJSON("t")), `{"type":"modal","blocks":[{"type":"divider"}]}`, []string{"/view: missing required field: title"}},
		{"title plain", titled(plainJSON("t")), titled(mrkdwnJSON("t")), []string{"/view/title/type: unsupported type: mrkdwn"}},
		{"submit 24", modalWith(`"submit":` + plainJSON(x(24))), modalWith(`"submit":` + plainJSON(x(25))), []string{"/view/submit/text: must be less than 25 characters"}},
		{"close 24", modalWith(`"close":` + plainJSON(x(24))), modalWith(`"close":` + plainJSON(x(25))), []string{"/view/close/text: must be less than 25 characters"}},
		{"100 blocks", modal(many(100, divider)), modal(many(101, divider)), []string{"/view/blocks: no more than 100 items allowed"}},
		{"at least one block", modal(divider(0)), modal(), []string{"/view/blocks: must provide at least 1 items"}},
		{"private_metadata 3000", modalWith(`"private_metadata":"` + x(3000) + `"`), modalWith(`"private_metadata":"` + x(3001) + `"`), []string{"/view/private_metadata: must be less than 3001 characters"}},
		{"callback_id 255", modalWith(`"callback_id":"` + x(255) + `"`), modalWith(`"callback_id":"` + x(256) + `"`), []string{"/view/callback_id: must be less than 256 characters"}},
		{"external_id 255", modalWith(`"external_id":"` + x(255) + `"`), modalWith(`"external_id":"` + x(256) + `"`), []string{"/view/external_id: must be less than 256 characters"}},
		{"notify_on_close is a boolean", modalWith(`"notify_on_close":true`), modalWith(`"notify_on_close":"true"`), []string{"/view/notify_on_close: must provide a boolean"}},
		{"no submit_disabled", modalWith(`"clear_on_close":true`), modalWith(`"submit_disabled":true`), []string{"/view: invalid additional property: submit_disabled"}},
		{"no inbound members", modalWith(`"close":` + plainJSON("c")), modalWith(`"hash":"1"`), []string{"/view: invalid additional property: hash"}},
		{"type modal", modal(divider(0)), `{"type":"modul","title":` + plainJSON("T") + `,"blocks":[]}`, []string{"/view/type: unsupported type: modul"}},
		{
			"submit required with inputs", modal(divider(0), input(text)),
			`{"type":"modal","title":` + plainJSON("T") + `,"blocks":[` + divider(0) + `,` + input(text) + `]}`,
			[]string{"/view/blocks/1/input: must define `submit` to use an `input` block in modals"},
		},
		{"block ids differ", modal(input(text, `,"block_id":"a"`), input(text, `,"block_id":"b"`)), modal(input(text, `,"block_id":"a"`), input(text, `,"block_id":"a"`)), []string{"/view/blocks/1/block_id: block_id already exists"}},
		{"one focus_on_load", modal(input(el("plain_text_input", `"focus_on_load":true`)), input(el("plain_text_input", `"focus_on_load":false`))), modal(input(el("plain_text_input", `"focus_on_load":true`)), input(el("datepicker", `"focus_on_load":true`))), []string{"/view/blocks/1/element/focus_on_load: only one element may set `focus_on_load`"}},
	})
}

func TestCheckView_Placement(t *testing.T) {
	refused := func(typ string) []string { return []string{"/view/blocks/0/type: unsupported type: " + typ} }
	divider := `{"type":"divider"}`
	runEdges(t, CheckView, []edge{
		{"markdown", modal(divider), modal(md(1)), refused("markdown")},
		{"table", modal(divider), modal(`{"type":"table","rows":[[{"type":"raw_text","text":"x"}]]}`), refused("table")},
		{"context_actions", modal(divider), modal(`{"type":"context_actions","elements":[]}`), refused("context_actions")},
		{"task_card", modal(divider), modal(`{"type":"task_card","task_id":"1","title":"t"}`), refused("task_card")},
		{"plan", modal(divider), modal(`{"type":"plan","title":"t"}`), refused("plan")},
		{"file", modal(divider), modal(`{"type":"file","external_id":"1","source":"remote"}`), refused("file")},
		{"container", modal(divider), modal(`{"type":"container","title":` + plainJSON("t") + `,"child_blocks":[` + divider + `]}`), refused("container")},
		{"data_table", modal(divider), modal(`{"type":"data_table"}`), refused("data_table")},
		{"data_visualization", modal(divider), modal(`{"type":"data_visualization"}`), refused("data_visualization")},
		{"card", modal(divider), modal(`{"type":"card","title":` + plainJSON("t") + `}`), refused("card")},
		{"alert in a modal, to 200", modal(`{"type":"alert","text":` + plainJSON(x(200)) + `,"level":"error"}`), modal(`{"type":"alert","text":` + plainJSON(x(201)) + `}`), []string{"/view/blocks/0/text/text: must be less than 201 characters"}},
		{"multi-select in input but not in actions", modal(input(el("multi_static_select", opts(1)))), modal(actions(el("multi_static_select", opts(1)))), []string{"/view/blocks/0: unsupported element: multiselect"}},
		{"file input without dispatch", modal(input(el("file_input"))), modal(input(el("file_input"), `,"dispatch_action":true`)), []string{"/view/blocks/0/element/type: unsupported type: file_input"}},
		{"file input 10 files", modal(input(el("file_input", `"max_files":10`))), modal(input(el("file_input", `"max_files":11`))), []string{"/view/blocks/0/element/max_files: must be less than 11"}},
		{"rich text input needs action_id", modal(input(el("rich_text_input", `"action_id":"a"`))), modal(input(el("rich_text_input"))), []string{"/view/blocks/0/element: missing required field: action_id"}},
	})
}

func TestCheckView_InputBlock(t *testing.T) {
	text := el("plain_text_input")
	labelled := func(label string) string {
		return modal(`{"type":"input","label":` + label + `,"element":` + text + `}`)
	}
	runEdges(t, CheckView, []edge{
		{"label 2000", labelled(plainJSON(x(2000))), labelled(plainJSON(x(2001))), []string{"/view/blocks/0/label/text: must be less than 2001 characters"}},
		{"label plain", labelled(plainJSON("x")), labelled(mrkdwnJSON("x")), []string{"/view/blocks/0/label/type: unsupported type: mrkdwn"}},
		{"hint 2000", modal(input(text, `,"hint":`+plainJSON(x(2000)))), modal(input(text, `,"hint":`+plainJSON(x(2001)))), []string{"/view/blocks/0/hint/text: must be less than 2001 characters"}},
		{"element required", modal(input(text)), modal(`{"type":"input","label":` + plainJSON("L") + `}`), []string{"/view/blocks/0: missing required field: element"}},
		{"optional is a boolean", modal(input(text, `,"optional":true`)), modal(input(text, `,"optional":1`)), []string{"/view/blocks/0/optional: must provide a boolean"}},
	})
}

func TestCheckView_Elements(t *testing.T) {
	ptr := "/view/blocks/0/element"
	in := func(typ string, members ...string) string { return modal(input(el(typ, members...))) }
	num := func(members ...string) string {
		return in("number_input", append([]string{`"is_decimal_allowed":true`}, members...)...)
	}
	whole := func(members ...string) string {
		return in("number_input", append([]string{`"is_decimal_allowed":false`}, members...)...)
	}
	runEdges(t, CheckView, []edge{
		{"placeholder 150", in("plain_text_input", `"placeholder":`+plainJSON(x(150))), in("plain_text_input", `"placeholder":`+plainJSON(x(151))), []string{ptr + "/placeholder/text: must be less than 151 characters"}},
		{"no placeholder on radio buttons", in("radio_buttons", opts(1)), in("radio_buttons", opts(1), `"placeholder":`+plainJSON("p")), []string{ptr + ": invalid additional property: placeholder"}},
		{"no placeholder on checkboxes", in("checkboxes", opts(1)), in("checkboxes", opts(1), `"placeholder":`+plainJSON("p")), []string{ptr + ": invalid additional property: placeholder"}},
		{"no placeholder on datetimepicker", in("datetimepicker"), in("datetimepicker", `"placeholder":`+plainJSON("p")), []string{ptr + ": invalid additional property: placeholder"}},
		{"no placeholder on file input", in("file_input"), in("file_input", `"placeholder":`+plainJSON("p")), []string{ptr + ": invalid additional property: placeholder"}},
		{"max_length 3000", in("plain_text_input", `"max_length":3000`), in("plain_text_input", `"max_length":3001`), []string{ptr + "/max_length: must be less than 3001"}},
		{"max_length 1", in("plain_text_input", `"max_length":1`), in("plain_text_input", `"max_length":0`), []string{ptr + "/max_length: must be greater than 0"}},
		{"min_length 0", in("plain_text_input", `"min_length":0`), in("plain_text_input", `"min_length":-1`), []string{ptr + "/min_length: must be greater than -1"}},
		{"min_length to max_length", in("plain_text_input", `"min_length":5,"max_length":5`), in("plain_text_input", `"min_length":6,"max_length":5`), []string{ptr + "/min_length: must be less than or equal to max_length"}},
		{"initial text 3000", in("plain_text_input", `"initial_value":"`+x(3000)+`"`), in("plain_text_input", `"initial_value":"`+x(3001)+`"`), []string{ptr + "/initial_value: must be less than 3001 characters"}},
		{"initial text within max_length", in("plain_text_input", `"initial_value":"abc","max_length":3`), in("plain_text_input", `"initial_value":"abcd","max_length":3`), []string{ptr + "/initial_value: failed to match schema"}},
		{"initial text not empty", in("plain_text_input", `"initial_value":"x"`), in("plain_text_input", `"initial_value":""`), []string{ptr + "/initial_value: must be more than 0 characters"}},
		{"dispatch config", in("plain_text_input", `"dispatch_action_config":{"trigger_actions_on":["on_enter_pressed"]}`), in("plain_text_input", `"dispatch_action_config":{"trigger_actions_on":["on_blur"]}`), []string{ptr + "/dispatch_action_config/trigger_actions_on/0: must be a valid enum value"}},
		{"is_decimal_allowed required", num(), in("number_input"), []string{ptr + ": missing required field: is_decimal_allowed"}},
		{"number bounds are strings", num(`"min_value":"-10"`), num(`"min_value":-10`), []string{ptr + "/min_value: must provide a string"}},
		{"number bounds are plain decimals", num(`"max_value":"0.25"`), num(`"max_value":"1e3"`), []string{ptr + "/max_value: failed to match schema"}},
		{"min to max", num(`"min_value":"0.5","max_value":"0.50"`), num(`"min_value":"0.51","max_value":"0.5"`), []string{ptr + "/min_value: must be less than or equal to max_value"}},
		{"initial number in range", num(`"max_value":"5","initial_value":"5"`), num(`"max_value":"5","initial_value":"5.1"`), []string{ptr + "/initial_value: failed to match schema"}},
		{"whole numbers only", whole(`"initial_value":"5"`), whole(`"initial_value":"5.5"`), []string{ptr + "/initial_value: failed to match schema"}},
		{"date form", in("datepicker", `"initial_date":"2026-12-01"`), in("datepicker", `"initial_date":"2026-12-1"`), []string{ptr + "/initial_date: failed to match schema"}},
		{"date exists", in("datepicker", `"initial_date":"2028-02-29"`), in("datepicker", `"initial_date":"2026-02-29"`), []string{ptr + "/initial_date: failed to match schema"}},
		{"datepicker has no bounds", in("datepicker"), in("datepicker", `"min_date":"2026-12-01"`), []string{ptr + ": invalid additional property: min_date"}},
		{"time form", in("timepicker", `"initial_time":"23:59"`), in("timepicker", `"initial_time":"24:00"`), []string{ptr + "/initial_time: failed to match schema"}},
		{"time zone", in("timepicker", `"timezone":"Europe/Berlin"`), in("timepicker", `"timezone":"Berlin"`), []string{ptr + "/timezone: failed to match schema"}},
		{"datetime ten digits", in("datetimepicker", `"initial_date_time":1628633820`), in("datetimepicker", `"initial_date_time":1628633820000`), []string{ptr + "/initial_date_time: failed to match schema"}},
		{"datetime is a number", in("datetimepicker", `"initial_date_time":1628633820`), in("datetimepicker", `"initial_date_time":"1628633820"`), []string{ptr + "/initial_date_time: must provide an integer"}},
		{"rich text input lines", in("rich_text_input", `"action_id":"a","max_lines":100`), in("rich_text_input", `"action_id":"a","max_lines":101`), []string{ptr + "/max_lines: must be less than 101"}},
		{"email has no max_length", in("email_text_input", `"initial_value":"a@b.c"`), in("email_text_input", `"max_length":5`), []string{ptr + ": invalid additional property: max_length"}},
	})
}

func TestCheckView_Choices(t *testing.T) {
	ptr := "/view/blocks/0/element"
	in := func(typ string, members ...string) string { return modal(input(el(typ, members...))) }
	one := func(o string) string { return in("static_select", `"options":[`+o+`]`) }
	groups := func(n, size int) string {
		return in("static_select", `"option_groups":[`+many(n, func(i int) string {
			return group("g", many(size, func(j int) string { return option("o", fmt.Sprint(i, "-", j)) }))
		})+`]`)
	}
	initial := "must be one of the provided options"
	runEdges(t, CheckView, []edge{
		{"100 options", in("static_select", opts(100)), in("static_select", opts(101)), []string{ptr + "/options: no more than 100 items allowed"}},
		{"some options", in("static_select", opts(1)), in("static_select", opts(0)), []string{ptr + "/options: must provide at least 1 items"}},
		{"options or groups", in("static_select", opts(1)), in("static_select"), []string{ptr + ": missing required field: options"}},
		{"not both", groups(1, 1), in("static_select", opts(1), `"option_groups":[`+group("g", option("o", "9"))+`]`), []string{ptr + ": must define either `options` or `option_groups`"}},
		{"100 groups", groups(100, 1), groups(101, 1), []string{ptr + "/option_groups: no more than 100 items allowed"}},
		{"100 options in a group", groups(1, 100), groups(1, 101), []string{ptr + "/option_groups/0/options: no more than 100 items allowed"}},
		{"10 radio buttons", in("radio_buttons", opts(10)), in("radio_buttons", opts(11)), []string{ptr + "/options: no more than 10 items allowed"}},
		{"10 checkboxes", in("checkboxes", opts(10)), in("checkboxes", opts(11)), []string{ptr + "/options: no more than 10 items allowed"}},
		{"5 overflow options", modal(actions(el("overflow", opts(5)))), modal(actions(el("overflow", opts(6)))), []string{"/view/blocks/0/elements/0/options: no more than 5 items allowed"}},
		{"option text 75", one(option(x(75), "1")), one(option(x(76), "1")), []string{ptr + "/options/0/text/text: must be less than 76 characters"}},
		{"option value 75", one(option("o", x(75))), one(option("o", x(76))), []string{ptr + "/options/0/value: must be less than 76 characters"}},
		{"option value not empty", one(option("o", "1")), one(option("o", "")), []string{ptr + "/options/0/value: must be more than 0 characters"}},
		{"option description 75", one(option("o", "1", `,"description":`+plainJSON(x(75)))), one(option("o", "1", `,"description":`+plainJSON(x(76)))), []string{ptr + "/options/0/description/text: must be less than 76 characters"}},
		{"option url only in overflow", modal(actions(el("overflow", `"options":[`+option("o", "1", `,"url":"https://a"`)+`]`))), one(option("o", "1", `,"url":"https://a"`)), []string{ptr + "/options/0: invalid additional property: url"}},
		{"option values differ", one(option("a", "1") + "," + option("a", "2")), one(option("a", "1") + "," + option("b", "1")), []string{ptr + "/options/1/value: option value already exists"}},
		{"mrkdwn options for radio but not for selects", in("radio_buttons", `"options":[{"text":`+mrkdwnJSON("x")+`,"value":"1"}]`), one(`{"text":` + mrkdwnJSON("x") + `,"value":"1"}`), []string{ptr + "/options/0/text/type: unsupported type: mrkdwn"}},
		{"initial option is listed", in("static_select", opts(2), `"initial_option":`+opt(1)), in("static_select", opts(2), `"initial_option":`+opt(2)), []string{ptr + "/initial_option: " + initial}},
		{"initial option equal in every field", in("radio_buttons", opts(1), `"initial_option":`+opt(0)), in("radio_buttons", opts(1), `"initial_option":`+option("other", "0")), []string{ptr + "/initial_option: " + initial}},
		{"initial options not empty", in("checkboxes", opts(1), `"initial_options":[`+opt(0)+`]`), in("checkboxes", opts(1), `"initial_options":[]`), []string{ptr + "/initial_options: " + initial}},
		{"initial options of a multi-select", in("multi_static_select", opts(2), `"initial_options":[`+opt(0)+`,`+opt(1)+`]`), in("multi_static_select", opts(2), `"initial_options":[`+opt(0)+`,`+opt(5)+`]`), []string{ptr + "/initial_options: " + initial}},
		{"single select has no initial_options", in("static_select", opts(1)), in("static_select", opts(1), `"initial_options":[`+opt(0)+`]`), []string{ptr + ": invalid additional property: initial_options"}},
		{"max_selected_items 1", in("multi_static_select", opts(1), `"max_selected_items":1`), in("multi_static_select", opts(1), `"max_selected_items":0`), []string{ptr + "/max_selected_items: must be greater than 0"}},
		{"checkboxes have no max_selected_items", in("checkboxes", opts(1)), in("checkboxes", opts(1), `"max_selected_items":1`), []string{ptr + ": invalid additional property: max_selected_items"}},
		{"external select has no options", in("external_select", `"min_query_length":0`), in("external_select", opts(1)), []string{ptr + ": invalid additional property: options"}},
		{"filter include not empty", in("conversations_select", `"filter":{"include":["im"]}`), in("conversations_select", `"filter":{"include":[]}`), []string{ptr + "/filter/include: must provide at least 1 items"}},
		{"response_url only on single selects", in("conversations_select", `"response_url_enabled":true`), in("multi_conversations_select", `"response_url_enabled":true`), []string{ptr + ": invalid additional property: response_url_enabled"}},
	})
}

func TestCheckView_TooLarge(t *testing.T) {
	big := modal(many(100, func(int) string { return section(mrkdwnJSON(x(2500))) }))
	want := []Violation{{"/view", "view_too_large", RuleSize}}
	if diff := cmp.Diff(want, CheckView([]byte(big))); diff != "" {
		t.Errorf("a view of %d bytes (-want +got):\n%s", len(big), diff)
	}
}

func TestCheckHome_TakesNoModalMembers(t *testing.T) {
	runEdges(t, CheckHome, []edge{
		{"no title", `{"type":"home","blocks":[{"type":"divider"}]}`, `{"type":"home","title":` + plainJSON("t") + `,"blocks":[{"type":"divider"}]}`, []string{"/view: invalid additional property: title"}},
		{"no datetimepicker", `{"type":"home","blocks":[` + actions(el("datepicker")) + `]}`, `{"type":"home","blocks":[` + actions(el("datetimepicker")) + `]}`, []string{"/view/blocks/0/elements/0/type: unsupported type: datetimepicker"}},
	})
}

func TestCheckOptions(t *testing.T) {
	groups := func(n int) string {
		return `{"option_groups":[` + many(n, func(i int) string { return group("g", option("o", fmt.Sprint(i))) }) + `]}`
	}
	runEdges(t, CheckOptions, []edge{
		{"100 options", `{` + opts(100) + `}`, `{` + opts(101) + `}`, []string{"/options: no more than 100 items allowed"}},
		{"an empty list but not an empty object", `{"options":[]}`, `{}`, []string{": missing required field: options"}},
		{"100 groups", groups(100), groups(101), []string{"/option_groups: no more than 100 items allowed"}},
		{"values differ", `{` + opts(2) + `}`, `{"options":[` + opt(1) + `,` + opt(1) + `]}`, []string{"/options/1/value: option value already exists"}},
		{"texts 75", `{"options":[` + option(x(75), "1") + `]}`, `{"options":[` + option(x(76), "1") + `]}`, []string{"/options/0/text/text: must be less than 76 characters"}},
		{"an object", `{"options":[]}`, `[]`, []string{": must provide an object"}},
	})
}

// FuzzCheck: whatever arrives, the judge answers.
func FuzzCheck(f *testing.F) {
	f.Add([]byte(modal(input(el("static_select", opts(2), `"initial_option":`+opt(1))))))
	f.Add([]byte(message(actions(button("b")))))
	f.Add([]byte(`{"type":"modal","blocks":[null,1,{"type":7},{"type":"actions","elements":[null,{"action_id":[]}]}]}`))
	f.Add([]byte(`null`))
	f.Fuzz(func(_ *testing.T, raw []byte) {
		CheckMessage(raw)
		CheckView(raw)
		CheckHome(raw)
		CheckOptions(raw)
	})
}
