package bridge

import (
	"context"
	"encoding/json"
	"time"

	"github.com/slackbridge/slackbridge/elicit"
)

// Meter counts what becomes of questions. Its methods must not block.
type Meter interface {
	// Asked hears of each question that was recorded and is about to be shown.
	Asked(p elicit.Pending)
	// Refused hears of each question that was answered without being shown,
	// and of each answer that was refused.
	Refused(server string, why elicit.Reason)
	// Decided hears of each question whose end goes to its server, or has no
	// server to go to any more, once for each.
	Decided(p elicit.Pending)
	// Delivered hears whether a decision has reached the server, and how long
	// after it could have left it did.
	Delivered(p elicit.Pending, took time.Duration, ok bool)
}

// Tracer follows a call through its questions to its end, over all replicas.
// Spans are named by W3C traceparents, which are empty when nothing is traced.
// It gets no values and no words of servers or people.
type Tracer interface {
	// Request starts the span of one request of a call, under c.Trace. again
	// says that the request brings answers to a call that was parked. end ends it.
	Request(c elicit.Call, again bool) (trace string, end func(elicit.Outcome, error))
	// Question makes the span of a question that was decided. server is the
	// traceparent that came with the question.
	Question(call, server string, p elicit.Pending) (trace string)
	// Delivery makes the span of a decision on its way to the server.
	Delivery(question string, p elicit.Pending, from, to time.Time, ok bool)
}

// unwatched is the Meter and Tracer of those who want none.
type unwatched struct{}

func (unwatched) Asked(elicit.Pending)                           {}
func (unwatched) Refused(string, elicit.Reason)                  {}
func (unwatched) Decided(elicit.Pending)                         {}
func (unwatched) Delivered(elicit.Pending, time.Duration, bool)  {}
func (unwatched) Question(string, string, elicit.Pending) string { return "" }

func (unwatched) Delivery(string, elicit.Pending, time.Time, time.Time, bool) {}

func (unwatched) Request(elicit.Call, bool) (string, func(elicit.Outcome, error)) {
	return "", func(elicit.Outcome, error) {}
}

// callHost makes the first request of a call.
func (b *Bridge) callHost(ctx context.Context, c *call) (elicit.Outcome, error) {
	trace, end := b.o.Tracer.Request(c.Call, false)
	c.Trace = trace // of its questions, and of all that comes after they are answered
	out, err := b.o.Host.Call(ctx, c.Call)
	end(out, err)
	return out, err
}

// resumeHost repeats a parked call with the answers. What the server asks then
// is traced under this request: the parked call carries its trace.
func (b *Bridge) resumeHost(ctx context.Context, p elicit.Parked, answers map[string]elicit.Answer) (elicit.Outcome, error) {
	trace, end := b.o.Tracer.Request(p.Call, true)
	p.Call.Trace = trace
	out, err := b.o.Host.Resume(ctx, p, answers)
	end(out, err)
	return out, err
}

// decided counts and traces the end of a question. It returns the trace of the
// question. One whose call is not known here has none.
func (b *Bridge) decided(p elicit.Pending) (trace string) {
	b.o.Meter.Decided(p)
	c := b.call(p.Call)
	if c == nil || c.Trace == "" {
		return ""
	}
	return b.o.Tracer.Question(c.Trace, serverTrace(p), p)
}

// arrived counts and traces what became of a decision on its way to the server.
func (b *Bridge) arrived(out outcome, ok bool) {
	from, to := out.ready, out.left
	if d := out.pending.Decision; from.IsZero() && d != nil {
		from = d.At
	}
	if to.IsZero() {
		to = b.o.Now()
	}
	if from.IsZero() || to.Before(from) { // a forgotten decision; or two clocks, the ledger's and ours
		from = to
	}
	b.o.Meter.Delivered(out.pending, to.Sub(from), ok)
	if out.trace != "" {
		b.o.Tracer.Delivery(out.trace, out.pending, from, to, ok)
	}
}

// leaving notes that the answers of a parked call go out together, now. They
// could not before the last of them was decided.
func (b *Bridge) leaving(outs []outcome) {
	var ready time.Time
	for _, out := range outs {
		if d := out.pending.Decision; d != nil && d.At.After(ready) {
			ready = d.At
		}
	}
	for i := range outs {
		outs[i].ready, outs[i].left = ready, b.o.Now()
	}
}

// serverTrace is the traceparent that a server put into the _meta of its
// question; empty when there is none.
func serverTrace(p elicit.Pending) string {
	var stored struct {
		Params struct {
			Meta struct {
				Trace string `json:"traceparent"`
			} `json:"_meta"`
		} `json:"params"`
	}
	if json.Unmarshal(p.Question, &stored) != nil {
		return "" // not text, or not there: the question counts all the same
	}
	return stored.Params.Meta.Trace
}
