package slacksim_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slackbridge/slackbridge/internal/slacksim"
)

func TestMessage_DateFormats(t *testing.T) {
	now := newClock() // 2026-12-01 15:30 for Ann
	a := newApp(t, start(t, slacksim.Options{Now: now.Now, MessageInterval: -1}))
	for _, c := range []struct{ token, want string }{
		{"<!date^1796135640^{date}|f>", "December 1st, 2026"},
		{"<!date^1796222040^{date}|f>", "December 2nd, 2026"},
		{"<!date^1796308440^{date}|f>", "December 3rd, 2026"},
		{"<!date^1796999640^{date}|f>", "December 11th, 2026"},
		{"<!date^1796135640^{date_slash}|f>", "12/01/2026"},
		{"<!date^1796135640^{date_long}|f>", "Tuesday, December 1st, 2026"},
		{"<!date^1796222040^{date_short_pretty}|f>", "tomorrow"},
		{"<!date^1796049240^{date_short_pretty}|f>", "yesterday"},
		{"<!date^1796308440^{date_short_pretty} at {time_secs}|f>", "Dec 3, 2026 at 3:34:00 PM"},
		{"<!date^1796135400^{ago}|f>", "in 0 seconds"},
		{"<!date^1796128200^{ago}|f>", "2 hours ago"},
		{"<!date^1796394600^{ago}|f>", "in 3 days"},
		{"<!date^1796135640^until {time}^https://acme.example|f>", "until 3:34 PM"},
		{"<!date^1796135640^no token|f>", "f"},
		{"<!date^1796135640^{time}>", ""}, // the fallback is mandatory
	} {
		if got := shown(t, a, "U_ANN", section("x "+c.token)).Text; got != "x "+c.want {
			t.Errorf("%s is shown as %q, want %q", c.token, got, "x "+c.want)
		}
	}
}

func TestMessage_RichTextAndRarerBlocks(t *testing.T) {
	a := newApp(t, quiet(t))
	line := func(elements ...any) object { return object{"type": "rich_text_section", "elements": elements} }
	m := shown(t, a, "U_ANN",
		object{"type": "rich_text", "elements": []any{line(
			object{"type": "text", "text": "see "},
			object{"type": "link", "url": "https://a.example", "text": "this"},
			object{"type": "link", "url": "https://b.example"},
			object{"type": "usergroup", "usergroup_id": "S_SRE"},
			object{"type": "channel", "channel_id": "C_RANDOM"},
			object{"type": "emoji", "name": "eyes"},
			object{"type": "emoji", "name": "custom"},
			object{"type": "date", "timestamp": 1796135640, "format": "{time}"},
			object{"type": "date", "timestamp": 1796135640, "format": "{odd}", "fallback": "then"},
			object{"type": "color", "value": "#ff0000"},
		)}},
		object{"type": "image", "image_url": "https://a.example/i.png", "alt_text": "a chart", "title": plain("Load")},
		object{"type": "table", "rows": []any{[]any{object{"type": "raw_text", "text": "cell"}}}},
		object{"type": "card", "title": plain("Card"), "body": mrkdwn("*body*")},
		object{"type": "container", "title": plain("Box"), "child_blocks": []any{section("inside")}},
	)
	want := "see thishttps://b.example@sre#random👀:custom:3:34 PMthen#ff0000\nLoad a chart\ncell\nbody\nCard\nBox\ninside"
	if diff := cmp.Diff(want, m.Text); diff != "" {
		t.Errorf("text (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"https://a.example", "https://b.example"}, m.Links); diff != "" {
		t.Errorf("links (-want +got):\n%s", diff)
	}
}

func TestFill_DispatchesTextOnlyPerCharacter(t *testing.T) {
	a := connected(t, quiet(t))
	ann := a.sim.Person("U_ANN")
	config := func(on string) any { return object{"trigger_actions_on": []any{on}} }
	a.open(modal(
		input("On enter", text("dispatch_action_config", config("on_enter_pressed")), "dispatch_action", true),
		input("On typing", text("dispatch_action_config", config("on_character_entered")), "dispatch_action", true),
		object{"type": "section", "text": plain("Beside"), "accessory": object{"type": "datepicker", "action_id": "d"}},
	))
	fill(t, ann, "On enter", "x")
	fill(t, ann, "On typing", "y")
	fill(t, ann, "Beside", "2026-12-01")
	got := a.payloads("block_actions")
	if len(got) != 2 || dig(got[0], "actions", 0, "value") != "y" || dig(got[1], "actions", 0, "selected_date") != "2026-12-01" {
		t.Errorf("dispatched %v, want the typing and the picker outside of an input block", got)
	}
}

func TestFill_GroupsChannelsAndUnixSeconds(t *testing.T) {
	a := connected(t, quiet(t))
	ann := a.sim.Person("U_ANN")
	group := func(label, name, value string) object {
		return object{"label": plain(label), "options": []any{option(name, value)}}
	}
	a.open(modal(
		input("Grouped", object{"type": "static_select", "option_groups": []any{group("G1", "A", "1"), group("G2", "B", "2")}}),
		input("Twice", object{"type": "static_select", "options": []any{option("Same", "1"), option("Same", "2")}}),
		input("Public", object{"type": "channels_select"}),
		input("Any", object{"type": "multi_conversations_select"}),
		input("Moment", object{"type": "datetimepicker"}),
		input("Found", object{"type": "multi_external_select", "min_query_length": 0}),
	))
	fill(t, ann, "Grouped", "B")
	fill(t, ann, "Public", "#deploys")
	fill(t, ann, "Any", "#secret", "#deploys")
	fill(t, ann, "Moment", "1796133840")
	for label, value := range map[string]string{"Twice": "Same", "Public": "#secret", "Moment": "tomorrow"} {
		if err := ann.Fill(label, value); err == nil {
			t.Errorf("Fill(%q, %q) succeeded", label, value)
		}
	}
	a.acks("block_suggestion", object{"option_groups": []any{group("G", "Hit", "h")}})
	for range 2 { // an option that is both chosen and found is one option
		if _, err := ann.Search(testContext(t), "Found", ""); err != nil {
			t.Fatal(err)
		}
		fill(t, ann, "Found", "Hit")
	}
	m, _ := ann.Modal()
	var got []string
	for _, f := range m.Fields {
		got = append(got, f.Value)
	}
	if diff := cmp.Diff([]string{"B", "", "#deploys", "#secret, #deploys", "2026-12-01 15:04", "Hit"}, got); diff != "" {
		t.Errorf("values (-want +got):\n%s", diff)
	}
}

func TestViewsUpdate_OtherTypeUnderTheSameIDsStartsAfresh(t *testing.T) {
	a := connected(t, quiet(t))
	ann := a.sim.Person("U_ANN")
	v := a.open(modal(input("Name", text())))
	fill(t, ann, "Name", "typed")
	a.must("views.update", object{"view_id": v["id"], "view": modal(input("Name", object{"type": "datepicker", "initial_date": "2026-12-01"}))})
	if m, _ := ann.Modal(); m.Fields[0].Value != "2026-12-01" {
		t.Errorf("the picker holds %q", m.Fields[0].Value)
	}
}

func TestConversations_GroupsAndPrivateOnes(t *testing.T) {
	a := newApp(t, quiet(t))
	g := dig(a.must("conversations.open", object{"users": []any{"U_ANN", "U_BOB"}}), "channel", "id")
	if c := a.must("conversations.info", object{"channel": g, "include_num_members": true})["channel"]; dig(c, "is_mpim") != true || dig(c, "num_members") != 3.0 {
		t.Errorf("conversations.info of a group = %v", c)
	}
	dm := a.sim.Person("U_CARA").DM()
	if c := a.must("conversations.info", object{"channel": dm})["channel"]; dig(c, "is_im") != true || dig(c, "user") != "U_CARA" {
		t.Errorf("conversations.info of a DM = %v", c)
	}
	if got := len(a.sim.Workspace().Channels); got != len(slacksim.DefaultWorkspace().Channels)+2 {
		t.Errorf("%d conversations, want the group and the DM besides the default ones", got)
	}
}
