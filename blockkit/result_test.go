package blockkit_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/slackbridge/slackbridge/blockkit"
	"github.com/slackbridge/slackbridge/elicit"
)

// resultJSON joins the messages of a result, each judged by Slack's rules.
func resultJSON(t *testing.T, r elicit.Result) (string, int) {
	t.Helper()
	var b strings.Builder
	messages := blockkit.Result("deploy", "deploy_service", r)
	for _, m := range messages {
		b.Write(messageJSON(t, m))
	}
	return b.String(), len(messages)
}

func TestResult_ShowsTextAndNamesTheRest(t *testing.T) {
	raw, n := resultJSON(t, elicit.Result{Content: []json.RawMessage{
		textContent("Deployed <b>"),
		[]byte(`{"type":"image","mimeType":"image/png","data":"AAAABBBB"}`),
		[]byte(`{"type":"resource_link","uri":"file:///a.txt","name":"a.txt"}`),
		[]byte(`{"type":"resource","resource":{"uri":"file:///b.txt","mimeType":"text/plain","text":"inside b"}}`),
		[]byte(`{"type":"resource","resource":{"uri":"file:///c.bin","blob":"AAAA"}}`),
		[]byte(`{"type":"hologram"}`), []byte(`7`),
	}})
	for _, want := range []string{`Deployed \u003cb\u003e`, "image", "image/png", "6 bytes", "file:///a.txt", "inside b", "file:///b.txt", "file:///c.bin", "hologram", "unknown kind"} {
		if !strings.Contains(raw, want) {
			t.Errorf("%q is missing: %s", want, raw)
		}
	}
	if n != 1 {
		t.Errorf("%d messages, want 1", n)
	}
}

func TestResult_FailureIsSaid(t *testing.T) {
	raw, _ := resultJSON(t, elicit.Result{IsError: true, Content: []json.RawMessage{textContent("no such service")}})
	if !strings.Contains(raw, "failed") || !strings.Contains(raw, "no such service") {
		t.Errorf("result %s", raw)
	}
}

func TestResult_StructuredContentStandsInForMissingText(t *testing.T) {
	raw, _ := resultJSON(t, elicit.Result{Structured: json.RawMessage(`{"b":1,"a":[12345678901234567890]}`)})
	if !strings.Contains(raw, `{\n  \"b\": 1,\n  \"a\": [\n    12345678901234567890`) {
		t.Errorf("result %s", raw)
	}
	raw, _ = resultJSON(t, elicit.Result{Content: []json.RawMessage{textContent("told")}, Structured: json.RawMessage(`{"b":1}`)})
	if strings.Contains(raw, `\"b\"`) {
		t.Errorf("the same is said twice: %s", raw)
	}
}

func TestResult_LongTextFillsAFewMessagesAndSaysWhatIsMissing(t *testing.T) {
	var text strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&text, "line %d\n", i)
	}
	raw, n := resultJSON(t, elicit.Result{Content: []json.RawMessage{textContent(text.String()), textContent("after")}})
	if n != 3 || !strings.Contains(raw, "cut here") {
		t.Errorf("%d messages, want 3 with a mark of the cut", n)
	}
	if strings.Contains(raw, "after") {
		t.Error("text follows the cut")
	}
	for i := range 3000 {
		if !strings.Contains(raw, fmt.Sprintf(`line %d\n`, i)) {
			t.Fatalf("line %d is missing before the cut", i)
		}
	}
	escaped, _ := resultJSON(t, elicit.Result{Content: []json.RawMessage{textContent(strings.Repeat("<&>\u0001", 40_000))}})
	if !strings.Contains(escaped, "cut here") {
		t.Error("no mark of the cut")
	}
}

func TestResult_ManyItemsStayWithinTheLimits(t *testing.T) {
	var items []json.RawMessage
	for i := range 500 {
		items = append(items, textContent(fmt.Sprintf("item %d", i)), []byte(`{"type":"image"}`))
	}
	raw, n := resultJSON(t, elicit.Result{Content: items})
	if n > 3 || !strings.Contains(raw, "item 10") || !strings.Contains(raw, "cut here") {
		t.Errorf("%d messages: %.300s", n, raw)
	}
}
