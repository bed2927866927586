package mcpclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/slackbridge/slackbridge/elicit"
)

// question is one elicitation/create of a server that waits for its response.
type question struct {
	conn   *conn
	call   *openCall
	id     json.RawMessage // as on the wire
	cancel context.CancelCauseFunc
	over   chan struct{} // closed when it is answered or ended

	mu       sync.Mutex
	ended    error // why it can not be answered any more
	answered bool
}

// end takes the question away: its context ends with that cause and nothing
// is sent any more. It does nothing when the question was answered.
func (q *question) end(cause error) {
	q.mu.Lock()
	gone := q.answered || q.ended != nil
	if !gone {
		q.ended = cause
	}
	q.mu.Unlock()
	if gone {
		return
	}
	q.cancel(cause)
	q.call.closed(q)
}

// claim takes the right to send the one response.
func (q *question) claim() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.ended != nil {
		return q.ended
	}
	if q.answered {
		return ErrAnswered
	}
	q.answered = true
	return nil
}

// reply sends the response of the question; see Options.Ask.
func (q *question) reply(ctx context.Context, a elicit.Answer) error {
	body, err := encodeAnswer(q.id, a)
	if err != nil {
		return err
	}
	if err := q.claim(); err != nil {
		return err
	}
	defer q.call.closed(q)
	if err := q.conn.wire.send(ctx, body); err != nil {
		return fmt.Errorf("answering question %s of server %s: %w", printable(string(q.id), 80), q.conn.cfg.name, err)
	}
	return nil
}

// ask hands the question over and sees to it that it ends: an Ask that panics
// or returns without a response must not leave the server waiting.
func (q *question) ask(ctx context.Context, params json.RawMessage) {
	defer q.finish(ctx)
	call := q.call.call
	q.conn.host.o.Ask(ctx, elicit.Question{
		Call: call.ID, Server: call.Server, Tool: call.Tool, Origin: call.Origin,
		Era: elicit.EraBlocking, Protocol: q.conn.protocol, RequestID: string(q.id), Params: params,
	}, q.reply)
}

func (q *question) finish(ctx context.Context) {
	if p := recover(); p != nil {
		q.conn.log.Error("asking a question panicked", "call_id", q.call.call.ID, "panic", fmt.Sprint(p))
	}
	ctx, stop := context.WithTimeoutCause(context.WithoutCancel(ctx), sideTimeout, errors.New("cancelling a question took too long"))
	defer stop()
	err := q.reply(ctx, elicit.Answer{Action: elicit.Cancel})
	switch {
	case err == nil:
		q.conn.log.Warn("a question came back without an answer; the server was told cancel", "call_id", q.call.call.ID)
	case errors.Is(err, ErrAnswered), q.isOver():
	default:
		q.conn.log.Warn("a question came back without an answer and could not be cancelled", "call_id", q.call.call.ID, "err", err)
	}
	q.cancel(nil)
}

func (q *question) isOver() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.ended != nil
}

// reassure tells the server now and then that its question still waits, as
// long as it does: servers restart their own timer at each such note.
func (q *question) reassure(token json.RawMessage, every time.Duration) {
	for n := 1; ; n++ {
		select {
		case <-q.conn.host.o.After(every):
		case <-q.over:
			return
		}
		select { // both may have come together, and a note must not follow the answer
		case <-q.over:
			return
		default:
		}
		note := object(member{name: "progressToken", value: token}, member{name: "progress", value: json.RawMessage(fmt.Sprint(n))})
		ctx, stop := context.WithTimeoutCause(context.Background(), sideTimeout, errors.New("sending progress took too long"))
		err := q.conn.wire.send(ctx, encodeNotification("notifications/progress", note))
		stop()
		if err != nil {
			q.conn.log.Debug("progress of a question was not sent", "call_id", q.call.call.ID, "err", err)
		}
	}
}

// progressToken returns _meta.progressToken of params; nil when there is none.
func progressToken(params json.RawMessage) json.RawMessage {
	var p struct {
		Meta struct {
			Token json.RawMessage `json:"progressToken"`
		} `json:"_meta"`
	}
	if json.Unmarshal(params, &p) != nil || isNull(p.Meta.Token) {
		return nil
	}
	if c := p.Meta.Token[0]; c == '{' || c == '[' || c == 't' || c == 'f' {
		return nil // neither text nor a number
	}
	return p.Meta.Token
}

// encodeAnswer is the one response to the request with that id.
func encodeAnswer(id json.RawMessage, a elicit.Answer) ([]byte, error) {
	if a.Invalid != nil {
		return encodeError(id, codeInvalidParams, "Invalid params: "+a.Invalid.Error()), nil
	}
	result, err := elicitResult(a)
	if err != nil {
		return nil, err
	}
	return encodeResult(id, result), nil
}

// elicitResult is the result of elicitation/create: the content goes out byte
// for byte, and only with accept.
func elicitResult(a elicit.Answer) (json.RawMessage, error) {
	action := member{name: "action", value: quote(string(a.Action))}
	switch a.Action {
	case elicit.Decline, elicit.Cancel:
		return object(action), nil
	case elicit.Accept:
		if a.Content != nil && !isObject(a.Content) {
			return nil, errors.New("the content of an answer is not a JSON object")
		}
		return object(action, member{name: "content", value: a.Content}), nil
	default:
		return nil, fmt.Errorf("%q is no action of an answer", a.Action)
	}
}
