package slackrules

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCheckMessage_LengthsAndCounts(t *testing.T) {
	divider := func(int) string { return `{"type":"divider"}` }
	image := func(alt, url int) string {
		return fmt.Sprintf(`{"type":"image","alt_text":%q,"image_url":%q}`, x(alt), x(url))
	}
	runEdges(t, CheckMessage, []edge{
		{"50 blocks", message(many(50, divider)), message(many(51, divider)), []string{"/blocks: no more than 50 items allowed"}},
		{"section text 3000", message(section(mrkdwnJSON(x(3000)))), message(section(mrkdwnJSON(x(3001)))), []string{"/blocks/0/text/text: must be less than 3001 characters"}},
		{"section text not empty", message(section(plainJSON("x"))), message(section(plainJSON(""))), []string{"/blocks/0/text/text: must be more than 0 characters"}},
		{"plain text counts escaped", message(section(plainJSON(x(2995) + "&"))), message(section(plainJSON(x(2996) + "&"))), []string{"/blocks/0/text/text: must be less than 3001 characters"}},
		{"text counts UTF-16 units", message(section(mrkdwnJSON(strings.Repeat("😀", 1500)))), message(section(mrkdwnJSON(strings.Repeat("😀", 1500) + "x"))), []string{"/blocks/0/text/text: must be less than 3001 characters"}},
		{"10 fields", message(`{"type":"section","fields":[` + many(10, func(int) string { return plainJSON("f") }) + `]}`), message(`{"type":"section","fields":[` + many(11, func(int) string { return plainJSON("f") }) + `]}`), []string{"/blocks/0/fields: no more than 10 items allowed"}},
		{"fields of 2000", message(`{"type":"section","fields":[` + plainJSON(x(2000)) + `]}`), message(`{"type":"section","fields":[` + plainJSON(x(2001)) + `]}`), []string{"/blocks/0/fields/0/text: must be less than 2001 characters"}},
		{"section needs text or fields", message(section(plainJSON("x"))), message(`{"type":"section"}`), []string{"/blocks/0: must define either `text` or `fields`"}},
		{"header 150", message(`{"type":"header","text":` + plainJSON(x(150)) + `}`), message(`{"type":"header","text":` + plainJSON(x(151)) + `}`), []string{"/blocks/0/text/text: must be less than 151 characters"}},
		{"header is plain text", message(`{"type":"header","text":` + plainJSON("x") + `}`), message(`{"type":"header","text":` + mrkdwnJSON("x") + `}`), []string{"/blocks/0/text/type: unsupported type: mrkdwn"}},
		{"10 context elements", message(`{"type":"context","elements":[` + many(10, func(int) string { return plainJSON("c") }) + `]}`), message(`{"type":"context","elements":[` + many(11, func(int) string { return plainJSON("c") }) + `]}`), []string{"/blocks/0/elements: no more than 10 items allowed"}},
		{"25 actions", message(actions(many(25, func(int) string { return button("b") }))), message(actions(many(26, func(int) string { return button("b") }))), []string{"/blocks/0/elements: no more than 25 items allowed"}},
		{"actions not empty", message(actions(button("b"))), message(actions()), []string{"/blocks/0/elements: must provide at least 1 items"}},
		{"image url 3000", message(image(1, 3000)), message(image(1, 3001)), []string{"/blocks/0/image_url: must be less than 3001 characters"}},
		{"image alt 2000", message(image(2000, 1)), message(image(2001, 1)), []string{"/blocks/0/alt_text: must be less than 2001 characters"}},
		{"block id 255", message(`{"type":"divider","block_id":"` + x(255) + `"}`), message(`{"type":"divider","block_id":"` + x(256) + `"}`), []string{"/blocks/0/block_id: must be less than 256 characters"}},
		{"action id 255", message(actions(button("b", `"action_id":"`+x(255)+`"`))), message(actions(button("b", `"action_id":"`+x(256)+`"`))), []string{"/blocks/0/elements/0/action_id: must be less than 256 characters"}},
		{"100 attachments", `{"attachments":[` + many(100, func(int) string { return "{}" }) + `]}`, `{"attachments":[` + many(101, func(int) string { return "{}" }) + `]}`, []string{"/attachments: no more than 100 items allowed"}},
		{"markdown_text 12000", `{"markdown_text":"` + x(12000) + `"}`, `{"markdown_text":"` + x(12001) + `"}`, []string{"/markdown_text: must be less than 12001 characters"}},
		{"markdown blocks together", message(md(6000), md(6000)), message(md(6000), md(6001)), []string{"/blocks/1/text: must be less than 12001 characters"}},
	})
}

func md(n int) string { return `{"type":"markdown","text":"` + x(n) + `"}` }

func TestCheckMessage_Buttons(t *testing.T) {
	with := func(member string) string { return message(actions(button("b", member))) }
	dialog := func(title, text, ok, no int, more string) string {
		return with(`"confirm":{"title":` + plainJSON(x(title)) + `,"text":` + plainJSON(x(text)) + `,"confirm":` + plainJSON(x(ok)) + `,"deny":` + plainJSON(x(no)) + more + `}`)
	}
	ptr := "/blocks/0/elements/0"
	runEdges(t, CheckMessage, []edge{
		{"text 75", message(actions(button(x(75)))), message(actions(button(x(76)))), []string{ptr + "/text/text: must be less than 76 characters"}},
		{"text required", message(actions(button("b"))), message(actions(el("button"))), []string{ptr + ": missing required field: text"}},
		{"value 2000", with(`"value":"` + x(2000) + `"`), with(`"value":"` + x(2001) + `"`), []string{ptr + "/value: must be less than 2001 characters"}},
		{"value is a string", with(`"value":"1"`), with(`"value":1`), []string{ptr + "/value: must provide a string"}},
		{"url 3000", with(`"url":"` + x(3000) + `"`), with(`"url":"` + x(3001) + `"`), []string{ptr + "/url: must be less than 3001 characters"}},
		{"accessibility label 75", with(`"accessibility_label":"` + x(75) + `"`), with(`"accessibility_label":"` + x(76) + `"`), []string{ptr + "/accessibility_label: must be less than 76 characters"}},
		{"style danger but not default", with(`"style":"danger"`), with(`"style":"default"`), []string{ptr + "/style: must be a valid enum value"}},
		{"no disabled button", with(`"style":"primary"`), with(`"disabled":true`), []string{ptr + ": invalid additional property: disabled"}},
		{"confirm title 100", dialog(100, 1, 1, 1, ""), dialog(101, 1, 1, 1, ""), []string{ptr + "/confirm/title/text: must be less than 101 characters"}},
		{"confirm text 300", dialog(1, 300, 1, 1, ""), dialog(1, 301, 1, 1, ""), []string{ptr + "/confirm/text/text: must be less than 301 characters"}},
		{"confirm buttons 30", dialog(1, 1, 30, 30, ""), dialog(1, 1, 31, 31, ""), []string{ptr + "/confirm/confirm/text: must be less than 31 characters", ptr + "/confirm/deny/text: must be less than 31 characters"}},
		{"confirm style", dialog(1, 1, 1, 1, `,"style":"danger"`), dialog(1, 1, 1, 1, `,"style":"warning"`), []string{ptr + "/confirm/style: must be a valid enum value"}},
		{"confirm has no type", dialog(1, 1, 1, 1, ""), dialog(1, 1, 1, 1, `,"type":"confirm"`), []string{ptr + "/confirm: invalid additional property: type"}},
		{"action ids differ in a block", message(actions(button("a", `"action_id":"1"`), button("b", `"action_id":"2"`))), message(actions(button("a", `"action_id":"1"`), button("b", `"action_id":"1"`))), []string{"/blocks/0/elements/1/action_id: action_id already exists"}},
		{"action ids may repeat across blocks", message(actions(button("a", `"action_id":"1"`)), actions(button("b", `"action_id":"1"`))), message(actions(button("a", `"action_id":""`))), []string{ptr + "/action_id: must be more than 0 characters"}},
		{"block ids differ in a message", message(`{"type":"divider","block_id":"a"}`, `{"type":"divider","block_id":"b"}`), message(`{"type":"divider","block_id":"a"}`, `{"type":"divider","block_id":"a"}`), []string{"/blocks/1/block_id: block_id already exists"}},
	})
}

func TestCheckMessage_Placement(t *testing.T) {
	multi := el("multi_static_select", opts(2))
	refused := func(typ string) []string { return []string{"/blocks/0/elements/0/type: unsupported type: " + typ} }
	noInput := func(typ string) []string { return []string{"/blocks/0/element/type: unsupported type: " + typ} }
	radio := el("radio_buttons", opts(2))
	runEdges(t, CheckMessage, []edge{
		{"multi-select in a section but not in actions", message(accessory(multi)), message(actions(multi)), []string{"/blocks/0: unsupported element: multiselect"}},
		{"text input in input but not in actions", message(input(el("plain_text_input"))), message(actions(el("plain_text_input"))), refused("plain_text_input")},
		{"number input not in actions", message(actions(radio)), message(actions(el("number_input", `"is_decimal_allowed":true`))), refused("number_input")},
		{"number input not in a message", message(input(radio)), message(input(el("number_input", `"is_decimal_allowed":true`))), noInput("number_input")},
		{"file input not in a message", message(input(radio)), message(input(el("file_input"))), noInput("file_input")},
		{"rich text input not in a message", message(input(radio)), message(input(el("rich_text_input", `"action_id":"a"`))), noInput("rich_text_input")},
		{"email input not in a message", message(input(radio)), message(input(el("email_text_input"))), noInput("email_text_input")},
		{"url input not in a message", message(input(radio)), message(input(el("url_text_input"))), noInput("url_text_input")},
		{"button not in input", message(actions(button("b"))), message(input(button("b"))), noInput("button")},
		{"overflow not in input", message(actions(el("overflow", opts(1)))), message(input(el("overflow", opts(1)))), noInput("overflow")},
		{"datetimepicker in actions but not in a section", message(actions(el("datetimepicker"))), message(accessory(el("datetimepicker"))), []string{"/blocks/0/accessory/type: unsupported type: datetimepicker"}},
		{"alert not in a message", message(section(plainJSON("x"))), message(`{"type":"alert","text":` + plainJSON("x") + `}`), []string{"/blocks/0/type: unsupported type: alert"}},
		{"unknown block", message(`{"type":"divider"}`), message(`{"type":"divide"}`), []string{"/blocks/0/type: unsupported type: divide"}},
		{"unknown property of a block", message(`{"type":"divider"}`), message(`{"type":"divider","text":"x"}`), []string{"/blocks/0: invalid additional property: text"}},
		{"text is an object", message(section(plainJSON("x"))), message(section(`"x"`)), []string{"/blocks/0/text: must provide an object"}},
		{"emoji only on plain text", message(section(`{"type":"plain_text","text":"x","emoji":false}`)), message(section(`{"type":"mrkdwn","text":"x","emoji":false}`)), []string{"/blocks/0/text: invalid additional property: emoji"}},
		{"verbatim only on mrkdwn", message(section(`{"type":"mrkdwn","text":"x","verbatim":true}`)), message(section(`{"type":"plain_text","text":"x","verbatim":true}`)), []string{"/blocks/0/text: invalid additional property: verbatim"}},
		{"icon button needs text", message(`{"type":"context_actions","elements":[` + el("icon_button", `"icon":"trash"`, `"text":`+plainJSON("x")) + `]}`), message(`{"type":"context_actions","elements":[` + el("icon_button", `"icon":"trash"`) + `]}`), []string{"/blocks/0/elements/0: missing required field: text"}},
		{"one source for an image", message(`{"type":"image","alt_text":"a","slack_file":{"id":"F1"}}`), message(`{"type":"image","alt_text":"a","image_url":"u","slack_file":{"id":"F1"}}`), []string{"/blocks/0: must define either `image_url` or `slack_file`"}},
	})
}

func TestCheckMessage_WholePayload(t *testing.T) {
	runEdges(t, CheckMessage, []edge{
		{"something to show", `{"text":"x"}`, `{"text":"","blocks":[]}`, []string{": no_text"}},
		{"blocks are an array", `{"text":"x","blocks":[]}`, `{"text":"x","blocks":{}}`, []string{"/blocks: must provide an array of blocks"}},
		{"blocks are objects", message(`{"type":"divider"}`), `{"text":"x","blocks":["divider"]}`, []string{"/blocks: must provide an array of blocks"}},
		{"markdown_text excludes text", `{"markdown_text":"x"}`, `{"markdown_text":"x","text":"y"}`, []string{"/markdown_text: markdown_text_conflict"}},
		{"the argument is an object", `{"text":"x"}`, `[]`, []string{": must provide an object"}},
	})
	t.Run("not JSON", func(t *testing.T) {
		got := CheckMessage([]byte(`{"text":`))
		if len(got) != 1 || got[0].Rule != RuleFormat {
			t.Errorf("got %v, want one violation of %q", got, RuleFormat)
		}
	})
	t.Run("blocks too long together", func(t *testing.T) {
		got := CheckMessage([]byte(message(many(34, func(int) string { return section(mrkdwnJSON(x(3000))) }))))
		want := []Violation{{"/blocks", "msg_blocks_too_long", RuleSize}}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("violations (-want +got):\n%s", diff)
		}
	})
}

func TestCheckMessage_ListsEveryFault(t *testing.T) {
	got := listed(CheckMessage([]byte(message(`{"type":"header","text":`+plainJSON(x(151))+`}`, actions()))))
	want := []string{
		"/blocks/0/text/text: must be less than 151 characters",
		"/blocks/1/elements: must provide at least 1 items",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("violations (-want +got):\n%s", diff)
	}
}

func TestViolation_StringIsSlacksForm(t *testing.T) {
	v := CheckView([]byte(modalWith(`"close":` + plainJSON(x(25)))))[0]
	if got, want := v.String(), "[ERROR] must be less than 25 characters [json-pointer:/view/close/text]"; got != want {
		t.Errorf("String() = %q, want %q", got, want)
	}
}

func TestCheckMessage_RichText(t *testing.T) {
	rich := func(elements string) string { return message(`{"type":"rich_text","elements":[` + elements + `]}`) }
	sectionOf := func(inline string) string {
		return rich(`{"type":"rich_text_section","elements":[` + inline + `]}`)
	}
	ptr := "/blocks/0/elements/0"
	runEdges(t, CheckMessage, []edge{
		{"styles of text", sectionOf(`{"type":"text","text":"x","style":{"bold":true,"code":true}}`), sectionOf(`{"type":"text","text":"x","style":{"blink":true}}`), []string{ptr + "/elements/0/style: invalid additional property: blink"}},
		{"text not empty", sectionOf(`{"type":"text","text":"x"}`), sectionOf(`{"type":"text","text":""}`), []string{ptr + "/elements/0/text: must be more than 0 characters"}},
		{"user has an id", sectionOf(`{"type":"user","user_id":"U1"}`), sectionOf(`{"type":"user","id":"U1"}`), []string{ptr + "/elements/0: missing required field: user_id", ptr + "/elements/0: invalid additional property: id"}},
		{"date needs a format", sectionOf(`{"type":"date","timestamp":1720710212,"format":"{time}"}`), sectionOf(`{"type":"date","timestamp":1720710212}`), []string{ptr + "/elements/0: missing required field: format"}},
		{"broadcast range", sectionOf(`{"type":"broadcast","range":"here"}`), sectionOf(`{"type":"broadcast","range":"all"}`), []string{ptr + "/elements/0/range: must be a valid enum value"}},
		{"no mention in preformatted", rich(`{"type":"rich_text_preformatted","elements":[{"type":"text","text":"x"}]}`), rich(`{"type":"rich_text_preformatted","elements":[{"type":"user","user_id":"U1"}]}`), []string{ptr + "/elements/0/type: unsupported type: user"}},
		{"list of sections", rich(`{"type":"rich_text_list","style":"bullet","elements":[{"type":"rich_text_section","elements":[{"type":"text","text":"x"}]}]}`), rich(`{"type":"rich_text_list","style":"bullet","elements":[{"type":"text","text":"x"}]}`), []string{ptr + "/elements/0/type: unsupported type: text"}},
		{"inline only inside a section", sectionOf(`{"type":"emoji","name":"wave"}`), rich(`{"type":"text","text":"x"}`), []string{ptr + "/type: unsupported type: text"}},
		{"some element", sectionOf(`{"type":"link","url":"https://a"}`), rich(``), []string{"/blocks/0/elements: must provide at least 1 items"}},
	})
}

func TestCheckMessage_NewerBlocks(t *testing.T) {
	row := func(cells string) string { return "[" + cells + "]" }
	raw := func(text string) string { return `{"type":"raw_text","text":"` + text + `"}` }
	table := func(rows string) string { return message(`{"type":"table","rows":[` + rows + `]}`) }
	data := func(rows string) string {
		return message(`{"type":"data_table","caption":"c","rows":[` + rows + `]}`)
	}
	card := func(members string) string {
		return message(`{"type":"card","title":` + plainJSON("t") + members + `}`)
	}
	container := func(children string) string {
		return message(`{"type":"container","title":` + plainJSON("t") + `,"child_blocks":[` + children + `]}`)
	}
	ones := func(int) string { return row(raw("x")) }
	cells := func(int) string { return raw("x") }
	pie := func(n int) string {
		return message(`{"type":"data_visualization","title":"t","chart":{"type":"pie","segments":[` + many(n, func(int) string { return `{"label":"l","value":1}` }) + `]}}`)
	}
	divider := func(int) string { return `{"type":"divider"}` }
	runEdges(t, CheckMessage, []edge{
		{"table 100 rows", table(many(100, ones)), table(many(101, ones)), []string{"/blocks/0/rows: no more than 100 items allowed"}},
		{"table 20 columns", table(row(many(20, cells))), table(row(many(21, cells))), []string{"/blocks/0/rows/0: no more than 20 items allowed"}},
		{"table 10000 characters", table(many(5, func(int) string { return row(raw(x(2000))) })), table(many(5, func(int) string { return row(raw(x(2000))) }) + "," + ones(0)), []string{"/blocks/0/rows: must be less than 10001 characters"}},
		{"data table 2 rows", data(many(2, ones)), data(ones(0)), []string{"/blocks/0/rows: must provide at least 2 items"}},
		{"data table 201 rows", data(many(201, ones)), data(many(202, ones)), []string{"/blocks/0/rows: no more than 201 items allowed"}},
		{"data table cells not empty", data(many(2, ones)), data(ones(0) + "," + row(raw(""))), []string{"/blocks/0/rows/1/0/text: must be more than 0 characters"}},
		{"card 3 buttons", card(`,"actions":[` + many(3, func(int) string { return button("b") }) + `]`), card(`,"actions":[` + many(4, func(int) string { return button("b") }) + `]`), []string{"/blocks/0/actions: no more than 3 items allowed"}},
		{"card body 200", card(`,"body":` + mrkdwnJSON(x(200))), card(`,"body":` + mrkdwnJSON(x(201))), []string{"/blocks/0/body/text: must be less than 201 characters"}},
		{"container 10 children", container(many(10, divider)), container(many(11, divider)), []string{"/blocks/0/child_blocks: no more than 10 items allowed"}},
		{"container takes no markdown", container(divider(0)), container(md(1)), []string{"/blocks/0/child_blocks/0/type: unsupported type: markdown"}},
		{"task title is a string", message(`{"type":"task_card","task_id":"1","title":"t"}`), message(`{"type":"task_card","task_id":"1","title":` + plainJSON("t") + `}`), []string{"/blocks/0/title: must provide a string"}},
		{"pie 6 segments", pie(6), pie(7), []string{"/blocks/0/chart/segments: no more than 6 items allowed"}},
	})
}
