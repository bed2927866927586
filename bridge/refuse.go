package bridge

import (
	"context"
	"crypto/sha256"
	"errors"

	"github.com/slackbridge/slackbridge/blockkit"
	"github.com/slackbridge/slackbridge/elicit"
	"github.com/slackbridge/slackbridge/policy"
)

// refuse answers a question that cannot be asked: malformed ones with -32602
// naming the place, legal ones that Slack cannot show with cancel. The thread
// says why; no form is ever shown half.
func (b *Bridge) refuse(ctx context.Context, q elicit.Question, err error) outcome {
	var malformed *elicit.InvalidParamsError
	if errors.As(err, &malformed) {
		b.o.Log.Warn("malformed question refused", "call_id", q.Call, "server", q.Server, "tool", q.Tool, "err", err)
		b.tell(ctx, q.Origin, blockkit.Malformed(q.Server, q.Tool, malformed))
		b.auditRefusal(ctx, q, elicit.ReasonMalformed)
		return outcome{answer: elicit.Answer{Invalid: malformed}}
	}
	b.tell(ctx, q.Origin, blockkit.NotShown(q.Server, q.Tool, err.Error()))
	return b.cancelUnasked(ctx, q, elicit.ReasonUnrenderable)
}

// cancelUnasked answers cancel for a question that nobody has seen.
func (b *Bridge) cancelUnasked(ctx context.Context, q elicit.Question, reason elicit.Reason) outcome {
	b.o.Log.Warn("question cancelled without being shown", "call_id", q.Call, "server", q.Server, "tool", q.Tool, "reason", reason)
	b.auditRefusal(ctx, q, reason)
	return outcome{answer: elicit.Answer{Action: elicit.Cancel}}
}

func (b *Bridge) auditRefusal(ctx context.Context, q elicit.Question, reason elicit.Reason) {
	b.o.Meter.Refused(q.Server, reason)
	now := b.o.Now()
	r := Record{
		Kind: "refusal", Action: elicit.Cancel, Reason: reason, RequestedAt: now, RespondedAt: now,
		Pending: elicit.Pending{
			Kind: elicit.KindElicitation, Era: q.Era, Call: q.Call, Origin: q.Origin, Server: q.Server, Tool: q.Tool,
		},
	}
	if err := b.o.Audit.Record(context.WithoutCancel(ctx), r); err != nil {
		// Nothing a person said is at stake: the refusal goes out all the same.
		b.o.Log.Error("a refusal could not be written to the audit record", "call_id", q.Call, "err", err)
	}
}

// auditNotEntitled records that somebody tried to answer who may not.
func (b *Bridge) auditNotEntitled(ctx context.Context, p elicit.Pending, who elicit.User, v policy.Verdict) {
	b.o.Meter.Refused(p.Server, elicit.ReasonNotEntitled)
	now := b.o.Now()
	r := Record{
		Kind: "refusal", Pending: p, Reason: elicit.ReasonNotEntitled, Responder: who,
		RequestedAt: p.Created, RespondedAt: now, Policy: v.Why,
	}
	if err := b.o.Audit.Record(context.WithoutCancel(ctx), r); err != nil {
		b.o.Log.Error("a refusal could not be written to the audit record", "pending_id", p.ID, "err", err)
	}
}

// digest identifies what was asked, not how it was asked: two requests with
// the same message and schema are the same question.
type digest [sha256.Size]byte

func digestOf(el *blockkit.Elicitation) digest {
	h := sha256.New()
	h.Write([]byte(el.Message))
	h.Write([]byte{0})
	h.Write(el.Schema)
	return digest(h.Sum(nil))
}

// stopAfterRepeats is how often a question that was refused may come again
// before its call is stopped.
const stopAfterRepeats = 2

// repeated answers a question that a person has just declined or dismissed,
// without asking again.
func (b *Bridge) repeated(ctx context.Context, q elicit.Question, c *call, el *blockkit.Elicitation, times int) outcome {
	c.refused(digestOf(el))
	if times == 1 {
		b.tell(ctx, q.Origin, blockkit.Repeated(q.Server, q.Tool))
	}
	if times >= stopAfterRepeats {
		c.cancel(errRepeats)
	}
	return b.cancelUnasked(ctx, q, elicit.ReasonRepeated)
}

var errRepeats = errors.New("the server asked again and again what was refused already")
