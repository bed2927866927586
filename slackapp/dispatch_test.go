package slackapp

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slackbridge/slackbridge/blockkit"
	"github.com/slackbridge/slackbridge/elicit"
)

func dispatcherFor(t *testing.T, h Handler) *dispatcher {
	t.Helper()
	d := newDispatcher(newClient(t, "http://127.0.0.1:1/", &naps{}), h)
	t.Cleanup(d.jobs.Wait)
	return d
}

func (d *dispatcher) take(t *testing.T, payload string) string {
	t.Helper()
	answer, err := d.interaction(t.Context(), []byte(payload))
	if err != nil {
		t.Fatalf("%s: %v", payload, err)
	}
	raw, err := encodeBody(answer.body)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

const clickPayload = `{"type":"block_actions","trigger_id":"T1","response_url":"https://r.test","user":{"id":"U_ANN","team_id":"T_HOME"},"team":{"id":"T_OTHER"},
 "channel":{"id":"C1"},"container":{"type":"message","message_ts":"2.2","thread_ts":"1.1","channel_id":"C1"},
 "actions":[{"action_id":"elicit_respond","block_id":"b","value":"p1"}]}`

func TestDispatch_ClickIsAcknowledgedBeforeItIsHandled(t *testing.T) {
	h := &recorder{block: make(chan struct{})}
	d := dispatcherFor(t, h)
	if ack := d.take(t, clickPayload); ack != "" {
		t.Errorf("the acknowledgement is %q, want an empty one", ack)
	}
	if n := h.total(); n != 0 {
		t.Errorf("the handler ran before the acknowledgement")
	}
	close(h.block)
	h.wait(t, 1)
	c := h.clicks[0]
	want := blockkit.Click{
		User: elicit.User{Team: "T_HOME", ID: "U_ANN"}, Action: "elicit_respond", Value: "p1", Message: elicit.MessageRef{Channel: "C1", TS: "2.2"},
		Thread: "1.1", TriggerID: "T1", ResponseURL: "https://r.test", At: noon,
	}
	if d := cmp.Diff(want, c); d != "" {
		t.Errorf("click (-want +got):\n%s", d)
	}
}

func TestDispatch_OneDeliveryTwiceIsHandledOnce(t *testing.T) {
	h := &recorder{}
	d := dispatcherFor(t, h)
	d.take(t, clickPayload)
	d.take(t, clickPayload)
	d.take(t, strings.Replace(clickPayload, `"T1"`, `"T2"`, 1)) // a second press is not a repetition
	h.wait(t, 2)
	d.jobs.Wait()
	if n := h.total(); n != 2 {
		t.Errorf("%d clicks were handled, want 2", n)
	}
}

func TestDispatch_SubmissionIsAnsweredInsideTheAcknowledgement(t *testing.T) {
	const payload = `{"type":"view_submission","user":{"id":"U_ANN"},"team":{"id":"T_HOME"},"view":{"id":"V1","hash":"h","callback_id":"elicit_form","private_metadata":"p1","state":{"values":[]}}}`
	notice := blockkit.NoticeModal(blockkit.Text("too late"))
	for name, tt := range map[string]struct {
		reply blockkit.SubmitReply
		want  []string
	}{
		"closed":   {blockkit.SubmitReply{}, []string{`"response_action":"clear"`}},
		"errors":   {blockkit.SubmitReply{Errors: map[string]string{"f0": "no"}}, []string{`"response_action":"errors"`, `"errors":{"f0":"no"}`}},
		"replaced": {blockkit.SubmitReply{Replace: &notice}, []string{`"response_action":"update"`, `"type":"modal"`}},
	} {
		h := &recorder{reply: tt.reply}
		ack := dispatcherFor(t, h).take(t, payload)
		for _, want := range tt.want {
			if !strings.Contains(ack, want) {
				t.Errorf("%s: the acknowledgement %s lacks %s", name, ack, want)
			}
		}
		if s := h.submits[0]; s.User != (elicit.User{Team: "T_HOME", ID: "U_ANN"}) || s.View.Metadata != "p1" || string(s.State) != `{"values":[]}` {
			t.Errorf("%s: submission %+v", name, s)
		}
	}
}

func TestDispatch_EmptySearchIsAList(t *testing.T) {
	const payload = `{"type":"block_suggestion","user":{"id":"U_ANN"},"team":null,"block_id":"f0","action_id":"f0","value":"x","view":{"id":"V1"}}`
	if ack := dispatcherFor(t, &recorder{}).take(t, payload); ack != `{"options":[]}` {
		t.Errorf("the acknowledgement is %s", ack)
	}
}

func TestDispatch_PanicOfAHandlerEndsNothingElse(t *testing.T) {
	h := &recorder{panicky: true}
	d := dispatcherFor(t, h)
	d.take(t, clickPayload)
	d.take(t, `{"type":"view_submission","user":{"id":"U"},"view":{"id":"V1"}}`)
	h.wait(t, 2)
}

func TestDispatch_UnknownTypesAreAcknowledged(t *testing.T) {
	h := &recorder{}
	d := dispatcherFor(t, h)
	for _, payload := range []string{`{"type":"shortcut","user":{"id":"U"}}`, `{"type":"view_submission","user":{"id":"U"}}`, `{"type":"block_actions","user":{"id":"U"},"actions":[]}`} {
		if ack := d.take(t, payload); ack != "" {
			t.Errorf("%s is acknowledged with %q", payload, ack)
		}
	}
	if n := h.total(); n != 0 {
		t.Errorf("%d handlers ran", n)
	}
}

func FuzzParsePayload(f *testing.F) {
	f.Add([]byte(clickPayload))
	f.Add([]byte(`{"type":"view_closed","user":{"id":"U"},"view":null}`))
	f.Add([]byte(`[]`))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := parsePayload(data)
		if err != nil {
			return
		}
		if p.user().ID == "" {
			t.Errorf("%q names nobody", data)
		}
		for i := range p.Actions {
			p.click(i, noon)
		}
		if !json.Valid(data) {
			t.Errorf("%q was read although it is not JSON", data)
		}
	})
}
