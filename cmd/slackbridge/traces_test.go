package main

import (
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	coltrace "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	tracev1 "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/slackbridge/slackbridge/internal/slacksim"
)

// collector is an OpenTelemetry collector that keeps what it is sent.
type collector struct {
	url string

	mu    sync.Mutex
	raw   strings.Builder
	spans []*tracev1.Span
}

func newCollector(t *testing.T) *collector {
	t.Helper()
	c := &collector{}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		var sent coltrace.ExportTraceServiceRequest
		if err == nil {
			err = proto.Unmarshal(body, &sent)
		}
		if err != nil || r.URL.Path != "/v1/traces" {
			t.Errorf("the collector got %s: %v", r.URL, err)
			http.Error(w, "no", http.StatusBadRequest)
			return
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		c.raw.Write(body)
		for _, rs := range sent.GetResourceSpans() {
			for _, ss := range rs.GetScopeSpans() {
				c.spans = append(c.spans, ss.GetSpans()...)
			}
		}
	}))
	t.Cleanup(srv.Close)
	c.url = srv.URL
	return c
}

func (c *collector) text() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.raw.String()
}

// named returns the spans of that name, in the order in which they came.
func (c *collector) named(name string) []*tracev1.Span {
	c.mu.Lock()
	defer c.mu.Unlock()
	var out []*tracev1.Span
	for _, s := range c.spans {
		if s.GetName() == name {
			out = append(out, s)
		}
	}
	return out
}

// one returns the only span of that name.
func (c *collector) one(t *testing.T, name string) *tracev1.Span {
	t.Helper()
	all := c.named(name)
	if len(all) != 1 {
		t.Fatalf("%d spans are named %s, want 1", len(all), name)
	}
	return all[0]
}

func attribute(s *tracev1.Span, key string) string {
	for _, kv := range s.GetAttributes() {
		if kv.GetKey() == key {
			return kv.GetValue().GetStringValue()
		}
	}
	return ""
}

func (w *world) traced() *collector {
	c := newCollector(w.t)
	w.cfg.OTLP = c.url
	return c
}

// traceparents lists those that a server was sent, in order.
func traceparents(t *testing.T, wire string) []string {
	t.Helper()
	data, err := os.ReadFile(wire)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, m := range regexp.MustCompile(`"traceparent":"([^"]*)"`).FindAllStringSubmatch(string(data), -1) {
		out = append(out, m[1])
	}
	return out
}

func traceparentOf(s *tracev1.Span) string {
	return fmt.Sprintf("00-%s-%s-01", hex.EncodeToString(s.GetTraceId()), hex.EncodeToString(s.GetSpanId()))
}

func TestTraces_ACallThatWaitsIsOneTraceOverTwoReplicas(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	wire := filepath.Join(t.TempDir(), "wire.jsonl")
	w := newWorld(t, worldOptions{servers: serversFile(t, map[string]any{
		"deploy": map[string]any{"command": self, "args": []string{demoServerCommandName, "--wire", wire}},
	})})
	traces := w.traced()
	_, stop := w.replica()
	ann := w.human("U_ANN")
	ann.types(deployCommand)
	q := ann.seesQuestion("deploy")
	ann.killsApp()
	stop() // the replica that asked is gone, and its spans are out
	call := traces.one(t, "mcp.call")
	if len(traces.named("elicitation")) != 0 {
		t.Error("a question that waits has a span")
	}
	_, stop = w.replica()
	ann.answers(q)
	ann.sees("Deployed payments 2.3.1 to prod-us")
	ann.becomes(q, "Accepted by")
	stop()

	question, delivery, resume := traces.one(t, "elicitation"), traces.one(t, "elicitation.deliver"), traces.one(t, "mcp.resume")
	for _, s := range []*tracev1.Span{question, delivery, resume} {
		if string(s.GetTraceId()) != string(call.GetTraceId()) {
			t.Errorf("%s is in trace %x, the call in %x", s.GetName(), s.GetTraceId(), call.GetTraceId())
		}
		if s.GetEndTimeUnixNano() < s.GetStartTimeUnixNano() {
			t.Errorf("%s ends before it begins", s.GetName())
		}
	}
	if string(question.GetParentSpanId()) != string(call.GetSpanId()) || string(resume.GetParentSpanId()) != string(call.GetSpanId()) {
		t.Error("the question or the resume is not under the call")
	}
	if string(delivery.GetParentSpanId()) != string(question.GetSpanId()) {
		t.Error("the delivery is not under the question")
	}
	if len(question.GetEvents()) != 1 || question.GetEvents()[0].GetName() != "decision" || question.GetEvents()[0].GetTimeUnixNano() != question.GetEndTimeUnixNano() {
		t.Errorf("the question has the events %v, want its decision at its end", question.GetEvents())
	}
	if attribute(question, "slackbridge.action") != "accept" || attribute(resume, "slackbridge.outcome") != "result" || attribute(call, "slackbridge.outcome") != "asked" {
		t.Errorf("the spans say %v, %v, %v", question.GetAttributes(), resume.GetAttributes(), call.GetAttributes())
	}
	sent := traceparents(t, wire)
	if want := []string{traceparentOf(call), traceparentOf(resume)}; strings.Join(sent, " ") != strings.Join(want, " ") {
		t.Errorf("the server was sent traceparents %q, want %q", sent, want)
	}
}

func TestTraces_ABlockingQuestionIsUnderItsCall(t *testing.T) {
	w := newWorld(t, worldOptions{})
	traces := w.traced()
	_, stop := w.replica()
	ann := w.human("U_ANN")
	ann.types("/mcp deploy.restart_service service=payments")
	ann.presses(ann.seesQuestion("Restart payments?"), "Decline")
	ann.sees("Nothing was done")
	stop()
	call, question, delivery := traces.one(t, "mcp.call"), traces.one(t, "elicitation"), traces.one(t, "elicitation.deliver")
	if string(question.GetParentSpanId()) != string(call.GetSpanId()) || string(delivery.GetParentSpanId()) != string(question.GetSpanId()) {
		t.Error("call, question and delivery are not under each other")
	}
	if attribute(question, "slackbridge.reason") != "declined" {
		t.Errorf("the question says %v", question.GetAttributes())
	}
	if sent := traceparents(t, w.wire); len(sent) != 1 || sent[0] != traceparentOf(call) {
		t.Errorf("the server was sent traceparents %q, want %q", sent, traceparentOf(call))
	}
}

func TestTraces_AreOffUntilAnEndpointIsSet(t *testing.T) {
	w := newWorld(t, worldOptions{})
	w.replica()
	ann := w.human("U_ANN")
	ann.types("/mcp deploy.restart_service service=payments")
	q := ann.seesQuestion("Restart payments?")
	ann.presses(q, "Accept")
	ann.becomes(q, "Accepted by")
	if sent := traceparents(t, w.wire); len(sent) != 0 {
		t.Errorf("the server was sent traceparents %q", sent)
	}
}

func TestTraces_ACollectorThatIsDownHoldsUpNothing(t *testing.T) {
	w := newWorld(t, worldOptions{})
	down := httptest.NewServer(http.NotFoundHandler())
	down.Close()
	w.cfg.OTLP = down.URL
	_, stop := w.replica()
	ann := w.human("U_ANN")
	ann.types("/mcp deploy.restart_service service=payments")
	q := ann.seesQuestion("Restart payments?")
	ann.presses(q, "Accept")
	ann.becomes(q, "Accepted by")
	stop()
	if !strings.Contains(w.logs.String(), "traces cannot be sent") {
		t.Error("the log does not say that traces cannot be sent")
	}
}

// TestPrivacy_TypedValuesAreInNoMetricAndNoTrace looks for what Ann types, for
// the arguments of the call and for the words of the server.
func TestPrivacy_TypedValuesAreInNoMetricAndNoTrace(t *testing.T) {
	durableWorlds(t, worldOptions{}, func(t *testing.T, w *world) {
		const canary = "canary-7f3a-value"
		traces := w.traced()
		a, stop := w.replica()
		ann := w.human("U_ANN")
		ann.types("/mcp deploy.deploy_service service=canary-svc version=2.3.1")
		q := ann.seesQuestion("Deploy canary-svc")
		ann.killsApp()
		ann.presses(q, "Respond…")
		ann.form()
		ann.fills("Cluster", "prod-us")
		ann.fills("Maintenance window", canary)
		ann.fills("Confirm", "Yes")
		ann.submits()
		ann.sees("Deployed canary-svc")
		ann.becomes(slacksim.Message{Channel: q.Channel, TS: q.TS, ThreadTS: q.ThreadTS}, "Accepted by")
		metrics := w.metrics(a)
		stop()
		for where, text := range map[string]string{"the metrics": metrics, "the traces": traces.text()} {
			for _, secret := range []string{canary, "canary-svc", "prod-us", "Maintenance", "U_ANN", "Deployed"} {
				if strings.Contains(text, secret) {
					t.Errorf("%q stands in %s", secret, where)
				}
			}
			if !strings.Contains(text, "deploy") {
				t.Errorf("nothing was looked at in %s", where)
			}
		}
	})
}
