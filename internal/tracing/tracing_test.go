package tracing_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"github.com/slackbridge/slackbridge/bridge"
	"github.com/slackbridge/slackbridge/elicit"
	"github.com/slackbridge/slackbridge/internal/tracing"
)

var _ bridge.Tracer = (*tracing.Tracer)(nil)

var noon = time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)

func pending() elicit.Pending {
	return elicit.Pending{
		ID: "P1", Call: "C1", Server: "deploy", Tool: "deploy_service", Era: elicit.EraDurable, Mode: elicit.ModeForm, Created: noon,
		Decision: &elicit.Decision{Action: elicit.Accept, Reason: elicit.ReasonSubmitted, At: noon.Add(time.Hour)},
	}
}

func newTracer() (*tracing.Tracer, *tracetest.InMemoryExporter) {
	e := tracetest.NewInMemoryExporter()
	return tracing.NewFor(e), e
}

func only(t *testing.T, e *tracetest.InMemoryExporter, name string) tracetest.SpanStub {
	t.Helper()
	var found []tracetest.SpanStub
	for _, s := range e.GetSpans() {
		if s.Name == name {
			found = append(found, s)
		}
	}
	if len(found) != 1 {
		t.Fatalf("%d spans are named %s", len(found), name)
	}
	return found[0]
}

func TestQuestion_ServersSpanIsTheParentInOurTraceAndALinkInAnother(t *testing.T) {
	const theirs = "00f067aa0ba902b7"
	for _, tt := range []struct {
		name   string
		server func(call string) string
		parent func(call, server trace.SpanID) trace.SpanID
		links  int
	}{
		{"no word of the server", func(string) string { return "" }, func(call, _ trace.SpanID) trace.SpanID { return call }, 0},
		{"our trace", func(call string) string { return call[:36] + theirs + "-01" }, func(_, server trace.SpanID) trace.SpanID { return server }, 0},
		{"our trace, not sampled", func(call string) string { return call[:36] + theirs + "-00" }, func(_, server trace.SpanID) trace.SpanID { return server }, 0},
		{"a trace of its own", func(string) string { return "00-4bf92f3577b34da6a3ce929d0e0e4736-" + theirs + "-01" }, func(call, _ trace.SpanID) trace.SpanID { return call }, 1},
		{"nonsense", func(string) string { return "ignore all <!channel>" }, func(call, _ trace.SpanID) trace.SpanID { return call }, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tracer, e := newTracer()
			call, end := tracer.Request(elicit.Call{ID: "C1", Server: "deploy", Tool: "deploy_service"}, false)
			tracer.Question(call, tt.server(call), pending())
			end(elicit.Outcome{Result: &elicit.Result{}}, nil)
			c, q := only(t, e, "mcp.call"), only(t, e, "elicitation")
			server, err := trace.SpanIDFromHex(theirs)
			if err != nil {
				t.Fatal(err)
			}
			if q.SpanContext.TraceID() != c.SpanContext.TraceID() {
				t.Error("the question has left the trace of its call")
			}
			if want := tt.parent(c.SpanContext.SpanID(), server); q.Parent.SpanID() != want {
				t.Errorf("the parent is %s, want %s", q.Parent.SpanID(), want)
			}
			if len(q.Links) != tt.links {
				t.Errorf("%d links, want %d", len(q.Links), tt.links)
			}
		})
	}
}

func TestQuestion_HasTheTimesOfTheQuestion(t *testing.T) {
	tracer, e := newTracer()
	call, end := tracer.Request(elicit.Call{ID: "C1"}, false)
	end(elicit.Outcome{Parked: &elicit.Parked{Round: 1}}, nil)
	question := tracer.Question(call, "", pending())
	tracer.Delivery(question, pending(), noon.Add(time.Hour), noon.Add(time.Hour+time.Second), true)
	q, d := only(t, e, "elicitation"), only(t, e, "elicitation.deliver")
	if !q.StartTime.Equal(noon) || !q.EndTime.Equal(noon.Add(time.Hour)) {
		t.Errorf("the question lasts from %s to %s", q.StartTime, q.EndTime)
	}
	if len(q.Events) != 1 || q.Events[0].Name != "decision" || !q.Events[0].Time.Equal(noon.Add(time.Hour)) {
		t.Errorf("events: %v", q.Events)
	}
	if d.EndTime.Sub(d.StartTime) != time.Second || d.Parent.SpanID() != q.SpanContext.SpanID() {
		t.Errorf("the delivery lasts %s under %s", d.EndTime.Sub(d.StartTime), d.Parent.SpanID())
	}

	late := pending()
	late.Created = noon.Add(2 * time.Hour) // our clock is ahead of the ledger's
	e.Reset()
	tracer.Question(call, "", late)
	if q := only(t, e, "elicitation"); q.EndTime.Before(q.StartTime) {
		t.Error("a question ends before it begins")
	}
	gone := pending()
	gone.Decision.At = time.Time{}
	if got := tracer.Question(call, "", gone); got != call {
		t.Errorf("a question whose record is gone is named %s, want its call", got)
	}
}

func TestRequest_SaysNothingOfWhatServersSay(t *testing.T) {
	tracer, e := newTracer()
	const canary = "canary-words"
	_, end := tracer.Request(elicit.Call{ID: "C1", Server: "deploy", Tool: "t", Arguments: []byte(canary), Origin: elicit.Origin{Requester: canary}}, true)
	end(elicit.Outcome{}, errors.New(canary))
	s := only(t, e, "mcp.resume")
	if s.Status.Description != "" || len(s.Events) != 0 {
		t.Errorf("status %q, events %v", s.Status.Description, s.Events)
	}
	for _, kv := range s.Attributes {
		if strings.Contains(kv.Value.String(), canary) {
			t.Errorf("%s holds %s", kv.Key, kv.Value.String())
		}
	}
}
