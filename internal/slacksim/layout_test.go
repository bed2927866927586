package slacksim_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slackbridge/slackbridge/internal/slacksim"
)

type (
	run       = slacksim.Run
	paragraph = slacksim.Paragraph
)

func TestLayout_MrkdwnKeepsItsStyles(t *testing.T) {
	a := newApp(t, quiet(t))
	for text, want := range map[string][]paragraph{
		"a *bold* _it_ ~no~ `co*de*`": {{Runs: []run{
			{Text: "a "}, {Text: "bold", Bold: true}, {Text: " "}, {Text: "it", Italic: true}, {Text: " "},
			{Text: "no", Strike: true}, {Text: " "}, {Text: "co*de*", Code: true},
		}}},
		"*both _at_ once*": {{Runs: []run{{Text: "both ", Bold: true}, {Text: "at", Bold: true, Italic: true}, {Text: " once", Bold: true}}}},
		"hi <@U_ANN>, see <https://a.example|there> in <#C_RANDOM>": {{Runs: []run{
			{Text: "hi "}, {Text: "@Ann", Mention: true}, {Text: ", see "}, {Text: "there", Link: "https://a.example"},
			{Text: " in "}, {Text: "#random", Mention: true},
		}}},
		"said:\n&gt;one\n>two\nend": {
			{Runs: []run{{Text: "said:"}}}, {Style: "quote", Runs: []run{{Text: "one\ntwo"}}}, {Runs: []run{{Text: "end"}}},
		},
		"log:\n```x\ny```\nend": {
			{Runs: []run{{Text: "log:"}}}, {Style: "preformatted", Runs: []run{{Text: "x\ny", Code: true}}}, {Runs: []run{{Text: "end"}}},
		},
		"&lt;b&gt; 2 * 3 * 4 a_b_c": {{Runs: []run{{Text: "<b> 2 * 3 * 4 a_b_c"}}}},
	} {
		m := shown(t, a, "U_ANN", object{"type": "section", "text": mrkdwn(text)})
		if diff := cmp.Diff([]slacksim.Block{{Type: "section", Paragraphs: want}}, m.Layout); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
}

func TestLayout_BlocksKeepTheirOrderAndKind(t *testing.T) {
	a := newApp(t, quiet(t))
	words := func(s string) []any { return []any{object{"type": "text", "text": s}} }
	m := shown(t, a, "U_ANN",
		object{"type": "header", "text": plain("Title")},
		actions(button("Go", "g")),
		object{"type": "divider"},
		object{"type": "context", "elements": []any{mrkdwn("*small*"), plain("print")}},
		object{"type": "rich_text", "elements": []any{
			object{"type": "rich_text_section", "elements": []any{
				object{"type": "text", "text": "run", "style": object{"bold": true}},
				object{"type": "user", "user_id": "U_ANN"},
				object{"type": "link", "url": "https://a.example/"},
			}},
			object{"type": "rich_text_quote", "elements": words("as said")},
			object{"type": "rich_text_list", "style": "bullet", "elements": []any{object{"type": "rich_text_section", "elements": words("one")}}},
			object{"type": "rich_text_preformatted", "elements": words("a <b>")},
		}},
	)
	want := []slacksim.Block{
		{Type: "header", Paragraphs: []paragraph{{Style: "heading", Runs: []run{{Text: "Title"}}}}},
		{Type: "actions", Buttons: []slacksim.Button{{Label: "Go"}}},
		{Type: "divider"},
		{Type: "context", Paragraphs: []paragraph{{Style: "context", Runs: []run{{Text: "small", Bold: true}, {Text: " "}, {Text: "print"}}}}},
		{Type: "rich_text", Paragraphs: []paragraph{
			{Runs: []run{{Text: "run", Bold: true}, {Text: "@Ann", Mention: true}, {Text: "https://a.example/", Link: "https://a.example/"}}},
			{Style: "quote", Runs: []run{{Text: "as said"}}},
			{Style: "item", Runs: []run{{Text: "one"}}},
			{Style: "preformatted", Runs: []run{{Text: "a <b>"}}},
		}},
	}
	if diff := cmp.Diff(want, m.Layout); diff != "" {
		t.Errorf("layout (-want +got):\n%s", diff)
	}
}

func TestLayout_AMessageWithoutBlocksIsItsText(t *testing.T) {
	a := newApp(t, quiet(t))
	a.postText(object{"text": "hello *you*"})
	got := a.sim.Person("U_ANN").Messages("C_DEPLOYS")
	want := []slacksim.Block{{Type: "section", Paragraphs: []paragraph{{Runs: []run{{Text: "hello "}, {Text: "you", Bold: true}}}}}}
	if diff := cmp.Diff(want, got[len(got)-1].Layout); diff != "" {
		t.Errorf("layout (-want +got):\n%s", diff)
	}
}
