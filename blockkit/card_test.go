package blockkit_test

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/slackbridge/slackbridge/blockkit"
	"github.com/slackbridge/slackbridge/elicit"
)

// buttons are the buttons of a message: action id, value, label, style.
func buttons(t testing.TB, m blockkit.Message) []string {
	t.Helper()
	var msg struct {
		Blocks []struct {
			Type     string `json:"type"`
			Elements []struct {
				ActionID string          `json:"action_id"`
				Value    string          `json:"value"`
				Text     json.RawMessage `json:"text"`
				Style    json.RawMessage `json:"style"`
				Confirm  json.RawMessage `json:"confirm"`
			} `json:"elements"`
		} `json:"blocks"`
	}
	if err := json.Unmarshal(messageJSON(t, m), &msg); err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, b := range msg.Blocks {
		if b.Type != "actions" {
			continue
		}
		for _, e := range b.Elements {
			var label struct{ Text string }
			if err := json.Unmarshal(e.Text, &label); err != nil {
				t.Fatal(err)
			}
			s := e.ActionID + " " + e.Value + " " + label.Text + string(e.Style)
			if e.Confirm != nil {
				s += " +confirm"
			}
			out = append(out, s)
		}
	}
	return out
}

func TestCard_OffersWhatTheFormNeeds(t *testing.T) {
	rest := []string{"elicit_decline p1 Decline", "elicit_cancel p1 Cancel"}
	respond := append([]string{"elicit_respond p1 Respond…"}, rest...)
	long := strings.Repeat("x", 31)
	for _, tt := range []struct {
		name, schema string
		want         []string
	}{
		{"no fields", `{"type":"object"}`, append([]string{"elicit_accept p1 Accept"}, rest...)},
		{"text", object(`{"x":{"type":"string"}}`, "x"), respond},
		{"required boolean", object(`{"x":{"type":"boolean"}}`, "x"), append([]string{"elicit_choice_0 p1 Yes +confirm", "elicit_choice_1 p1 No +confirm"}, respond...)},
		{"required boolean with default", object(`{"x":{"type":"boolean","default":true}}`, "x"), append([]string{"elicit_choice_0 p1 Yes +confirm", "elicit_choice_1 p1 No +confirm"}, respond...)},
		{"optional boolean", object(`{"x":{"type":"boolean"}}`), respond},
		{"four options", object(`{"x":{"enum":["a","b","c","d"]}}`, "x"), append([]string{"elicit_choice_0 p1 a +confirm", "elicit_choice_1 p1 b +confirm", "elicit_choice_2 p1 c +confirm", "elicit_choice_3 p1 d +confirm"}, respond...)},
		{"five options", object(`{"x":{"enum":["a","b","c","d","e"]}}`, "x"), respond},
		{"a long option", object(`{"x":{"enum":["a","`+long+`"]}}`, "x"), respond},
		{"two fields", object(`{"x":{"type":"boolean"},"y":{"type":"string"}}`, "x"), respond},
		{"several", object(`{"x":{"type":"array","items":{"enum":["a","b"]}}}`, "x"), respond},
		{"a choice that another rule forbids", `{"properties":{"x":{"enum":["a","abc"]}},"required":["x"],"not":{"properties":{"x":{"const":"a"}}}}`, respond},
		{"an option that reads like our button", object(`{"x":{"enum":["Approve","decline"]}}`, "x"), respond},
		{"a title that was cut", object(`{"x":{"type":"boolean","title":"`+strings.Repeat("I agree ", 40)+`"}}`, "x"), respond},
		{"constant", object(`{"x":{"const":"a"}}`, "x"), respond},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := buttons(t, card("Go?", parse(t, tt.schema)).Open())
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Errorf("buttons (-want +got):\n%s", d)
			}
		})
	}
}

func TestCard_ChoicesAnswerTheWholeForm(t *testing.T) {
	for schema, want := range map[string][]string{
		object(`{"go on":{"type":"boolean","default":false}}`, "go on"): {`Yes {"go on":true}`, `No {"go on":false}`},
		object(`{"n":{"enum":[1.50,"<b>"]}}`, "n"):                      {`1.50 {"n":1.50}`, `<b> {"n":"<b>"}`},
		object(`{"n":{"type":"integer"}}`, "n"):                         nil,
	} {
		var got []string
		for _, c := range parse(t, schema).Choices() {
			got = append(got, c.Label+" "+string(c.Content))
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", schema, d)
		}
	}
}

func TestCard_SaysWhoAsksWhomForWhatAndUntilWhen(t *testing.T) {
	c := card("Which cluster?", parse(t, deployForm))
	c.Responders = []string{"U_ANN", "U_CARA"}
	m := c.Open()
	for _, want := range []string{"deploy", "deploy_service", "<@U_ANN>", "<@U_CARA>", "Which cluster?", "Cluster", "Maintenance window", "<!date^1796164200^", "2026-12-01 22:30 UTC"} {
		if !strings.Contains(m.Text, want) {
			t.Errorf("the text lacks %q: %s", want, m.Text)
		}
	}
	if n := strings.Count(card("?", parse(t, deployForm)).Open().Text, "<@U_ANN>"); n != 1 {
		t.Errorf("the requester who answers alone is named %d times, want once", n)
	}
}

func TestCard_ManyFieldsAreCounted(t *testing.T) {
	var props []string
	for i := range 30 {
		props = append(props, fmt.Sprintf(`"p%d":{"type":"string"}`, i))
	}
	text := card("?", parse(t, object("{"+strings.Join(props, ",")+"}"))).Open().Text
	if !strings.Contains(text, "p19 and 10 more fields") {
		t.Errorf("text %q", text)
	}
}

func TestEnded_BeginsWithHowItEnded(t *testing.T) {
	nobody := elicit.User{}
	for _, tt := range []struct {
		state  elicit.State
		reason elicit.Reason
		who    elicit.User
		want   string
		why    string
	}{
		{elicit.StateDelivered, elicit.ReasonSubmitted, ann, "Accepted by <@U_ANN>, <!date^1796163300^", ""},
		{elicit.StateDecided, elicit.ReasonDeclined, ann, "Declined by <@U_ANN>, ", ""},
		{elicit.StateDecided, elicit.ReasonDismissed, ann, "Dismissed by <@U_ANN>, ", "closed"},
		{elicit.StateDecided, elicit.ReasonCancelled, ann, "Cancelled by <@U_ANN>, ", ""},
		{elicit.StateDecided, elicit.ReasonStopped, nobody, "Cancelled by the end of its call, ", "stopped"},
		{elicit.StateDecided, elicit.ReasonStopped, ann, "Cancelled by <@U_ANN>, ", "stopped"},
		{elicit.StateDecided, elicit.ReasonShutdown, nobody, "Cancelled by a restart of the bot, ", "Run the tool again"},
		{elicit.StateDecided, elicit.ReasonExpired, nobody, "Expired, ", "Nobody answered"},
		{elicit.StateWithdrawn, elicit.ReasonWithdrawn, nobody, "Withdrawn by the server, ", "does not need"},
		{elicit.StateLost, elicit.ReasonOwnerLost, nobody, "Lost, ", "owner_lost"},
		{elicit.StateLost, elicit.ReasonConnectionLost, nobody, "Lost, ", "connection_lost"},
		{elicit.StateLost, elicit.ReasonSubmitted, ann, "Lost, ", "did not reach the server"},
		{elicit.StateDecided, elicit.ReasonUndeliverable, nobody, "Not shown, ", "undeliverable"},
		{elicit.StateDecided, elicit.ReasonSlackUnreachable, nobody, "Not shown, ", "slack_unreachable"},
		{elicit.StateDecided, elicit.ReasonUnrenderable, nobody, "Not shown, ", "unrenderable"},
		{elicit.StateDecided, elicit.ReasonMalformed, nobody, "Not shown, ", "malformed"},
		{elicit.StateDecided, elicit.ReasonRepeated, nobody, "Not shown, ", "repeated"},
	} {
		d := elicit.Decision{Action: elicit.Cancel, Reason: tt.reason, Responder: tt.who, At: decided}
		m := card("", nil).Ended(tt.state, d)
		if !strings.HasPrefix(m.Text, tt.want) || !strings.Contains(m.Text, tt.why) {
			t.Errorf("%s/%s: %q, want %q … %q", tt.state, tt.reason, m.Text, tt.want, tt.why)
		}
		if b := buttons(t, m); b != nil {
			t.Errorf("%s/%s still has buttons: %v", tt.state, tt.reason, b)
		}
		if !strings.Contains(m.Text, "deploy_service") {
			t.Errorf("%s/%s does not say who had asked: %s", tt.state, tt.reason, m.Text)
		}
		late := blockkit.AlreadyEnded(tt.state, d).Plain()
		if head, _, _ := strings.Cut(tt.want, " <@"); !strings.Contains(late, strings.TrimSuffix(head, ", ")) {
			t.Errorf("AlreadyEnded: %q, want it to say %q", late, head)
		}
		viewJSON(t, blockkit.EndedModal("deploy", tt.state, d))
	}
}

func TestCall_CanBeStoppedWhileItRuns(t *testing.T) {
	if d := cmp.Diff([]string{"call_stop c1 Stop"}, buttons(t, call.Running())); d != "" {
		t.Errorf("buttons (-want +got):\n%s", d)
	}
	if got := call.Running().Text; got != "<@U_ANN> runs deploy.deploy_service" {
		t.Errorf("text %q", got)
	}
	if b := buttons(t, call.Ended(blockkit.CallFinished)); b != nil {
		t.Errorf("an ended call has buttons: %v", b)
	}
}

func TestModal_IsTheSameForADoubleClickAndNobodyElse(t *testing.T) {
	f := parse(t, object(`{"x":{"type":"string"}}`))
	id := func(p elicit.PendingID, u elicit.User) string {
		v := formView("?")
		v.ID, v.User = p, u
		m := f.Modal(v)
		if loading := blockkit.LoadingModal(p, u, time.Time{}); loading.View.ExternalID != m.View.ExternalID {
			t.Error("the loading view has another external_id than its form")
		}
		if m.View.PrivateMetadata != string(p) {
			t.Errorf("private_metadata %q, want the pending id", m.View.PrivateMetadata)
		}
		return m.View.ExternalID
	}
	first := id("p1", ann)
	for _, other := range []string{id("p2", ann), id("p1", elicit.User{Team: "T_HOME", ID: "U_BOB"}), id("p1", elicit.User{Team: "T_OTHER", ID: "U_ANN"})} {
		if other == first {
			t.Error("two questions or people share an external_id")
		}
	}
	if id("p1", ann) != first {
		t.Error("a second click gets another external_id")
	}
}

func TestModal_OffersDeclineInside(t *testing.T) {
	raw := viewJSON(t, parse(t, deployForm).Modal(formView("?")))
	if !bytesHave(raw, `"action_id":"elicit_decline","value":"p1"`) {
		t.Errorf("no Decline in the form: %s", shorten(raw))
	}
	loading := blockkit.LoadingModal("p1", ann, time.Time{})
	if loading.View.CallbackID != "elicit_loading" || loading.View.NotifyOnClose || bytesHave(viewJSON(t, loading), `"input"`) {
		t.Errorf("loading view %+v", loading.View)
	}
}

func TestModal_LabelsThatCollideGetTheirNames(t *testing.T) {
	f := parse(t, object(`{"a":{"type":"string","title":"Name"},"b":{"type":"string","title":"Name"},"Name":{"type":"string"},"c":{"type":"string","title":"Other"}}`))
	if d := cmp.Diff([]string{"Name (a)", "Name (b)", "Name", "Other"}, f.Labels()); d != "" {
		t.Errorf("labels (-want +got):\n%s", d)
	}
}

func TestModal_CutLabelsAndOptionsStayApartAndReadable(t *testing.T) {
	long := strings.Repeat("very ", 60)
	f := parse(t, object(`{"a":{"type":"string","title":"`+long+`one"},"b":{"type":"string","title":"`+long+`two"},
		"c":{"type":"string","enum":["`+long+`one","`+long+`two","short"]}}`))
	labels := f.Labels()
	if labels[0] == labels[1] {
		t.Errorf("two labels are the same: %q", labels[0])
	}
	raw := viewJSON(t, f.Modal(formView("?")))
	for _, whole := range []string{long + "one", long + "two"} {
		if strings.Count(string(raw), whole) < 2 {
			t.Errorf("the whole text %q is not in the view for its label and its option", whole)
		}
	}
	options := inputs(t, f)[2].optionLabels()
	if options[0] == options[1] {
		t.Errorf("two options are the same: %q", options[0])
	}
	wantContent(t, f, `{"c":"`+long+`two"}`, nil, nil, picked("o1"))
}

func TestModal_TextsWithoutRoomStandTogetherInAFullForm(t *testing.T) {
	var props []string
	for i := range 95 {
		props = append(props, fmt.Sprintf(`"p%d":{"type":"string","description":"%d %s"}`, i, i, strings.Repeat("about ", 100)))
	}
	f := parse(t, object("{"+strings.Join(props, ",")+"}"))
	if n := len(inputs(t, f)); n != 95 {
		t.Errorf("%d inputs, want 95", n)
	}
	var message strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&message, "line %d\n", i)
	}
	raw := string(viewJSON(t, f.Modal(formView(message.String()))))
	for i := range 2000 {
		if line := fmt.Sprintf(`line %d\n`, i); !strings.Contains(raw, line) {
			t.Fatalf("%s of the message is missing", line)
		}
	}
	for i := range 95 {
		if !strings.Contains(raw, fmt.Sprintf(`%d about about`, i)) {
			t.Fatalf("the description of p%d is missing", i)
		}
	}
}

func TestForm_TooManyOptionsForAViewAreSearched(t *testing.T) {
	var props []string
	for i := range 95 {
		props = append(props, fmt.Sprintf(`"p%d":{"type":"string",%s}`, i, enum(99)))
	}
	f := parse(t, object("{"+strings.Join(props, ",")+"}"))
	kinds := map[string]int{}
	for _, in := range inputs(t, f) {
		kinds[in.typ()]++
	}
	if kinds["static_select"] == 0 || kinds["external_select"] == 0 {
		t.Errorf("%v, want some menus whole and some searched", kinds)
	}
}

func TestSearch_FindsByTitleAndByValue(t *testing.T) {
	var entries []string
	for i := range 150 {
		entries = append(entries, fmt.Sprintf(`{"const":"id-%d","title":"Größe %d <&>"}`, i, i))
	}
	f := parse(t, object(`{"x":{"oneOf":[`+strings.Join(entries, ",")+`]},"y":{"type":"string"}}`))
	for text, want := range map[string]int{"": 100, "GRÖSSE 149": 1, "größe 14 ": 11, "größe 149": 1, " ID-149": 1, "nothing like it": 0, "no ans": 1, "größe 1": 61, "<&>": 100} {
		got := f.Search("f0", text, blockkit.English)
		optionsJSON(t, got)
		if text == "" || text == "<&>" { // as many as fit into an acknowledgement
			if len(got) < 60 || len(got) > 100 {
				t.Errorf("Search(%q): %d options", text, len(got))
			}
			continue
		}
		if len(got) != want {
			t.Errorf("Search(%q): %d options, want %d", text, len(got), want)
		}
	}
	if first := f.Search("f0", "", blockkit.English)[0]; first.Text.Text != "No answer" {
		t.Errorf("the first option is %q, want No answer", first.Text.Text)
	}
	for _, block := range []string{"f1", "f2", "", "decline"} {
		if got := f.Search(block, "", blockkit.English); got == nil || len(got) != 0 {
			t.Errorf("Search in %q: %v, want an empty list", block, got)
		}
	}
}

func TestSearch_WholeOfAShortOptionIsFoundAmongThoseThatContainIt(t *testing.T) {
	var numbers []string
	for i := range 2000 {
		numbers = append(numbers, fmt.Sprintf("%q", strconv.Itoa(1999-i)))
	}
	f := parse(t, object(`{"x":{"enum":[`+strings.Join(numbers, ",")+`]}}`, "x"))
	for _, want := range []string{"1", "19", "0"} {
		if got := f.Search("f0", want, blockkit.English); len(got) == 0 || got[0].Text.Text != want {
			t.Errorf("Search(%q) does not begin with it", want)
		}
	}
}

func TestSearch_ComparesAsPeopleTypeInAnyScript(t *testing.T) {
	titles := []string{"Straße", "İstanbul", "Ａｌｐｈａ", "Ωμέγα", "上海 Shanghai", "ガス", "Zu\u0308rich"}
	list := make([]string, 0, 200)
	for i := range 200 {
		list = append(list, fmt.Sprintf(`{"const":%d,"title":"%s"}`, i, append(titles, fmt.Sprintf("other %d", i))[min(i, len(titles))]))
	}
	f := parse(t, object(`{"x":{"oneOf":[`+strings.Join(list, ",")+`]}}`, "x"))
	for text, want := range map[string]string{"STRASSE": "o0", "alpha": "o2", "ωμΈγα": "o3", "上海": "o4", "ｶﾞｽ": "o5", "zürich": "o6"} {
		if got := f.Search("f0", text, blockkit.English); len(got) != 1 || got[0].Value != want {
			t.Errorf("Search(%q): %d options, want only %s", text, len(got), want)
		}
	}
}

func TestSearch_StaysBelowTheSizeThatSocketsDrop(t *testing.T) {
	var entries []string
	for i := range 200 {
		entries = append(entries, fmt.Sprintf(`{"const":%d,"title":"%s %d","description":"%s"}`, i, strings.Repeat("<", 15), i, strings.Repeat("&", 15)))
	}
	f := parse(t, object(`{"x":{"oneOf":[`+strings.Join(entries, ",")+`]}}`, "x"))
	if got := f.Search("f0", "", blockkit.English); len(got) < 20 {
		t.Errorf("%d options, want as many as fit", len(got))
	} else {
		optionsJSON(t, got)
	}
}

func TestFirstBlock_IsTheFirstInputThatSlackSent(t *testing.T) {
	for state, want := range map[string]string{
		`{"values":{"f10":{"v":{}},"f2":{"v":{}},"x":{"v":{}},"f02":{"v":{}}}}`: "f2",
		`{"values":{"f1":{"other":{}}}}`:                                        "",
		`{`:                                                                     "",
	} {
		if got := blockkit.FirstBlock(json.RawMessage(state)); got != want {
			t.Errorf("FirstBlock(%s) = %q, want %q", state, got, want)
		}
	}
}

func TestCard_TextHoldsAsMuchAsSlackTakes(t *testing.T) {
	var message strings.Builder
	for i := range 600 {
		fmt.Fprintf(&message, "line-%d: <b>\n", i)
	}
	text := card(message.String(), parse(t, deployForm)).Open().Text
	if n := len([]rune(text)); n < 3900 || n > 4000 || !strings.HasSuffix(text, "…") {
		t.Errorf("the text has %d characters and ends in %q", n, text[len(text)-20:])
	}
}

func TestNote_LongTextIsCutAndSaysSo(t *testing.T) {
	m := blockkit.Note(blockkit.Text(strings.Repeat("word ", 20_000)))
	if raw := messageJSON(t, m); !bytesHave(raw, "cut here") {
		t.Errorf("no mark of a cut: %s", shorten(raw))
	}
	at := blockkit.Note(blockkit.Text(strings.Repeat("<&>", 2000)), blockkit.Mention("U_ANN"), blockkit.Date(decided.Add(time.Hour)))
	messageJSON(t, at)
}
