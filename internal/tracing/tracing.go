// Package tracing sends OpenTelemetry traces: one for each call, from the
// request through the questions and decisions to the answer, whichever
// replicas they happen on.
//
// A span of a call is named across replicas by its W3C traceparent, which is
// kept with the call. Spans of questions are made when their end is known, with
// the times at which they began: a question outlives the process that asked it.
//
// Attributes are ids, names of servers and tools, and words of ours. No value,
// no argument, no message and no text of an error is in a span.
package tracing

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/slackbridge/slackbridge/elicit"
)

// Options configure a Tracer.
type Options struct {
	Endpoint string // the whole URL to which traces are posted, as OTLP in protobuf over HTTP
	Version  string
	Replica  elicit.ReplicaID
	Log      *slog.Logger
}

// Tracer makes the spans. It implements bridge.Tracer.
type Tracer struct {
	provider *sdktrace.TracerProvider
	tracer   trace.Tracer
}

// New returns a Tracer that sends what it makes to an OTLP endpoint. Headers,
// sampling and the rest are read from the environment as OpenTelemetry defines
// it. End it with Close.
func New(ctx context.Context, o Options) (*Tracer, error) {
	exporter, err := otlptracehttp.New(ctx, otlptracehttp.WithEndpointURL(o.Endpoint))
	if err != nil {
		return nil, fmt.Errorf("preparing the export of traces: %w", err)
	}
	res, err := resource.New(ctx,
		resource.WithAttributes(attribute.String("service.name", "slackbridge")),
		resource.WithAttributes(attribute.String("service.version", o.Version), attribute.String("service.instance.id", string(o.Replica))),
		resource.WithFromEnv(), // OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES win
	)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("describing this process for traces: %w", err), exporter.Shutdown(ctx))
	}
	return newTracer(sdktrace.NewTracerProvider(sdktrace.WithResource(res), sdktrace.WithBatcher(&quiet{SpanExporter: exporter, log: o.Log}))), nil
}

// NewFor returns a Tracer whose spans go to e at once, for tests.
func NewFor(e sdktrace.SpanExporter) *Tracer {
	return newTracer(sdktrace.NewTracerProvider(sdktrace.WithSyncer(e)))
}

func newTracer(p *sdktrace.TracerProvider) *Tracer {
	return &Tracer{provider: p, tracer: p.Tracer("github.com/slackbridge/slackbridge")}
}

// closeTimeout bounds the last export: a collector that is down must not hold
// up the stop of a replica.
const closeTimeout = 3 * time.Second

// Close sends what is left.
func (t *Tracer) Close(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, closeTimeout, errors.New("the collector of traces does not answer"))
	defer cancel()
	if err := t.provider.Shutdown(ctx); err != nil {
		return fmt.Errorf("sending the last traces: %w", err)
	}
	return nil
}

// quiet logs trouble with the endpoint once, and once when it is over. Traces
// that could not be sent are dropped; nothing waits for them.
type quiet struct {
	sdktrace.SpanExporter
	log     *slog.Logger
	failing atomic.Bool
}

func (q *quiet) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	err := q.SpanExporter.ExportSpans(ctx, spans)
	switch {
	case err != nil && !q.failing.Swap(true):
		q.log.Warn("traces cannot be sent and are dropped", "err", err)
	case err == nil && q.failing.Swap(false):
		q.log.Info("traces can be sent again")
	}
	return nil // it is said; OpenTelemetry would print it once more
}

func (q *quiet) Shutdown(ctx context.Context) error {
	if err := q.SpanExporter.Shutdown(ctx); err != nil {
		q.log.Warn("the export of traces did not end in order", "err", err)
	}
	return nil
}

// Request implements bridge.Tracer.
func (t *Tracer) Request(c elicit.Call, again bool) (string, func(elicit.Outcome, error)) {
	name := "mcp.call"
	if again {
		name = "mcp.resume"
	}
	ctx, span := t.tracer.Start(under(c.Trace), name, trace.WithSpanKind(trace.SpanKindClient), trace.WithAttributes(
		attribute.String("mcp.method.name", method(c.Kind)), attribute.String("slackbridge.server", c.Server),
		attribute.String("slackbridge.tool", c.Tool), attribute.String("slackbridge.call_id", string(c.ID))))
	return traceparent(ctx), func(out elicit.Outcome, err error) {
		outcome := "result"
		switch {
		case err != nil:
			outcome = "error"
			span.SetStatus(codes.Error, "") // its text may hold words of the server
		case out.Parked != nil:
			outcome = "asked"
			span.SetAttributes(attribute.Int("slackbridge.round", out.Parked.Round), attribute.Int("slackbridge.questions", len(out.Parked.Questions)))
		case out.Result != nil && out.Result.IsError:
			outcome = "tool_error"
			span.SetStatus(codes.Error, "")
		}
		span.SetAttributes(attribute.String("slackbridge.outcome", outcome))
		span.End()
	}
}

// Question implements bridge.Tracer. A server that goes on with our trace has a
// span of its own between the call and the question: then that is the parent.
// A server with a trace of its own is linked: the question stays in the trace
// of its call, which is the one that has all of it.
func (t *Tracer) Question(call, server string, p elicit.Pending) string {
	parent := under(call)
	options := []trace.SpanStartOption{trace.WithAttributes(
		attribute.String("slackbridge.server", p.Server), attribute.String("slackbridge.tool", p.Tool),
		attribute.String("slackbridge.call_id", string(p.Call)), attribute.String("slackbridge.pending_id", string(p.ID)),
		attribute.String("slackbridge.era", string(p.Era)), attribute.String("slackbridge.mode", string(p.Mode)),
	)}
	if theirs := trace.SpanContextFromContext(under(server)); theirs.IsValid() {
		if ours := trace.SpanContextFromContext(parent); theirs.TraceID() == ours.TraceID() {
			// Whether it is sampled is for the call to say, not for the server.
			parent = trace.ContextWithRemoteSpanContext(context.Background(), theirs.WithTraceFlags(ours.TraceFlags()))
		} else {
			options = append(options, trace.WithLinks(trace.Link{SpanContext: theirs}))
		}
	}
	decided := p.Decision.At
	if decided.IsZero() { // the record was gone
		return call
	}
	begun := earlier(p.Created, decided)
	ctx, span := t.tracer.Start(parent, "elicitation", append(options, trace.WithTimestamp(begun))...)
	action, reason := attribute.String("slackbridge.action", string(p.Decision.Action)), attribute.String("slackbridge.reason", string(p.Decision.Reason))
	span.AddEvent("decision", trace.WithTimestamp(decided), trace.WithAttributes(action, reason))
	span.SetAttributes(action, reason)
	span.End(trace.WithTimestamp(decided))
	return traceparent(ctx)
}

// Delivery implements bridge.Tracer.
func (t *Tracer) Delivery(question string, p elicit.Pending, from, to time.Time, ok bool) {
	_, span := t.tracer.Start(under(question), "elicitation.deliver", trace.WithTimestamp(earlier(from, to)), trace.WithAttributes(
		attribute.String("slackbridge.server", p.Server), attribute.String("slackbridge.pending_id", string(p.ID)), attribute.Bool("slackbridge.delivered", ok)))
	if !ok {
		span.SetStatus(codes.Error, "")
	}
	span.End(trace.WithTimestamp(to))
}

// earlier is a, unless two clocks disagree or a is not known: a span must not
// end before it begins.
func earlier(a, b time.Time) time.Time {
	if a.IsZero() || a.After(b) {
		return b
	}
	return a
}

func method(k elicit.CallKind) string {
	switch k {
	case elicit.CallPrompt:
		return "prompts/get"
	case elicit.CallResource:
		return "resources/read"
	}
	return "tools/call"
}

// under is a context below the span of a traceparent; an empty or broken one
// is the top.
func under(traceparent string) context.Context {
	return propagation.TraceContext{}.Extract(context.Background(), propagation.MapCarrier{header: traceparent})
}

func traceparent(ctx context.Context) string {
	carrier := propagation.MapCarrier{}
	propagation.TraceContext{}.Inject(ctx, carrier)
	return carrier[header]
}

const header = "traceparent"
