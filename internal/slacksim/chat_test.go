package slacksim_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/slackbridge/slackbridge/internal/slacksim"
)

func TestPostMessage_InvalidBlocksStoresNothing(t *testing.T) {
	s := quiet(t)
	a := newApp(t, s)
	r := a.refused("invalid_blocks", "chat.postMessage", object{"channel": "C_DEPLOYS", "text": "t", "blocks": []any{
		object{"type": "header", "text": plain(strings.Repeat("x", 151))},
	}})
	want := []any{"[ERROR] must be less than 151 characters [json-pointer:/blocks/0/text/text]"}
	if diff := cmp.Diff(want, dig(r, "response_metadata", "messages")); diff != "" {
		t.Errorf("response_metadata.messages (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]any{"must be less than 151 characters [json-pointer:/blocks/0/text/text]"}, r["errors"]); diff != "" {
		t.Errorf("errors (-want +got):\n%s", diff)
	}
	if got := s.Person("U_ANN").Messages("C_DEPLOYS"); len(got) != 0 {
		t.Errorf("a refused message is shown: %+v", got)
	}
}

func TestPostMessage_ErrorCodes(t *testing.T) {
	a := newApp(t, quiet(t))
	a.refused("no_text", "chat.postMessage", object{"channel": "C_DEPLOYS"})
	a.refused("invalid_blocks_format", "chat.postMessage", object{"channel": "C_DEPLOYS", "blocks": "not json"})
	a.refused("invalid_blocks_format", "chat.postMessage", object{"channel": "C_DEPLOYS", "text": "t", "blocks": object{}})
	a.refused("markdown_text_conflict", "chat.postMessage", object{"channel": "C_DEPLOYS", "text": "t", "markdown_text": "m"})
}

func TestPostMessage_MembershipErrors(t *testing.T) {
	a := newApp(t, quiet(t))
	for channel, code := range map[string]string{
		"C_NOBOT":  "not_in_channel",
		"C_SECRET": "channel_not_found",
		"C_OLD":    "is_archived",
		"C_WRONG":  "channel_not_found",
		"U_ANN":    "channel_not_found",
	} {
		a.refused(code, "chat.postMessage", object{"channel": channel, "text": "t"})
	}
	a.sim.RemoveFromChannel("C_DEPLOYS", "U_BOT")
	a.refused("not_in_channel", "chat.postMessage", object{"channel": "C_DEPLOYS", "text": "t"})
	a.sim.AddToChannel("C_SECRET", "U_BOT")
	a.must("chat.postMessage", object{"channel": "C_SECRET", "text": "t"})
}

func TestPostMessage_OnePerSecondAndChannel(t *testing.T) {
	now := newClock()
	a := newApp(t, start(t, slacksim.Options{Now: now.Now}))
	a.postText(nil)
	res, err := a.post(a.sim.BotToken(), "chat.postMessage", object{"channel": "C_DEPLOYS", "text": "t"})
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	if got := res.Header.Get("Retry-After"); res.StatusCode != http.StatusTooManyRequests || got != "1" {
		t.Errorf("second message: status %d, Retry-After %q; want 429 and 1", res.StatusCode, got)
	}
	a.must("chat.postMessage", object{"channel": "C_RANDOM", "text": "another channel"})
	now.advance(999 * time.Millisecond)
	a.refused("ratelimited", "chat.postMessage", object{"channel": "C_DEPLOYS", "text": "t"})
	now.advance(time.Millisecond)
	a.must("chat.postMessage", object{"channel": "C_DEPLOYS", "text": "t"})
}

func TestPostMessage_FormEncodedLikeJSON(t *testing.T) {
	s := quiet(t)
	res, err := http.PostForm(s.APIURL()+"chat.postMessage", map[string][]string{
		"token": {s.BotToken()}, "channel": {"C_DEPLOYS"}, "text": {"t"},
		"blocks": {`[{"type":"section","text":{"type":"mrkdwn","text":"a + b"}}]`},
	})
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	got := s.Person("U_ANN").Messages("C_DEPLOYS")
	if len(got) != 1 || got[0].Text != "a + b" {
		t.Errorf("messages = %+v, want one that reads %q", got, "a + b")
	}
	if blocks, ok := s.CallsOf("chat.postMessage")[0].Args["blocks"].([]any); !ok || len(blocks) != 1 {
		t.Errorf("the call log has blocks %v, want them decoded", s.Calls()[0].Args["blocks"])
	}
}

func TestThread_RepliesNeedAParent(t *testing.T) {
	a := newApp(t, quiet(t))
	top := a.postText(nil)
	reply := a.postText(object{"text": "r", "thread_ts": top})
	a.refused("cannot_reply_to_message", "chat.postMessage", object{"channel": "C_DEPLOYS", "text": "x", "thread_ts": reply})
	a.refused("cannot_reply_to_message", "chat.postMessage", object{"channel": "C_DEPLOYS", "text": "x", "thread_ts": "1.000001"})
	a.postText(object{"text": "loud", "thread_ts": top, "reply_broadcast": true})
	ann := a.sim.Person("U_ANN")
	if diff := cmp.Diff([]string{"t", "r", "loud"}, texts(ann.Thread("C_DEPLOYS", top))); diff != "" {
		t.Errorf("thread (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"t", "loud"}, texts(ann.Messages("C_DEPLOYS"))); diff != "" {
		t.Errorf("channel (-want +got):\n%s", diff)
	}
	a.sim.DeleteMessage("C_DEPLOYS", top)
	if got := ann.Messages("C_DEPLOYS")[0].Text; got != "This message was deleted." {
		t.Errorf("a deleted parent reads %q", got)
	}
	a.refused("message_not_found", "chat.update", object{"channel": "C_DEPLOYS", "ts": top, "text": "x"})
}

func texts(ms []slacksim.Message) []string {
	var out []string
	for _, m := range ms {
		out = append(out, m.Text)
	}
	return out
}

func TestUpdate_BlocksVanishWithoutBlocksAndEditedShows(t *testing.T) {
	a := newApp(t, quiet(t))
	ann := a.sim.Person("U_ANN")
	ts := a.postText(object{"blocks": []any{section("old"), actions(button("Go", "go"))}})
	a.must("chat.update", object{"channel": "C_DEPLOYS", "ts": ts, "text": "t2", "blocks": []any{section("new")}})
	if m := ann.Messages("C_DEPLOYS")[0]; m.Text != "new" || m.Edited || len(m.Buttons) != 0 || m.Fallback != "t2" {
		t.Errorf("after an update with blocks: %+v", m)
	}
	a.must("chat.update", object{"channel": "C_DEPLOYS", "ts": ts, "text": "only text"})
	if m := ann.Messages("C_DEPLOYS")[0]; m.Text != "only text" || !m.Edited || m.Blocks != nil {
		t.Errorf("after an update with text: %+v", m)
	}
}

func TestUpdate_Refusals(t *testing.T) {
	s := quiet(t)
	a := connected(t, s)
	if err := s.Person("U_ANN").Type(testContext(t), "C_DEPLOYS", "hello"); err != nil {
		t.Fatal(err)
	}
	theirs := s.Person("U_ANN").Messages("C_DEPLOYS")[0].TS
	a.refused("cant_update_message", "chat.update", object{"channel": "C_DEPLOYS", "ts": theirs, "text": "x"})
	a.refused("cant_delete_message", "chat.delete", object{"channel": "C_DEPLOYS", "ts": theirs})
	ts := a.postText(nil)
	a.must("chat.update", object{"channel": "C_DEPLOYS", "ts": ts, "text": strings.Repeat("x", 4000)})
	a.refused("msg_too_long", "chat.update", object{"channel": "C_DEPLOYS", "ts": ts, "text": strings.Repeat("x", 4001)})
	a.must("chat.delete", object{"channel": "C_DEPLOYS", "ts": ts})
	a.refused("message_not_found", "chat.delete", object{"channel": "C_DEPLOYS", "ts": ts})
	s.Archive("C_RANDOM")
	a.refused("is_inactive", "chat.update", object{"channel": "C_RANDOM", "ts": ts, "text": "x"})
}

func TestPostMessage_TextIsCutInSilencePast40000(t *testing.T) {
	a := newApp(t, quiet(t))
	a.postText(object{"text": strings.Repeat("x", 40_001)})
	if got := len(a.sim.Person("U_ANN").Messages("C_DEPLOYS")[0].Text); got != 40_000 {
		t.Errorf("%d characters are kept, want 40000", got)
	}
}

func TestEphemeral_OnlyForItsUserAndNeverUpdatable(t *testing.T) {
	a := newApp(t, quiet(t))
	r := a.must("chat.postEphemeral", object{"channel": "C_DEPLOYS", "user": "U_ANN", "text": "psst"})
	if got := a.sim.Person("U_ANN").Messages("C_DEPLOYS"); len(got) != 1 || !got[0].Ephemeral {
		t.Errorf("Ann sees %+v, want the ephemeral message", got)
	}
	if got := a.sim.Person("U_BOB").Messages("C_DEPLOYS"); len(got) != 0 {
		t.Errorf("Bob sees %+v, want nothing", got)
	}
	a.refused("message_not_found", "chat.update", object{"channel": "C_DEPLOYS", "ts": r["message_ts"], "text": "x"})
	for _, user := range []string{"U_EXT", "U_NOBODY"} {
		a.refused("user_not_in_channel", "chat.postEphemeral", object{"channel": "C_DEPLOYS", "user": user, "text": "x"})
	}
	a.sim.Deactivate("U_BOB")
	a.refused("user_not_in_channel", "chat.postEphemeral", object{"channel": "C_DEPLOYS", "user": "U_BOB", "text": "x"})
	a.sim.Person("U_ANN").KillApp()
	if got := a.sim.Person("U_ANN").Messages("C_DEPLOYS"); len(got) != 0 {
		t.Errorf("after a restart Ann still sees %+v", got)
	}
}

func TestReactions(t *testing.T) {
	a := newApp(t, quiet(t))
	ts := a.postText(nil)
	at := object{"channel": "C_DEPLOYS", "timestamp": ts, "name": "eyes"}
	a.must("reactions.add", at)
	a.refused("already_reacted", "reactions.add", at)
	a.refused("invalid_name", "reactions.add", with(at, "name", "Not An Emoji"))
	a.refused("message_not_found", "reactions.add", with(at, "timestamp", "1.1"))
}

func TestAuth(t *testing.T) {
	a := newApp(t, quiet(t))
	for _, c := range []struct{ token, method, code string }{
		{"", "auth.test", "not_authed"},
		{"xoxb-wrong", "auth.test", "invalid_auth"},
		{a.sim.AppToken(), "chat.postMessage", "not_allowed_token_type"},
		{a.sim.BotToken(), "apps.connections.open", "not_allowed_token_type"},
		{a.sim.BotToken(), "chat.unknown", "unknown_method"},
	} {
		if got := a.callAs(c.token, c.method, object{}); got["error"] != c.code {
			t.Errorf("%s with token %q = %v, want %s", c.method, c.token, got, c.code)
		}
	}
	got := a.must("auth.test", object{})
	if got["team_id"] != "T_HOME" || got["user_id"] != "U_BOT" || got["bot_id"] == nil {
		t.Errorf("auth.test = %v", got)
	}
}

func TestConversationsAndUsers(t *testing.T) {
	a := newApp(t, quiet(t))
	a.refused("channel_not_found", "conversations.info", object{"channel": "C_SECRET"})
	if c := a.must("conversations.info", object{"channel": "C_NOBOT"})["channel"]; dig(c, "is_member") != false {
		t.Errorf("conversations.info of a public channel without the bot = %v", c)
	}
	dm, _ := dig(a.must("conversations.open", object{"users": "U_ANN"}), "channel", "id").(string)
	if again := dig(a.must("conversations.open", object{"users": "U_ANN"}), "channel", "id"); dm == "" || again != dm || dm[0] != 'D' {
		t.Errorf("conversations.open gave %q and then %v, want one D… id", dm, again)
	}
	a.must("chat.postMessage", object{"channel": dm, "text": "hi"})
	a.refused("user_not_found", "conversations.open", object{"users": "U_NOBODY"})
	a.refused("user_disabled", "conversations.open", object{"users": "U_GONE"})
	a.refused("users_list_not_supplied", "conversations.open", object{})
	a.refused("user_not_found", "conversations.open", object{"users": "U_ANN,U_NOBODY"})
	a.refused("too_many_users", "conversations.open", object{"users": "1,2,3,4,5,6,7,8,9"})

	var members []any
	cursor := any("")
	for range 3 {
		r := a.must("conversations.members", object{"channel": "C_DEPLOYS", "limit": 2, "cursor": cursor})
		page, _ := r["members"].([]any)
		members = append(members, page...)
		cursor = dig(r, "response_metadata", "next_cursor")
	}
	if diff := cmp.Diff([]any{"U_ANN", "U_BOB", "U_CARA", "U_GUEST", "U_BOT"}, members); diff != "" || cursor != "" {
		t.Errorf("members in pages of 2 (-want +got), last cursor %q:\n%s", cursor, diff)
	}
	a.refused("invalid_limit", "conversations.members", object{"channel": "C_DEPLOYS", "limit": 0})
	a.refused("invalid_cursor", "conversations.members", object{"channel": "C_DEPLOYS", "cursor": "x"})

	u := a.must("users.info", object{"user": "U_CARA", "include_locale": true})["user"]
	if dig(u, "tz") != "Asia/Shanghai" || dig(u, "locale") != "zh-CN" || dig(u, "tz_offset") != 28800.0 {
		t.Errorf("users.info = %v", u)
	}
	if u := a.must("users.info", object{"user": "U_CARA"})["user"]; dig(u, "locale") != nil {
		t.Errorf("users.info without include_locale = %v", u)
	}
	for user, flag := range map[string]string{"U_GUEST": "is_restricted", "U_GONE": "deleted", "U_BOT": "is_bot", "U_EXT": "is_stranger"} {
		if u := a.must("users.info", object{"user": user})["user"]; dig(u, flag) != true {
			t.Errorf("users.info(%s) = %v, want %s", user, u, flag)
		}
	}
	a.refused("user_not_found", "users.info", object{"user": "U_NOBODY"})
	if diff := cmp.Diff([]any{"U_ANN", "U_BOB"}, a.must("usergroups.users.list", object{"usergroup": "S_SRE"})["users"]); diff != "" {
		t.Errorf("usergroups.users.list (-want +got):\n%s", diff)
	}
	a.refused("no_such_subteam", "usergroups.users.list", object{"usergroup": "S_NONE"})
}

func TestBlocksValidate(t *testing.T) {
	a := newApp(t, quiet(t))
	a.must("blocks.validate", object{"view": modal(object{"type": "divider"})})
	a.must("blocks.validate", object{"blocks": []any{object{"type": "divider"}}})
	a.refused("invalid_arguments", "blocks.validate", object{})
	a.refused("invalid_arguments", "blocks.validate", object{"blocks": []any{}, "message": object{"text": "t"}})
	r := a.refused("invalid_blocks", "blocks.validate", object{"blocks": []any{object{"type": "divide"}}})
	if got := dig(r, "errors", 0, "code"); got != "failed_constraint" {
		t.Errorf("errors[0].code = %v, want failed_constraint", got)
	}
}

func TestFault_ShapesAndOrder(t *testing.T) {
	s := quiet(t)
	a := newApp(t, s)
	post := object{"channel": "C_DEPLOYS", "text": "t"}
	s.Fault("chat.postMessage", slacksim.Fault{After: 1, Times: 2, RetryAfter: 30 * time.Second})
	s.Fault("chat.postMessage", slacksim.Fault{Status: http.StatusServiceUnavailable})
	s.Fault("chat.postMessage", slacksim.Fault{Error: "fatal_error"})
	a.must("chat.postMessage", post)
	for _, want := range []struct {
		status int
		after  string
	}{{429, "30"}, {429, "30"}, {503, ""}, {200, ""}} {
		res, err := a.post(s.BotToken(), "chat.postMessage", post)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		if res.StatusCode != want.status || res.Header.Get("Retry-After") != want.after {
			t.Errorf("got %d with Retry-After %q, want %+v", res.StatusCode, res.Header.Get("Retry-After"), want)
		}
	}
	if got := s.CallsOf("chat.postMessage")[4]; got.Error() != "fatal_error" || got.OK() {
		t.Errorf("the log has %+v, want fatal_error", got)
	}
	a.must("chat.postMessage", post)
	if got := len(s.Person("U_ANN").Messages("C_DEPLOYS")); got != 2 {
		t.Errorf("%d messages are shown, want the 2 that were carried out", got)
	}
}

func TestFault_DropLeavesTheOutcomeUnknown(t *testing.T) {
	s := quiet(t)
	a := newApp(t, s)
	s.Fault("chat.postMessage", slacksim.Fault{Drop: true})
	res, err := a.post(s.BotToken(), "chat.postMessage", object{"channel": "C_DEPLOYS", "text": "t"})
	if err == nil {
		_ = res.Body.Close()
		t.Fatalf("the call was answered with %d", res.StatusCode)
	}
	if got := len(s.Person("U_ANN").Messages("C_DEPLOYS")); got != 1 {
		t.Errorf("%d messages are shown, want the one that was carried out unanswered", got)
	}
}

func TestFault_DelayHoldsTheCallBack(t *testing.T) {
	s := quiet(t)
	s.Fault("auth.test", slacksim.Fault{Delay: short})
	began := time.Now()
	newApp(t, s).must("auth.test", object{})
	if took := time.Since(began); took < short {
		t.Errorf("the call took %v, want at least %v", took, short)
	}
}
