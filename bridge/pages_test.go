package bridge_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/slackbridge/slackbridge/blockkit"
)

// longForm takes several pages.
func longForm() string {
	var props []string
	for i := range 60 {
		props = append(props, fmt.Sprintf(`"p%d":{"type":"string","description":%q}`, i, strings.Repeat("about ", 60)))
	}
	for i := range 50 {
		props = append(props, fmt.Sprintf(`"q%d":{"type":"string"}`, i))
	}
	return `{"message":"?","requestedSchema":{"type":"object","properties":{` + strings.Join(props, ",") + `},"required":["p0"]}}`
}

// page is a modal that somebody has open.
type page struct {
	t    *testing.T
	r    *rig
	view blockkit.Modal
}

// openPage returns the modal that was opened or updated last.
func (r *rig) openPage() page {
	r.t.Helper()
	all := append(r.slack.of("open"), r.slack.of("view")...)
	if len(all) == 0 {
		r.t.Fatal("no form is open")
	}
	return page{r.t, r, all[len(all)-1].modal}
}

// state types text into each input of the page.
func (p page) state(text string) json.RawMessage {
	p.t.Helper()
	raw, err := json.Marshal(p.view.View)
	if err != nil {
		p.t.Fatal(err)
	}
	var v struct {
		Blocks []struct {
			Type    string `json:"type"`
			BlockID string `json:"block_id"`
		} `json:"blocks"`
	}
	if err := json.Unmarshal(raw, &v); err != nil {
		p.t.Fatal(err)
	}
	values := map[string]any{}
	for _, b := range v.Blocks {
		if b.Type == "input" {
			values[b.BlockID] = map[string]any{"v": map[string]any{"value": text}}
		}
	}
	out, err := json.Marshal(map[string]any{"values": values})
	if err != nil {
		p.t.Fatal(err)
	}
	return out
}

func (p page) ref() blockkit.ViewRef {
	return blockkit.ViewRef{ID: "V1", CallbackID: p.view.View.CallbackID, Metadata: p.view.View.PrivateMetadata}
}

func (p page) submit(text string) blockkit.SubmitReply {
	p.t.Helper()
	reply := p.r.b.Submit(p.t.Context(), blockkit.Submission{
		User: ann, View: p.ref(), State: p.state(text), TriggerID: "submit", At: time.Now(),
	})
	if reply.Then != nil {
		reply.Then(p.t.Context())
	}
	synctest.Wait()
	return reply
}

// next hands the page in and returns the one that follows.
func (p page) next(text string) page {
	p.t.Helper()
	reply := p.submit(text)
	if len(reply.Errors) > 0 || reply.Replace == nil {
		p.t.Fatalf("the page was not turned: %+v", reply)
	}
	if reply.Then != nil {
		return p.r.openPage()
	}
	return page{p.t, p.r, *reply.Replace}
}

func (p page) back(text string) {
	p.t.Helper()
	ref := p.ref()
	p.r.b.Click(p.t.Context(), blockkit.Click{
		User: ann, Action: blockkit.ActionBack, View: &ref, State: p.state(text), TriggerID: "back", At: time.Now(),
	})
	synctest.Wait()
}

func (p page) says(want string) bool {
	p.t.Helper()
	raw, err := json.Marshal(p.view.View)
	if err != nil {
		p.t.Fatal(err)
	}
	return strings.Contains(string(raw), want)
}

func TestPages_AreKeptUntilTheLastOneDecides(t *testing.T) {
	bubble(t, nil, func(t *testing.T, r *rig) {
		r.host.call = r.asking(longForm())
		r.run()
		r.click(ann, blockkit.ActionRespond)
		first := r.openPage()
		if !first.says("Page 1 of") {
			t.Fatal("the form has one page")
		}
		p := first.next("one")
		r.wantAnswers()
		for p.says(`"text":"Next"`) {
			p = p.next("one")
		}
		p.back("wrong way")
		p = r.openPage()
		if !p.says(`"initial_value":"one"`) {
			t.Error("going back lost what was entered there")
		}
		last := p.next("two")
		if !last.says(`"initial_value":"wrong way"`) {
			t.Error("going back lost what was typed on the page that was left")
		}
		if reply := last.submit("three"); reply.Replace != nil || len(reply.Errors) > 0 {
			t.Fatalf("the last page: %+v", reply)
		}
		sent := r.sent()
		if len(sent) != 1 || !strings.HasPrefix(string(sent[0].Content), `{"p0":"one",`) || !strings.HasSuffix(string(sent[0].Content), `"q49":"three"}`) {
			t.Errorf("on the wire: %+v", sent)
		}
		if len(r.ledger.drafts) != 0 {
			t.Error("a draft outlives its form")
		}
	})
}

func TestPages_PutDownFormGoesOnWithWhatWasEntered(t *testing.T) {
	bubble(t, nil, func(t *testing.T, r *rig) {
		r.host.call = r.asking(longForm())
		r.run()
		r.click(ann, blockkit.ActionRespond)
		r.openPage().next("mine")
		r.click(ann, blockkit.ActionRespond)
		if !r.openPage().says(`"initial_value":"mine"`) {
			t.Error("what was entered is gone")
		}
	})
}

func TestPages_WhatCannotBeKeptIsNotTurned(t *testing.T) {
	bubble(t, nil, func(t *testing.T, r *rig) {
		r.host.call = r.asking(longForm())
		r.run()
		r.click(ann, blockkit.ActionRespond)
		p := r.openPage()
		second := p.next("x")
		r.ledger.fail(errors.New("Redis is away"))
		if reply := second.submit("y"); len(reply.Errors) != 1 {
			t.Errorf("Next: %+v, want an error at the first input", reply)
		}
		updates := len(r.slack.of("view"))
		second.back("y")
		if n := len(r.slack.of("push")); n != 1 {
			t.Errorf("%d notes were laid over the form, want 1", n)
		}
		if n := len(r.slack.of("view")); n != updates {
			t.Error("the page was replaced, with what stood on it")
		}
		r.ledger.fail(nil)
	})
}
