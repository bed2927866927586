package policy_test

import (
	"strings"
	"testing"
	"time"

	"github.com/slackbridge/slackbridge/elicit"
	"github.com/slackbridge/slackbridge/policy"
)

var (
	ann = elicit.User{Team: "T_HOME", ID: "U_ANN"}
	bob = elicit.User{Team: "T_HOME", ID: "U_BOB"}
)

func parse(t *testing.T, text string) *policy.Policy {
	t.Helper()
	p, err := policy.Parse([]byte(text))
	if err != nil {
		t.Fatalf("Parse: %v", err)
	}
	return p
}

func TestMayAnswer_OnlyTheRequesterOfTheSameTeam(t *testing.T) {
	for _, tt := range []struct {
		sentence string
		asker    elicit.User
		who      elicit.User
		want     bool
	}{
		{"Ann may answer Ann's question", ann, ann, true},
		{"Bob may not answer Ann's question", ann, bob, false},
		{"the same id of another workspace may not", ann, elicit.User{Team: "T_OTHER", ID: "U_ANN"}, false},
		{"nobody may answer a question without a requester", elicit.User{}, elicit.User{}, false},
		{"an asker without a team matches nobody", elicit.User{ID: "U_ANN"}, elicit.User{ID: "U_ANN"}, false},
	} {
		got := policy.Default().MayAnswer(policy.Facts{Server: "deploy", Asker: tt.asker}, tt.who)
		if got.Allowed != tt.want {
			t.Errorf("%s: MayAnswer = %v (%s), want %v", tt.sentence, got.Allowed, got.Why, tt.want)
		}
		if got.Why == "" {
			t.Errorf("%s: the verdict gives no reason", tt.sentence)
		}
	}
}

func TestDeadline_DefaultsByEraAndKind(t *testing.T) {
	for _, tt := range []struct {
		name string
		f    policy.Facts
		want time.Duration
	}{
		{"form, blocking", policy.Facts{Era: elicit.EraBlocking, Mode: elicit.ModeForm}, 60 * time.Second},
		{"confirm, blocking", policy.Facts{Era: elicit.EraBlocking, Mode: elicit.ModeForm, Confirm: true}, 30 * time.Second},
		{"url, blocking", policy.Facts{Era: elicit.EraBlocking, Mode: elicit.ModeURL}, 5 * time.Minute},
		{"form, durable", policy.Facts{Era: elicit.EraDurable, Mode: elicit.ModeForm}, 15 * time.Minute},
		{"confirm, durable", policy.Facts{Era: elicit.EraDurable, Confirm: true}, 15 * time.Minute},
		{"url, durable", policy.Facts{Era: elicit.EraDurable, Mode: elicit.ModeURL}, 15 * time.Minute},
	} {
		if got := policy.Default().Deadline(tt.f); got != tt.want {
			t.Errorf("%s: Deadline = %s, want %s", tt.name, got, tt.want)
		}
	}
}

func TestDeadline_MostSpecificRuleWinsKeyByKey(t *testing.T) {
	p := parse(t, `
defaults:
  deadlines: {form: 2m}
rules:
  - server: deploy
    tool: deploy_service
    deadlines: {form: 10m}
  - server: deploy
    tool: "deploy_*"
    deadlines: {form: 9m, confirm: 3m}
  - server: "*"
    deadlines: {form: 8m}
  - server: deploy
    deadlines: {form: 7m}
`)
	for _, tt := range []struct {
		server, tool string
		confirm      bool
		want         time.Duration
	}{
		{"deploy", "deploy_service", false, 10 * time.Minute},
		{"deploy", "deploy_other", false, 9 * time.Minute},
		{"deploy", "status", false, 7 * time.Minute},
		{"other", "deploy_service", false, 8 * time.Minute},
		{"deploy", "deploy_service", true, 3 * time.Minute}, // the exact rule says nothing of confirm
		{"other", "x", true, 30 * time.Second},
	} {
		f := policy.Facts{Server: tt.server, Tool: tt.tool, Confirm: tt.confirm, Era: elicit.EraBlocking}
		if got := p.Deadline(f); got != tt.want {
			t.Errorf("Deadline(%s.%s, confirm %v) = %s, want %s", tt.server, tt.tool, tt.confirm, got, tt.want)
		}
	}
}

func TestDeadline_OfTwoEqualRulesTheLaterWins(t *testing.T) {
	p := parse(t, "rules:\n  - {server: a, deadlines: {form: 2m}}\n  - {server: a, deadlines: {form: 3m}}\n")
	if got := p.Deadline(policy.Facts{Server: "a"}); got != 3*time.Minute {
		t.Errorf("Deadline = %s, want 3m", got)
	}
}

func TestOnClose_CancelsUnlessTheFileSaysKeep(t *testing.T) {
	p := parse(t, "defaults: {on_close: keep}\nrules:\n  - {server: deploy, on_close: cancel}\n")
	if got := p.OnClose(policy.Facts{Server: "other"}); got != policy.CloseKeeps {
		t.Errorf("OnClose(other) = %s, want keep", got)
	}
	if got := p.OnClose(policy.Facts{Server: "deploy"}); got != policy.CloseCancels {
		t.Errorf("OnClose(deploy) = %s, want cancel", got)
	}
	if got := policy.Default().OnClose(policy.Facts{}); got != policy.CloseCancels {
		t.Errorf("OnClose without a file = %s, want cancel", got)
	}
}

func TestOffersElicitation_OnlyARuleForAllToolsTurnsItOff(t *testing.T) {
	p := parse(t, "rules:\n  - {server: quiet, elicitation: false}\n  - {server: half, tool: x, elicitation: false}\n")
	for server, want := range map[string]bool{"quiet": false, "half": true, "other": true} {
		if got := p.OffersElicitation(server); got != want {
			t.Errorf("OffersElicitation(%s) = %v, want %v", server, got, want)
		}
	}
}

func TestParse_RefusesWhatItCannotKeepAndSaysWhere(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       []string // all in the error
	}{
		{"unknown key", "defaults:\n  onclose: keep\n", []string{"[2:", "onclose"}},
		{"gates", "gates:\n  - server: deploy\n    approvals: 2\n", []string{"[2:", "gates", "cannot enforce"}},
		{"other responders", "rules:\n  - server: a\n    responders: {users: [U0AAA]}\n", []string{"[3:", "users", "cannot enforce"}},
		{"requester false", "rules:\n  - server: a\n    responders: {requester: false}\n", []string{"[3:", "requester", "nobody else"}},
		{"allow_secret_fields", "rules:\n  - server: a\n    allow_secret_fields: [k]\n", []string{"[3:", "cannot enforce"}},
		{"bad duration", "defaults:\n  deadlines: {form: soon}\n", []string{"[2:", `"soon"`, "15m"}},
		{"too short", "defaults:\n  deadlines: {form: 1ms}\n", []string{"[2:", "1ms"}},
		{"too long", "defaults:\n  deadlines: {durable: 169h}\n", []string{"[2:", "169h"}},
		{"number for a duration", "defaults:\n  deadlines: {form: 60}\n", []string{"[2:"}},
		{"bad on_close", "defaults:\n  on_close: maybe\n", []string{"[2:", `"maybe"`}},
		{"bad glob", "rules:\n  - server: \"[\"\n", []string{"[2:", "glob"}},
		{"empty rule", "rules:\n  - {}\n", []string{"rules[0]"}},
		{"not a mapping", "- a\n", []string{"[1:"}},
		{"not YAML", "defaults: [", []string{"[1:"}},
	} {
		_, err := policy.Parse([]byte(tt.text))
		if err == nil {
			t.Errorf("%s: Parse took it", tt.name)
			continue
		}
		for _, want := range tt.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: error does not say %q:\n%v", tt.name, want, err)
			}
		}
	}
}

func TestParse_EmptyFileIsTheDefaultPolicy(t *testing.T) {
	for _, text := range []string{"", "# nothing\n", "defaults: {}\n", "rules:\n  - {server: a, responders: {requester: true}}\n"} {
		p := parse(t, text)
		if got := p.Deadline(policy.Facts{Server: "a"}); got != policy.DefaultForm {
			t.Errorf("%q: Deadline = %s, want %s", text, got, policy.DefaultForm)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("defaults: {on_close: keep, deadlines: {form: 1m}}\nrules:\n  - {server: a*, tool: '?', elicitation: false}\n"))
	f.Add([]byte("gates: []"))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := policy.Parse(data)
		if err != nil {
			return
		}
		if d := p.Deadline(policy.Facts{Server: "deploy", Tool: "x"}); d < policy.MinDeadline || d > policy.MaxDeadline {
			t.Errorf("Parse(%q) gives a deadline of %s", data, d)
		}
	})
}
