package slacksim_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/slackbridge/slackbridge/internal/slacksim"
)

func TestTrigger_OneUseWithinThreeSeconds(t *testing.T) {
	now := newClock()
	a := connected(t, start(t, slacksim.Options{Now: now.Now}))
	view := modal(section("x"))
	a.refused("invalid_trigger_id", "views.open", object{"trigger_id": "made.up", "view": view})
	a.refused("invalid_arguments", "views.open", object{"view": view})

	used := a.trigger()
	now.advance(3 * time.Second)
	a.must("views.open", object{"trigger_id": used, "view": view})
	a.refused("exchanged_trigger_id", "views.open", object{"trigger_id": used, "view": view})

	late := a.trigger()
	now.advance(3*time.Second + time.Millisecond)
	a.refused("expired_trigger_id", "views.open", object{"trigger_id": late, "view": view})
}

func TestViewsOpen_BadViewIsAnArgumentError(t *testing.T) {
	a := connected(t, quiet(t))
	trigger := a.trigger()
	r := a.refused("invalid_arguments", "views.open", object{"trigger_id": trigger, "view": with(modal(section("x")), "title", plain(strings.Repeat("x", 25)))})
	want := []any{"[ERROR] must be less than 25 characters [json-pointer:/view/title/text]"}
	if diff := cmp.Diff(want, dig(r, "response_metadata", "messages")); diff != "" {
		t.Errorf("messages (-want +got):\n%s", diff)
	}
	// A view that came in a payload cannot be sent back as it is.
	inbound := a.open(modal(section("x")))
	r = a.refused("invalid_arguments", "views.update", object{"view_id": inbound["id"], "view": inbound})
	if got := dig(r, "response_metadata", "messages", 0); got != "[ERROR] failed to match all allowed schemas [json-pointer:/view]" {
		t.Errorf("the first message is %v", got)
	}
	a.refused("view_too_large", "views.open", object{"trigger_id": trigger, "view": modal(hundred()...)})
}

// hundred is a view's worth of the longest sections.
func hundred() []any {
	var out []any
	for range 100 {
		out = append(out, section(strings.Repeat("x", 2600)))
	}
	return out
}

func TestViewsPush_DepthThreeAndOnlyFromInside(t *testing.T) {
	s := quiet(t)
	a := connected(t, s)
	ann := s.Person("U_ANN")
	view := modal(actions(button("Deeper", "deeper")))
	a.refused("invalid_trigger_id", "views.push", object{"trigger_id": a.trigger(), "view": view})
	a.open(view)
	inside := func() any {
		t.Helper()
		if err := ann.PressInModal(testContext(t), "Deeper"); err != nil {
			t.Fatal(err)
		}
		return a.last("block_actions")["trigger_id"]
	}
	a.must("views.push", object{"trigger_id": inside(), "view": view})
	third, _ := a.must("views.push", object{"trigger_id": inside(), "view": view})["view"].(object)
	if m, _ := ann.Modal(); m.Depth != 3 || third["previous_view_id"] == nil || third["root_view_id"] == third["id"] {
		t.Errorf("the third view: depth %d, %v", m.Depth, third)
	}
	a.refused("push_limit_reached", "views.push", object{"trigger_id": inside(), "view": view})
	last := inside()
	ann.KillApp()
	a.refused("not_found", "views.push", object{"trigger_id": last, "view": view})
}

func TestViewsUpdate_HashAndClosedViews(t *testing.T) {
	a := connected(t, quiet(t))
	v := a.open(modal(section("one")))
	a.must("views.update", object{"view_id": v["id"], "hash": v["hash"], "view": modal(section("two"))})
	a.refused("hash_conflict", "views.update", object{"view_id": v["id"], "hash": v["hash"], "view": modal(section("three"))})
	a.must("views.update", object{"view_id": v["id"], "view": modal(section("four"))})
	ann := a.sim.Person("U_ANN")
	if m, _ := ann.Modal(); m.Text != "four" {
		t.Errorf("the modal reads %q, want %q", m.Text, "four")
	}
	if err := ann.CloseModal(testContext(t)); err != nil {
		t.Fatal(err)
	}
	a.refused("not_found", "views.update", object{"view_id": v["id"], "view": modal(section("five"))})
	a.refused("invalid_arguments", "views.update", object{"view": modal(section("five"))})
}

func TestExternalID_UniqueInTheTeamWhileOpen(t *testing.T) {
	a := connected(t, quiet(t))
	view := with(modal(section("x")), "external_id", "e1")
	a.open(view)
	a.refused("duplicate_external_id", "views.open", object{"trigger_id": a.triggerOf("U_BOB"), "view": view})
	a.must("views.update", object{"external_id": "e1", "view": with(view, "blocks", []any{section("y")})})
	ann := a.sim.Person("U_ANN")
	if m, _ := ann.Modal(); m.Text != "y" || m.ExternalID != "e1" {
		t.Errorf("the modal is %+v", m)
	}
	ann.KillApp()
	a.must("views.open", object{"trigger_id": a.triggerOf("U_BOB"), "view": view})
}

func TestState_KeptWhenBothIDsMatch(t *testing.T) {
	s := quiet(t)
	a := connected(t, s)
	ann := s.Person("U_ANN")
	v := a.open(modal(input("Name", text("initial_value", "first"))))
	if err := ann.Fill("Name", "typed"); err != nil {
		t.Fatal(err)
	}
	a.must("views.update", object{"view_id": v["id"], "view": modal(input("Name", text("initial_value", "new")))})
	if m, _ := ann.Modal(); m.Fields[0].Value != "typed" {
		t.Errorf("with the same ids the field reads %q, want what was typed", m.Fields[0].Value)
	}
	other := with(input("Name", text("initial_value", "new")), "block_id", "other")
	a.must("views.update", object{"view_id": v["id"], "view": modal(other)})
	if m, _ := ann.Modal(); m.Fields[0].Value != "new" {
		t.Errorf("with another block_id the field reads %q, want the new initial value", m.Fields[0].Value)
	}
}

func TestState_EmptyAndFilledInputs(t *testing.T) {
	s := quiet(t)
	a := connected(t, s)
	ann := s.Person("U_ANN")
	opts := func() []any { return []any{option("One & two", "1"), option("Three", "3")} }
	optional := func(label string, element object) object { return input(label, element, "optional", true) }
	a.open(modal(
		optional("Text", text()),
		optional("Number", object{"type": "number_input", "is_decimal_allowed": true}),
		optional("Mail", object{"type": "email_text_input"}),
		optional("Link", object{"type": "url_text_input"}),
		optional("Date", object{"type": "datepicker"}),
		optional("Time", object{"type": "timepicker", "timezone": "Europe/Berlin"}),
		optional("Moment", object{"type": "datetimepicker"}),
		optional("Radio", object{"type": "radio_buttons", "options": opts()}),
		optional("Select", object{"type": "static_select", "options": opts()}),
		optional("Ticks", object{"type": "checkboxes", "options": opts()}),
		optional("Several", object{"type": "multi_static_select", "options": opts()}),
		optional("Who", object{"type": "users_select"}),
		optional("Rich", object{"type": "rich_text_input"}),
	))
	submit := func() any {
		t.Helper()
		a.acks("view_submission", object{"response_action": "errors", "errors": object{"Text": "stay"}})
		if err := ann.Submit(testContext(t)); err != nil {
			t.Fatalf("Submit: %v", err)
		}
		return dig(a.last("view_submission"), "view", "state", "values")
	}
	one := option("One &amp; two", "1")
	entry := func(typ, name string, v any) object { return object{"v": object{"type": typ, name: v}} }
	want := object{
		"Text": entry("plain_text_input", "value", nil), "Number": entry("number_input", "value", nil),
		"Mail": entry("email_text_input", "value", nil), "Link": entry("url_text_input", "value", nil),
		"Date": entry("datepicker", "selected_date", nil), "Moment": entry("datetimepicker", "selected_date_time", nil),
		"Time":  object{"v": object{"type": "timepicker", "selected_time": nil, "timezone": "Europe/Berlin"}},
		"Radio": entry("radio_buttons", "selected_option", nil), "Select": entry("static_select", "selected_option", nil),
		"Ticks": entry("checkboxes", "selected_options", []any{}), "Several": entry("multi_static_select", "selected_options", []any{}),
		"Who": entry("users_select", "selected_user", nil), "Rich": object{"v": object{"type": "rich_text_input"}},
	}
	if diff := cmp.Diff(want, submit()); diff != "" {
		t.Errorf("values of empty inputs (-want +got):\n%s", diff)
	}
	fill(t, ann, "Text", "a<b")
	fill(t, ann, "Number", "1.50")
	fill(t, ann, "Mail", "ann@acme.example")
	fill(t, ann, "Link", "https://acme.example/x")
	fill(t, ann, "Date", "2026-12-01")
	fill(t, ann, "Time", "07:05")
	fill(t, ann, "Moment", "2026-12-01 15:04")
	fill(t, ann, "Radio", "One & two")
	fill(t, ann, "Select", "One & two")
	fill(t, ann, "Ticks", "One & two", "Three")
	fill(t, ann, "Several", "Three")
	fill(t, ann, "Who", "@Bob")
	fill(t, ann, "Rich", "words")
	want = object{
		"Text": entry("plain_text_input", "value", "a<b"), "Number": entry("number_input", "value", "1.50"),
		"Mail": entry("email_text_input", "value", "ann@acme.example"), "Link": entry("url_text_input", "value", "https://acme.example/x"),
		"Date": entry("datepicker", "selected_date", "2026-12-01"), "Moment": entry("datetimepicker", "selected_date_time", 1796133840.0),
		"Time":  object{"v": object{"type": "timepicker", "selected_time": "07:05", "timezone": "Europe/Berlin"}},
		"Radio": entry("radio_buttons", "selected_option", one), "Select": entry("static_select", "selected_option", one),
		"Ticks":   entry("checkboxes", "selected_options", []any{one, option("Three", "3")}),
		"Several": entry("multi_static_select", "selected_options", []any{option("Three", "3")}),
		"Who":     entry("users_select", "selected_user", "U_BOB"),
		"Rich": entry("rich_text_input", "rich_text_value", object{"type": "rich_text", "elements": []any{
			object{"type": "rich_text_section", "elements": []any{object{"type": "text", "text": "words"}}},
		}}),
	}
	if diff := cmp.Diff(want, submit()); diff != "" {
		t.Errorf("values of filled inputs (-want +got):\n%s", diff)
	}
	for _, label := range []string{"Text", "Date", "Ticks", "Several", "Rich"} {
		if err := ann.Clear(label); err != nil {
			t.Errorf("Clear(%q): %v", label, err)
		}
	}
	for _, label := range []string{"Radio", "Select", "Who"} {
		if err := ann.Clear(label); err == nil {
			t.Errorf("Clear(%q) succeeded: Slack lets nobody take back a single choice", label)
		}
	}
	m, _ := ann.Modal()
	shown := map[string]string{}
	for _, f := range m.Fields {
		shown[f.Label] = f.Value
	}
	wantShown := map[string]string{
		"Text": "", "Number": "1.50", "Mail": "ann@acme.example", "Link": "https://acme.example/x", "Date": "",
		"Time": "07:05", "Moment": "2026-12-01 15:04", "Radio": "One & two", "Select": "One & two", "Ticks": "",
		"Several": "", "Who": "@Bob", "Rich": "",
	}
	if diff := cmp.Diff(wantShown, shown); diff != "" {
		t.Errorf("what the fields show (-want +got):\n%s", diff)
	}
}

func fill(t *testing.T, p *slacksim.Person, label string, values ...string) {
	t.Helper()
	if err := p.Fill(label, values...); err != nil {
		t.Errorf("Fill(%q, %q): %v", label, values, err)
	}
}

func TestState_NoInputsIsAList(t *testing.T) {
	a := connected(t, quiet(t))
	if got := dig(a.open(modal(section("sure?"))), "state", "values"); !cmp.Equal(got, any(object{})) {
		t.Errorf("views.open answers with the values %v, want {}", got)
	}
	if err := a.sim.Person("U_ANN").Submit(testContext(t)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]any{}, dig(a.last("view_submission"), "view", "state", "values")); diff != "" {
		t.Errorf("values of a view without inputs (-want +got):\n%s", diff)
	}
}

func TestViewClosed_OnlyWithNotifyOnClose(t *testing.T) {
	a := connected(t, quiet(t))
	ann := a.sim.Person("U_ANN")
	view := modal(input("Name", text()))
	a.open(view)
	if err := ann.CloseModal(testContext(t)); err != nil {
		t.Fatal(err)
	}
	if got := a.payloads("view_closed"); len(got) != 0 {
		t.Fatalf("view_closed without notify_on_close: %v", got)
	}
	for _, c := range []struct {
		name    string
		view    object
		close   func(*slacksim.Person) error
		cleared bool
	}{
		{"the only view", view, func(p *slacksim.Person) error { return p.CloseModal(testContext(t)) }, false},
		{"clear_on_close", with(view, "clear_on_close", true), func(p *slacksim.Person) error { return p.CloseModal(testContext(t)) }, true},
		{"the whole stack", view, func(p *slacksim.Person) error { return p.CloseStack(testContext(t)) }, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			a.open(with(c.view, "notify_on_close", true))
			if err := c.close(ann); err != nil {
				t.Fatal(err)
			}
			got := a.last("view_closed")
			if got["is_cleared"] != c.cleared {
				t.Errorf("is_cleared = %v, want %v", got["is_cleared"], c.cleared)
			}
			if diff := cmp.Diff([]any{}, dig(got, "view", "state", "values")); diff != "" {
				t.Errorf("the state includes input blocks (-want +got):\n%s", diff)
			}
		})
	}
	before := len(a.payloads("view_closed"))
	a.open(with(view, "notify_on_close", true))
	ann.KillApp()
	if _, open := ann.Modal(); open || len(a.payloads("view_closed")) != before {
		t.Errorf("killing the app: modal open %v, view_closed %d more; want neither", open, len(a.payloads("view_closed"))-before)
	}
}

func TestSubmit_ClosesOneViewAndRevealsTheOneBelow(t *testing.T) {
	a := connected(t, quiet(t))
	ann := a.sim.Person("U_ANN")
	a.open(modal(section("below"), actions(button("Deeper", "d"))))
	if err := ann.PressInModal(testContext(t), "Deeper"); err != nil {
		t.Fatal(err)
	}
	a.must("views.push", object{"trigger_id": a.last("block_actions")["trigger_id"], "view": modal(section("above"))})
	for i, want := range []string{"below", ""} {
		if err := ann.Submit(testContext(t)); err != nil {
			t.Fatal(err)
		}
		if m, _ := ann.Modal(); m.Text != want {
			t.Errorf("after submit %d the modal reads %q, want %q", i+1, m.Text, want)
		}
	}
}

func TestSubmit_ResponseActions(t *testing.T) {
	next := modal(section("next"))
	long := strings.Repeat("x", 151)
	for _, c := range []struct {
		name string
		ack  any
		text string // of the modal afterwards; empty when it is closed
		err  string // at the field
		fail bool   // the generic connect error
	}{
		{"errors", object{"response_action": "errors", "errors": object{"Name": "taken"}}, "form", "taken", false},
		{"update", object{"response_action": "update", "view": next}, "next", "", false},
		{"push", object{"response_action": "push", "view": next}, "next", "", false},
		{"clear", object{"response_action": "clear"}, "", "", false},
		{"empty object", object{}, "", "", false},
		{"errors for a block that is no input", object{"response_action": "errors", "errors": object{"info": "x"}}, "form", "", true},
		{"errors for an action_id", object{"response_action": "errors", "errors": object{"v": "x"}}, "form", "", true},
		{"a valid key beside a wrong one", object{"response_action": "errors", "errors": object{"Name": "x", "no": "y"}}, "form", "", true},
		{"no errors", object{"response_action": "errors", "errors": object{}}, "form", "", true},
		{"error text of 151", object{"response_action": "errors", "errors": object{"Name": long}}, "form", "", true},
		{"error text of 150", object{"response_action": "errors", "errors": object{"Name": long[1:]}}, "form", long[1:], false},
		{"invalid view", object{"response_action": "update", "view": modal()}, "form", "", true},
		{"unknown action", object{"response_action": "reset"}, "form", "", true},
		{"text", "fine", "form", "", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := connected(t, quiet(t))
			ann := a.sim.Person("U_ANN")
			a.open(modal(with(section("form"), "block_id", "info"), input("Name", text("initial_value", "ann"))))
			a.acks("view_submission", c.ack)
			err := ann.Submit(testContext(t))
			m, open := ann.Modal()
			if (err != nil) != c.fail || (m.Banner == slacksim.ConnectError) != c.fail {
				t.Errorf("Submit = %v, banner %q; want the connect error: %v (%v)", err, m.Banner, c.fail, a.sim.Troubles())
			}
			if c.fail != (len(a.sim.Troubles()) > 0) {
				t.Errorf("Troubles() = %q", a.sim.Troubles())
			}
			if open != (c.text != "") || m.Text != c.text {
				t.Errorf("the modal reads %q (open %v), want %q", m.Text, open, c.text)
			}
			if len(m.Fields) > 0 && (m.Fields[0].Error != c.err || m.Fields[0].Value != "ann") {
				t.Errorf("field %+v, want the error %q and what was typed", m.Fields[0], c.err)
			}
		})
	}
}

func TestSubmit_ClientChecksFirst(t *testing.T) {
	number := func(more ...any) object {
		return with(object{"type": "number_input", "is_decimal_allowed": false}, more...)
	}
	for _, c := range []struct {
		name    string
		element object
		bad     string // sent by nobody; empty means not filled in
		want    string
		good    string
	}{
		{"required", text(), "", "Please complete this required field.", "x"},
		{"min_length", text("min_length", 3), "ab", "Please enter at least 3 characters.", "abc"},
		{"email", object{"type": "email_text_input"}, "ann", "Please enter a valid email address.", "ann@acme.example"},
		{"url", object{"type": "url_text_input"}, "acme.example", "Please enter a valid URL.", "https://acme.example"},
		{"minimum", number("min_value", "3"), "2", "Please enter a number of at least 3.", "3"},
		{"maximum", number("max_value", "3"), "4", "Please enter a number of at most 3.", "3"},
		{"whole number", number(), "2.5", "Please enter a whole number.", "2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := connected(t, quiet(t))
			ann := a.sim.Person("U_ANN")
			a.open(modal(input("Field", c.element)))
			if c.bad != "" {
				fill(t, ann, "Field", c.bad)
			}
			if err := ann.Submit(testContext(t)); err == nil {
				t.Errorf("a form with %q was sent", c.bad)
			}
			if m, _ := ann.Modal(); m.Fields[0].Error != c.want {
				t.Errorf("the field says %q, want %q", m.Fields[0].Error, c.want)
			}
			if got := a.payloads("view_submission"); len(got) != 0 {
				t.Errorf("the app received %v", got)
			}
			fill(t, ann, "Field", c.good)
			if err := ann.Submit(testContext(t)); err != nil {
				t.Errorf("Submit with %q: %v", c.good, err)
			}
		})
	}
}

func TestFill_AsTheWidgetAllows(t *testing.T) {
	a := connected(t, quiet(t))
	ann := a.sim.Person("U_ANN")
	opts := []any{option("A", "a"), option("B", "b")}
	a.open(modal(
		input("Short", text("max_length", 3)),
		input("Long", text("multiline", true)),
		input("Number", object{"type": "number_input", "is_decimal_allowed": true}),
		input("Pick", object{"type": "static_select", "options": opts}),
		input("Some", object{"type": "multi_static_select", "options": opts, "max_selected_items": 1}),
		input("Day", object{"type": "datepicker"}),
	))
	for _, c := range []struct {
		label  string
		values []string
	}{
		{"Short", []string{"abcd"}},
		{"Short", []string{"a", "b"}},
		{"Number", []string{"12a"}},
		{"Pick", []string{"C"}},
		{"Some", []string{"A", "B"}},
		{"Day", []string{"2026-02-30"}},
		{"Nothing", []string{"x"}},
	} {
		if err := ann.Fill(c.label, c.values...); err == nil {
			t.Errorf("Fill(%q, %q) succeeded", c.label, c.values)
		}
	}
	fill(t, ann, "Short", "a\nb")
	fill(t, ann, "Long", "a\nb")
	m, _ := ann.Modal()
	if m.Fields[0].Value != "a b" || m.Fields[1].Value != "a\nb" {
		t.Errorf("line breaks: single line %q, multiline %q", m.Fields[0].Value, m.Fields[1].Value)
	}
	for _, n := range []string{"-0.5", "+5", "007", ".5", "1e3", " 3 "} {
		fill(t, ann, "Number", n)
	}
	if diff := cmp.Diff([]string{"A", "B"}, m.Fields[3].Options); diff != "" {
		t.Errorf("options of Pick (-want +got):\n%s", diff)
	}
}

func TestExternalSelect_AsksTheAppForOptions(t *testing.T) {
	a := connected(t, quiet(t))
	ann := a.sim.Person("U_ANN")
	a.open(modal(
		input("City", object{"type": "external_select"}),
		input("Cities", object{"type": "multi_external_select", "min_query_length": 0}),
	))
	a.acks("block_suggestion", object{"options": []any{option("Paris & more", "1"), option("Perth", "2")}})
	if _, err := ann.Search(testContext(t), "City", "Pa"); err == nil {
		t.Error("a search below min_query_length (3 when not given) reached the app")
	}
	got, err := ann.Search(testContext(t), "City", "Par")
	if diff := cmp.Diff([]string{"Paris & more", "Perth"}, got); diff != "" || err != nil {
		t.Fatalf("Search: %v, options (-want +got):\n%s", err, diff)
	}
	p := a.last("block_suggestion")
	if p["value"] != "Par" || p["block_id"] != "City" || p["action_id"] != "v" || p["trigger_id"] != nil || p["response_url"] != nil {
		t.Errorf("block_suggestion = %v", p)
	}
	fill(t, ann, "City", "Paris & more")
	if _, err := ann.Search(testContext(t), "Cities", ""); err != nil {
		t.Fatal(err)
	}
	fill(t, ann, "Cities", "Perth")
	for name, ack := range map[string]any{"no options": object{}, "too many": object{"options": many(101)}, "not at all": nil} {
		a.acks("block_suggestion", ack)
		if got, err := ann.Search(testContext(t), "Cities", ""); err != nil || len(got) != 0 {
			t.Errorf("%s: the menu offers %q, %v; want it empty", name, got, err)
		}
	}
	fill(t, ann, "Cities", "Perth") // what is chosen can be kept
	if err := ann.Submit(testContext(t)); err != nil {
		t.Fatal(err)
	}
	if got := dig(a.last("view_submission"), "view", "state", "values", "City", "v", "selected_option", "value"); got != "1" {
		t.Errorf("the chosen city is %v, want 1", got)
	}
}

func many(n int) []any {
	var out []any
	for i := range n {
		out = append(out, option(fmt.Sprint("o", i), fmt.Sprint(i)))
	}
	return out
}

func TestModal_PressingAndDispatching(t *testing.T) {
	a := connected(t, quiet(t))
	ann := a.sim.Person("U_ANN")
	opts := []any{option("A", "a"), option("B", "b")}
	v := a.open(with(modal(
		input("Quiet", object{"type": "static_select", "options": opts}),
		input("Loud", object{"type": "static_select", "options": opts}, "dispatch_action", true),
		actions(button("Go <now>", "go", "value", "v1")),
	), "private_metadata", "meta", "callback_id", "cb"))
	fill(t, ann, "Quiet", "A")
	if got := a.payloads("block_actions"); len(got) != 0 {
		t.Fatalf("a pick without dispatch_action was sent: %v", got)
	}
	fill(t, ann, "Loud", "B")
	if got := dig(a.last("block_actions"), "actions", 0, "selected_option", "value"); got != "b" {
		t.Errorf("the dispatched pick is %v, want b", got)
	}
	if err := ann.PressInModal(testContext(t), "Go <now>"); err != nil {
		t.Fatal(err)
	}
	p := a.last("block_actions")
	act := dig(p, "actions", 0)
	if dig(act, "action_id") != "go" || dig(act, "value") != "v1" || dig(act, "text", "text") != "Go &lt;now&gt;" {
		t.Errorf("action = %v, want the label escaped", act)
	}
	if dig(p, "view", "id") != v["id"] || dig(p, "view", "private_metadata") != "meta" || dig(p, "view", "callback_id") != "cb" || p["response_url"] != nil {
		t.Errorf("block_actions = %v", p)
	}
	if got := dig(p, "view", "state", "values", "Quiet", "v", "selected_option", "value"); got != "a" {
		t.Errorf("state.values of block_actions has %v for Quiet, want a", got)
	}
	if err := ann.PressInModal(testContext(t), "Stop"); err == nil || !strings.Contains(err.Error(), `"Go <now>"`) {
		t.Errorf("pressing a button that is not there: %v, want what is there", err)
	}
}

func TestHome_PublishedAndPressed(t *testing.T) {
	a := connected(t, quiet(t))
	ann := a.sim.Person("U_ANN")
	home := object{"type": "home", "blocks": []any{section("welcome"), actions(button("Start", "start"))}}
	a.refused("invalid_arguments", "views.publish", object{"user_id": "U_ANN", "view": modal(section("x"))})
	v := a.must("views.publish", object{"user_id": "U_ANN", "view": home})["view"]
	a.must("views.publish", object{"user_id": "U_ANN", "hash": dig(v, "hash"), "view": home})
	a.refused("hash_conflict", "views.publish", object{"user_id": "U_ANN", "hash": dig(v, "hash"), "view": home})
	if m, ok := ann.Home(); !ok || m.Text != "welcome" {
		t.Errorf("Home() = %+v, %v", m, ok)
	}
	if err := ann.PressInHome(testContext(t), "Start"); err != nil {
		t.Fatal(err)
	}
	a.must("views.open", object{"trigger_id": a.last("block_actions")["trigger_id"], "view": modal(section("x"))})
	if _, ok := a.sim.Person("U_BOB").Home(); ok {
		t.Error("Bob sees Ann's Home tab")
	}
}
