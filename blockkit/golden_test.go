package blockkit_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/slackbridge/slackbridge/blockkit"
	"github.com/slackbridge/slackbridge/elicit"
)

var update = flag.Bool("update", false, "write the golden files anew")

// golden compares JSON with testdata/name.json.
func golden(t *testing.T, name string, raw []byte) {
	t.Helper()
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatal(err)
	}
	if err := enc.Encode(v); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join("testdata", name+".json")
	if *update {
		if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v (go test ./blockkit -update writes it)", err)
	}
	if d := cmp.Diff(string(want), b.String()); d != "" {
		t.Errorf("%s (-want +got):\n%s", file, d)
	}
}

// deployForm has most kinds of fields; hostile has all that a server may try.
const (
	deployForm = `{"type":"object","properties":{
		"cluster":{"type":"string","title":"Cluster","enum":["prod-eu","prod-us","staging"],"default":"staging"},
		"window":{"type":"string","title":"Maintenance window","description":"When may it happen?","maxLength":80},
		"owner":{"type":"string","title":"Owner","format":"email"},
		"runbook":{"type":"string","format":"uri"},
		"day":{"type":"string","title":"Day","format":"date"},
		"at":{"type":"string","title":"At","format":"date-time","default":"2026-12-01T22:00:00Z"},
		"replicas":{"type":"integer","title":"Replicas","minimum":1,"maximum":50,"default":3},
		"ratio":{"type":"number","title":"Ratio","exclusiveMinimum":0,"multipleOf":0.05},
		"regions":{"type":"array","title":"Regions","minItems":1,"maxItems":2,"items":{"anyOf":[{"const":"eu","title":"Europe"},{"const":"us","title":"America"},{"const":"ap","title":"Asia"}]},"default":["eu"]},
		"notify":{"type":"boolean","title":"Notify","default":true},
		"kind":{"const":"rolling","title":"Kind"},
		"confirm":{"type":"boolean","title":"Confirm"}},
		"required":["cluster","window","regions","confirm"]}`
	hostileMessage = "<!channel> <@U_BOB> *bold* `code` :tada: https://evil.example <https://evil.example|Approve here>\n" +
		"> quote\n\u202Egnol\u200B\U000E0061\u0007" +
		"\n\n\n\n\n\n\n\nfar below" + "                                        and far right #general @here ann@example.com"
	hostileForm = `{"type":"object","properties":{
		"<!here>":{"type":"string","title":"<!channel> *x* :tada: \u202Eabc","description":"<https://evil.example|safe>"},
		"b":{"type":"string","title":"Same"},"c":{"type":"string","title":"Same"},
		"d":{"type":"string","oneOf":[{"const":"1","title":"<@U_BOB>"},{"const":"2","title":"<@U_BOB>"},{"const":"3","title":""}]}}}`
)

func TestGolden_Modals(t *testing.T) {
	for name, m := range map[string]blockkit.Modal{
		"modal_deploy":   parse(t, deployForm).Modal(formView("Deploy payments 2.3.1?\nThis restarts all pods.")),
		"modal_hostile":  parse(t, hostileForm).Modal(formView(hostileMessage)),
		"modal_loading":  blockkit.LoadingModal("p1", ann, time.Time{}),
		"modal_notice":   blockkit.NoticeModal(blockkit.UnknownQuestion()),
		"modal_declined": blockkit.EndedModal("deploy", elicit.StateDecided, decision(elicit.Decline, elicit.ReasonDeclined)),
	} {
		t.Run(name, func(t *testing.T) { golden(t, name, viewJSON(t, m)) })
	}
}

func TestGolden_Messages(t *testing.T) {
	confirm := object(`{"confirm":{"type":"boolean","title":"Confirm"}}`, "confirm")
	for name, m := range map[string]blockkit.Message{
		"card_deploy":  card("Deploy payments 2.3.1?\nThis restarts all pods.", parse(t, deployForm)).Open(),
		"card_hostile": card(hostileMessage, parse(t, hostileForm)).Open(),
		"card_accept":  card("Restart payments?", parse(t, `{"type":"object","properties":{}}`)).Open(),
		"card_confirm": card("Delete the volume?", parse(t, confirm)).Open(),
		"card_accepted": card("", nil).Ended(elicit.StateDelivered,
			decision(elicit.Accept, elicit.ReasonSubmitted)),
		"card_expired": card("", nil).Ended(elicit.StateDecided,
			elicit.Decision{Action: elicit.Cancel, Reason: elicit.ReasonExpired, At: decided}),
		"call_running": call.Running(),
		"call_ended":   call.Ended(blockkit.CallFailed),
		"servers": blockkit.ServersList([]elicit.ServerState{
			{Name: "deploy", Transport: "stdio", Protocol: "2025-11-25", Era: elicit.EraBlocking},
			{Name: "billing", Transport: "http"},
			{Name: "broken", Transport: "http", Err: errors.New("dial tcp: <connection refused>")},
		}),
		"help": blockkit.Help([]string{"deploy", "billing"}),
	} {
		t.Run(name, func(t *testing.T) { golden(t, name, messageJSON(t, m)) })
	}
}

var call = blockkit.Call{Requester: "U_ANN", Server: "deploy", Tool: "deploy_service", ID: "c1"}

func decision(a elicit.Action, r elicit.Reason) elicit.Decision {
	return elicit.Decision{Action: a, Reason: r, Responder: ann, At: decided}
}
