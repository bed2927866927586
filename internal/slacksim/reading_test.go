package slacksim_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/slackbridge/slackbridge/internal/slacksim"
)

// shown posts one mrkdwn section in #deploys and returns how user sees it.
func shown(t *testing.T, a *app, user string, blocks ...any) slacksim.Message {
	t.Helper()
	a.postText(object{"blocks": blocks})
	all := a.sim.Person(user).Messages("C_DEPLOYS")
	return all[len(all)-1]
}

func TestMessage_MarkupIsShownAsClientsDo(t *testing.T) {
	now := newClock()
	a := newApp(t, start(t, slacksim.Options{Now: now.Now, MessageInterval: -1}))
	for _, c := range []struct{ in, want string }{
		{"*Ann* runs `deploy.run` _now_ ~not~", "Ann runs deploy.run now not"},
		{"2*3*4 snake_case_name ~/x", "2*3*4 snake_case_name ~/x"},
		{"a &lt;b&gt; &amp;amp; c", "a <b> &amp; c"},
		{"hello <@U_BOB> in <#C_RANDOM>, <!subteam^S_SRE>", "hello @Bob in #random, @sre"},
		{"<https://acme.example/x|click> or https://acme.example/y", "click or https://acme.example/y"},
		{":warning: and :not_an_emoji:", "⚠️ and :not_an_emoji:"},
		{"```*raw* <@U_BOB>```", "*raw* <@U_BOB>"},
		{"&gt; quoted", " quoted"},
		{"<!date^1796135640^{date_num} {time}|later>", "2026-12-01 3:34 PM"},
		{"<!date^00000000^{_}|*exactly*>", "*exactly*"},
		{"<!date^1796135640^{nonsense}|later>", "later"},
		{"<!date^1796135640^{date_pretty} {ago}|later>", "today in 4 minutes"},
		{"\u0000 5 < 6", "\ufffd 5 < 6"},
	} {
		if got := shown(t, a, "U_ANN", section(c.in)).Text; got != c.want {
			t.Errorf("%q is shown as %q, want %q", c.in, got, c.want)
		}
	}
}

func TestMessage_DatesAreInTheReadersZoneAndClock(t *testing.T) {
	a := newApp(t, quiet(t))
	a.postText(object{"blocks": []any{section("<!date^1796135640^{date_short} {time}|later>")}})
	for user, want := range map[string]string{"U_ANN": "Dec 1, 2026 3:34 PM", "U_BOB": "Dec 1, 2026 9:34 AM", "U_CARA": "Dec 1, 2026 22:34"} {
		if got := a.sim.Person(user).Messages("C_DEPLOYS")[0].Text; got != want {
			t.Errorf("%s reads %q, want %q", user, got, want)
		}
	}
}

func TestMessage_MentionsPingMembersOnly(t *testing.T) {
	a := newApp(t, quiet(t))
	rich := func(e object) object {
		return object{"type": "rich_text", "elements": []any{object{"type": "rich_text_section", "elements": []any{e}}}}
	}
	for name, c := range map[string]struct {
		block object
		want  []string
	}{
		"mrkdwn":          {section("<@U_BOB> <@U_EXT>"), []string{"U_BOB"}},
		"escaped":         {section("&lt;@U_BOB&gt; @Bob"), nil},
		"code":            {section("`<@U_BOB>`"), nil},
		"group":           {section("<!subteam^S_SRE>"), []string{"U_ANN", "U_BOB"}},
		"channel":         {section("<!channel>"), []string{"U_ANN", "U_BOB", "U_CARA", "U_GUEST"}},
		"plain_text":      {object{"type": "section", "text": plain("<@U_BOB>")}, nil},
		"rich text":       {rich(object{"type": "user", "user_id": "U_BOB"}), []string{"U_BOB"}},
		"rich text words": {rich(object{"type": "text", "text": "<!channel>"}), nil},
		"broadcast":       {rich(object{"type": "broadcast", "range": "here"}), []string{"U_ANN", "U_BOB", "U_CARA", "U_GUEST"}},
	} {
		if diff := cmp.Diff(c.want, shown(t, a, "U_ANN", c.block).Mentions); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	a.postText(object{"text": "<@U_CARA> without blocks"})
	all := a.sim.Person("U_ANN").Messages("C_DEPLOYS")
	if got := all[len(all)-1].Mentions; len(got) != 1 || got[0] != "U_CARA" {
		t.Errorf("text without blocks pings %v, want Cara", got)
	}
}

func TestMessage_LinksAreWhatCanBeClicked(t *testing.T) {
	a := newApp(t, quiet(t))
	verbatim := object{"type": "section", "text": object{"type": "mrkdwn", "text": "https://no.example", "verbatim": true}}
	got := shown(t, a, "U_ANN", section("<https://a.example|safe> https://b.example `https://c.example`"), verbatim,
		object{"type": "section", "text": plain("https://d.example")}).Links
	if diff := cmp.Diff([]string{"https://a.example", "https://b.example"}, got); diff != "" {
		t.Errorf("links (-want +got):\n%s", diff)
	}
}

func TestMessage_BlocksAsLines(t *testing.T) {
	a := newApp(t, quiet(t))
	m := shown(t, a, "U_ANN",
		object{"type": "header", "text": plain("Title &amp; :warning:")},
		object{"type": "divider"},
		object{"type": "section", "fields": []any{plain("f1"), mrkdwn("*f2*")}, "accessory": button("Side", "s")},
		object{"type": "context", "elements": []any{mrkdwn("small"), plain("print")}},
		object{"type": "rich_text", "elements": []any{
			object{"type": "rich_text_list", "style": "bullet", "elements": []any{
				object{"type": "rich_text_section", "elements": []any{object{"type": "text", "text": "*one*"}}},
			}},
			object{"type": "rich_text_preformatted", "elements": []any{object{"type": "text", "text": "a <b>"}}},
		}},
		actions(button("Go", "g", "style", "primary"), button("Danger", "d", "confirm", object{
			"title": plain("Sure?"), "text": plain("It goes."), "confirm": plain("Yes"), "deny": plain("No"),
		})),
	)
	want := "Title &amp; ⚠️\nf1\nf2\nsmall print\n• *one*\na <b>"
	if diff := cmp.Diff(want, m.Text); diff != "" {
		t.Errorf("text (-want +got):\n%s", diff)
	}
	wantButtons := []slacksim.Button{
		{Label: "Side"},
		{Label: "Go", Style: "primary"},
		{Label: "Danger", HasConfirm: true, Confirm: slacksim.Dialog{Title: "Sure?", Text: "It goes.", Confirm: "Yes", Deny: "No"}},
	}
	if diff := cmp.Diff(wantButtons, m.Buttons); diff != "" {
		t.Errorf("buttons (-want +got):\n%s", diff)
	}
	var blocks []any
	if err := json.Unmarshal(m.Blocks, &blocks); err != nil || len(blocks) != 6 {
		t.Errorf("Blocks = %s, %v", m.Blocks, err)
	}
	if m.Fallback != "t" || m.Author != "U_BOT" || m.Channel != "C_DEPLOYS" {
		t.Errorf("message = %+v", m)
	}
}

func TestMessages_OnlyForMembers(t *testing.T) {
	a := newApp(t, quiet(t))
	a.postText(nil)
	for _, who := range []string{"U_EXT", "U_GONE", "U_NOBODY"} {
		if got := a.sim.Person(who).Messages("C_DEPLOYS"); len(got) != 0 {
			t.Errorf("%s sees %+v", who, got)
		}
	}
	a.sim.RemoveFromChannel("C_DEPLOYS", "U_BOB")
	if got := a.sim.Person("U_BOB").Messages("C_DEPLOYS"); len(got) != 0 {
		t.Errorf("Bob left the channel and sees %+v", got)
	}
	names := []string{}
	for _, c := range a.sim.Person("U_ANN").Channels() {
		names = append(names, c.Name)
	}
	if diff := cmp.Diff([]string{"deploys", "random", "no-bot", "secret", "with-other", "old"}, names); diff != "" {
		t.Errorf("Ann's channels (-want +got):\n%s", diff)
	}
}

func TestModal_ShowsFieldsTextAndButtons(t *testing.T) {
	a := connected(t, quiet(t))
	a.open(with(modal(
		section("Please *answer*"),
		object{"type": "alert", "text": plain("careful"), "level": "warning"},
		input("Name", text("placeholder", plain("who"), "multiline", true), "hint", plain("as in HR"), "optional", true),
		actions(button("Decline", "d", "style", "danger")),
	), "external_id", "e1"))
	got, ok := a.sim.Person("U_ANN").Modal()
	got.ID = ""
	name := slacksim.Field{Label: "Name", Hint: "as in HR", Kind: "plain_text_input", Placeholder: "who", Optional: true, Multiline: true}
	decline := slacksim.Button{Label: "Decline", Style: "danger"}
	want := slacksim.Modal{
		ExternalID: "e1", Title: "Form", Submit: "Submit", Close: "Cancel", Text: "Please answer\ncareful", Depth: 1,
		Fields: []slacksim.Field{name}, Buttons: []slacksim.Button{decline},
		Layout: []slacksim.Block{
			{Type: "section", Paragraphs: []slacksim.Paragraph{{Runs: []slacksim.Run{{Text: "Please "}, {Text: "answer", Bold: true}}}}},
			{Type: "alert", Paragraphs: []slacksim.Paragraph{{Runs: []slacksim.Run{{Text: "careful"}}}}},
			{Type: "input", Fields: []slacksim.Field{name}},
			{Type: "actions", Buttons: []slacksim.Button{decline}},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" || !ok {
		t.Errorf("modal (-want +got):\n%s", diff)
	}
	if _, ok := a.sim.Person("U_BOB").Modal(); ok {
		t.Error("Bob sees Ann's modal")
	}
	a.sim.Deactivate("U_ANN")
	if _, ok := a.sim.Person("U_ANN").Modal(); ok {
		t.Error("a deactivated user has a modal open")
	}
}

func TestWait_ReturnsOnChangeOrDeadline(t *testing.T) {
	s := quiet(t)
	a := newApp(t, s)
	done := make(chan error, 1)
	go func() {
		done <- s.Wait(testContext(t), func() bool { return len(s.Person("U_ANN").Messages("C_DEPLOYS")) == 1 })
	}()
	a.postText(nil)
	if err := <-done; err != nil {
		t.Errorf("Wait: %v", err)
	}
	ctx := testContext(t)
	cause := make(chan struct{})
	go func() {
		<-cause
		_ = s.Close()
	}()
	changed := s.Changed()
	close(cause)
	select {
	case <-changed: // Close is a change too
	case <-ctx.Done():
		t.Error("Close woke nobody")
	}
}

func TestDefaultWorkspace_IsCopied(t *testing.T) {
	w := slacksim.DefaultWorkspace()
	s := start(t, slacksim.Options{Workspace: &w})
	s.AddToChannel("C_NOBOT", "U_BOT")
	s.Deactivate("U_BOB")
	if diff := cmp.Diff(slacksim.DefaultWorkspace(), w); diff != "" {
		t.Errorf("the caller's workspace changed (-want +got):\n%s", diff)
	}
	for _, u := range w.Users {
		if _, err := time.LoadLocation(u.TZ); err != nil || u.RealName == "" || u.Locale == "" {
			t.Errorf("user %+v: %v", u, err)
		}
	}
}

func TestSign_SlacksOwnExample(t *testing.T) {
	// The example of docs.slack.dev/authentication/verifying-requests-from-slack.
	body := "token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c"
	want := "v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503"
	if got := slacksim.Sign("8f742231b10e8888abcd99yyyzzz85a5", "1531420618", body); got != want {
		t.Errorf("Sign = %q, want %q", got, want)
	}
}

// FuzzMessage: no text can break the rendering or come out as invalid UTF-8.
func FuzzMessage(f *testing.F) {
	for _, s := range []string{"*a* <@U_BOB> `x`", "<!date^1^{time}|f>", "<", "<|>", "```", ":warning:", "<!subteam^", "a\xff"} {
		f.Add(s)
	}
	s, err := slacksim.Start(slacksim.Options{MessageInterval: -1})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { _ = s.Close() })
	ann := s.Person("U_ANN")
	f.Fuzz(func(t *testing.T, text string) {
		if strings.HasPrefix(text, "/") {
			return
		}
		if err := ann.Type(t.Context(), "C_NOBOT", text); err != nil {
			t.Fatal(err)
		}
		all := ann.Messages("C_NOBOT")
		m := all[len(all)-1]
		if m.Text != strings.ToValidUTF8(m.Text, "\ufffd") && strings.ToValidUTF8(text, "") == text {
			t.Errorf("%q is shown as %q", text, m.Text)
		}
		s.DeleteMessage("C_NOBOT", m.TS)
	})
}

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
