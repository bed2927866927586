package blockkit_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/slackbridge/slackbridge/blockkit"
	"github.com/slackbridge/slackbridge/elicit"
)

func urlParams(url string) json.RawMessage {
	raw, err := json.Marshal(map[string]any{"mode": "url", "message": "Please sign in.", "url": url, "elicitationId": "e1"})
	if err != nil {
		panic(err)
	}
	return raw
}

func parseURL(t *testing.T, url string) *blockkit.Elicitation {
	t.Helper()
	el, err := blockkit.Parse(urlParams(url), elicit.EraBlocking)
	if err != nil {
		t.Fatalf("%s: %v", url, err)
	}
	return el
}

func TestLink_CardNamesTheHostAndHidesTheAddress(t *testing.T) {
	el := parseURL(t, "https://Login.Example.com:8443/start?token=abc#frag")
	c := card(el.Message, el.Form)
	c.Link = el.Link
	m := c.Open()
	raw := string(messageJSON(t, m))
	for _, want := range []string{"login.example.com", "Please sign in.", `"elicit_review_url"`, `"elicit_decline"`} {
		if !strings.Contains(raw, want) {
			t.Errorf("the card lacks %s: %s", want, raw)
		}
	}
	for _, secret := range []string{"token=abc", "/start", `"url":`, `"elicit_open_url"`} {
		if strings.Contains(raw, secret) || strings.Contains(m.Text, secret) {
			t.Errorf("everybody in the channel reads %s", secret)
		}
	}
}

func TestLink_ModalShowsTheWholeAddressDeadAndOpensItByAButton(t *testing.T) {
	const address = "https://login.example.com/start?token=abc&x=<b>"
	el := parseURL(t, address)
	raw := viewJSON(t, el.Link.Modal(formView(el.Message)))
	var view struct {
		CallbackID    string `json:"callback_id"`
		NotifyOnClose bool   `json:"notify_on_close"`
		Blocks        []struct {
			Type     string
			Elements []struct {
				Type     string
				ActionID string `json:"action_id"`
				URL      string
				Elements []struct {
					Type, Text string
					Style      map[string]bool
				}
			}
		}
	}
	if err := json.Unmarshal(raw, &view); err != nil {
		t.Fatal(err)
	}
	shown, opens := false, false
	for _, b := range view.Blocks {
		for _, e := range b.Elements {
			opens = opens || e.ActionID == "elicit_open_url" && e.URL == address
			for _, x := range e.Elements {
				if x.Type == "link" {
					t.Error("the address is a live link")
				}
				shown = shown || x.Text == address && x.Style["code"]
			}
		}
	}
	if !shown || !opens || view.CallbackID != "elicit_url" || !view.NotifyOnClose {
		t.Errorf("shown %v, opens %v: %s", shown, opens, shorten(raw))
	}
}

func TestLink_Warnings(t *testing.T) {
	for address, want := range map[string]string{
		"https://example.com/":              "",
		"http://example.com/":               "not encrypted",
		"https://bank.com@evil.example/":    "before the @",
		"https://203.0.113.7/x":             "bare number",
		"https://[2001:db8::1]/x":           "bare number",
		"https://xn--pple-43d.com/":         "other alphabets",
		"https://аpple.com/":                "other alphabets",
		"https://login.xn--pple-43d.com/a":  "other alphabets",
		"https://user:secret@example.com/x": "before the @",
	} {
		el := parseURL(t, address)
		raw := string(viewJSON(t, el.Link.Modal(formView(el.Message))))
		if warned := strings.Contains(raw, "⚠"); warned != (want != "") || !strings.Contains(raw, want) {
			t.Errorf("%s: warned %v, want %q", address, warned, want)
		}
	}
}

func TestLink_WhatIsNoWebAddressIsMalformed(t *testing.T) {
	for _, bad := range []string{
		"javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "slack://open", "example.com", "//example.com/x", "https://", "https:example.com",
		"https://exa mple.com/", "https://example.com/`x`", "https://example.com/\u202Egnp", "https://example.com/\nx", "", "HTTPS://", "https:\\\\example.com",
	} {
		_, err := blockkit.Parse(urlParams(bad), elicit.EraBlocking)
		wantInvalid(t, bad, err, "url")
	}
	parseURL(t, "HTTPS://EXAMPLE.com/x")
	_, err := blockkit.Parse(urlParams("https://example.com/"+strings.Repeat("x", 3000)), elicit.EraBlocking)
	wantUnrenderable(t, err)
}

func TestParse_URLModeNeedsItsMembers(t *testing.T) {
	for _, tt := range []struct {
		params, path string
		era          elicit.Era
	}{
		{`{"mode":"url","message":"m","elicitationId":"e"}`, "url", elicit.EraBlocking},
		{`{"mode":"url","message":"m","url":5,"elicitationId":"e"}`, "url", elicit.EraBlocking},
		{`{"mode":"url","message":"m","url":"https://example.com"}`, "elicitationId", elicit.EraBlocking},
		{`{"mode":"url","message":"m","url":"https://example.com","elicitationId":""}`, "elicitationId", elicit.EraBlocking},
		{`{"mode":"url","message":"m","url":"https://example.com","elicitationId":7}`, "elicitationId", elicit.EraDurable},
		{`{"mode":"url","url":"https://example.com","elicitationId":"e"}`, "message", elicit.EraBlocking},
		{`{"mode":"voice","message":"m"}`, "mode", elicit.EraBlocking},
	} {
		_, err := blockkit.Parse(json.RawMessage(tt.params), tt.era)
		wantInvalid(t, tt.params, err, tt.path)
	}
	el, err := blockkit.Parse(json.RawMessage(`{"mode":"url","message":"m","url":"https://example.com"}`), elicit.EraDurable)
	if err != nil || el.Mode != elicit.ModeURL || !el.Form.Empty() || !el.HasForm() {
		t.Errorf("%+v, %v", el, err)
	}
}

func TestLink_GoesOnAfterItWasOpened(t *testing.T) {
	el := parseURL(t, "https://login.example.com/start?token=abc")
	c := card(el.Message, el.Form)
	c.Link = el.Link
	for _, tt := range []struct {
		done bool
		want string
	}{{true, "elicit_done_url p1 Done,elicit_cancel p1 Cancel"}, {false, ""}} {
		m := c.Opened(ann, decided, tt.done)
		messageJSON(t, m)
		if got := strings.Join(buttons(t, m), ","); got != tt.want || !strings.Contains(m.Text, "Opened by <@U_ANN>") {
			t.Errorf("done %v: buttons %s, text %q", tt.done, got, m.Text)
		}
		raw := viewJSON(t, el.Link.OpenedModal(formView(""), tt.done))
		if bytesHave(raw, "elicit_done_url") != tt.done || bytesHave(raw, "token=abc") {
			t.Errorf("done %v: %s", tt.done, shorten(raw))
		}
	}
	m := c.Completed(elicit.Decision{Action: elicit.Accept, Reason: elicit.ReasonSubmitted, Responder: ann, At: time.Now()})
	messageJSON(t, m)
	if !strings.HasPrefix(m.Text, "Accepted by <@U_ANN>") || !strings.Contains(m.Text, "finished") {
		t.Errorf("text %q", m.Text)
	}
}

func FuzzLink(f *testing.F) {
	for _, s := range []string{"https://example.com/?a=b", "http://[::1]:80/", "https://a@b:c@d/", "https://xn--/", "javascript:x"} {
		f.Add(s, "message")
	}
	f.Fuzz(func(t *testing.T, address, message string) {
		raw, err := json.Marshal(map[string]any{"mode": "url", "message": message, "url": address})
		if err != nil {
			return
		}
		el, err := blockkit.Parse(raw, elicit.EraDurable)
		if err != nil {
			return
		}
		viewJSON(t, el.Link.Modal(formView(el.Message)))
		c := card(el.Message, el.Form)
		c.Link = el.Link
		messageJSON(t, c.Open())
		if !strings.HasPrefix(strings.ToLower(el.Link.URL()), "http") || el.Link.Host() == "" {
			t.Errorf("%s", fmt.Sprintf("%q was taken for a web address", address))
		}
	})
}
