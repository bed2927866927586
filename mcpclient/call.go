package mcpclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/slackbridge/slackbridge/elicit"
)

const (
	// maxRounds bounds how often one call of the durable era may ask.
	maxRounds = 10
	// maxSheds bounds how often in a row a server may say "come again later",
	// and firstShed is the first wait; it doubles.
	maxSheds  = 5
	firstShed = time.Second
)

// Call runs a tool until it ends or, in the durable era, until it asks.
// Questions of the blocking era go to Options.Ask meanwhile. The arguments go
// out byte for byte. When ctx ends, open questions get a moment for their
// responses, the server is told, and the cause of ctx is returned.
func (h *Host) Call(ctx context.Context, c elicit.Call) (elicit.Outcome, error) {
	if len(c.Arguments) == 0 {
		c.Arguments = json.RawMessage(`{}`)
	}
	if !isObject(c.Arguments) {
		return elicit.Outcome{}, errors.New("the arguments of a call must be a JSON object")
	}
	return h.run(ctx, c, retry{})
}

// Resume repeats a parked call with the answers, by request key, as a new
// request. Any host with the same servers file can do it. Every question of p
// needs an answer; answers to other keys are left out.
func (h *Host) Resume(ctx context.Context, p elicit.Parked, answers map[string]elicit.Answer) (elicit.Outcome, error) {
	ticket, err := readTicket(p.Resume)
	if err != nil {
		return elicit.Outcome{}, err
	}
	responses, err := inputResponses(p, answers)
	if err != nil {
		return elicit.Outcome{}, err
	}
	c := p.Call
	c.Kind, c.Tool, c.Arguments = ticket.Kind, ticket.Tool, ticket.Arguments
	r := retry{round: ticket.Round, responses: responses, state: ticket.State, task: ticket.Task, asked: ticket.Asked}
	if r.task != "" {
		for _, q := range p.Questions {
			r.asked = append(r.asked, q.RequestID)
		}
	}
	return h.run(ctx, c, r)
}

// retry is what a repeated request carries besides the original one. The zero
// value is the original.
type retry struct {
	round     int             // of the input_required that it answers
	responses json.RawMessage // inputResponses; nil: left out
	state     json.RawMessage // requestState as it stood on the wire; nil: left out
	task      string          // the task that the responses are for; empty: the call itself
	asked     []string        // keys of its questions that have been answered, these included
}

// run drives one Call or Resume: a connection, the request, and what comes.
func (h *Host) run(ctx context.Context, c elicit.Call, r retry) (elicit.Outcome, error) {
	if err := h.enter(); err != nil {
		return elicit.Outcome{}, err
	}
	defer h.leave()
	ctx, cancel := h.within(ctx)
	defer cancel(nil)
	s, err := h.server(c.Server)
	if err != nil {
		return elicit.Outcome{}, err
	}
	out, err := h.runOnce(ctx, s, c, r)
	if errors.Is(err, errSessionGone) {
		// The server has forgotten the session (it was restarted) and did not
		// look at the request, so it may go out again.
		out, err = h.runOnce(ctx, s, c, r)
	}
	err = typed(c.Server, err)
	h.o.Called(c.Server, endingOf(ctx, out, err))
	return out, err
}

func (h *Host) runOnce(ctx context.Context, s *server, c elicit.Call, r retry) (out elicit.Outcome, err error) {
	conn, err := h.acquire(ctx, s, c.Origin.RequesterUser())
	if err != nil {
		return elicit.Outcome{}, err
	}
	clean := false
	defer func() { h.release(conn, clean) }()
	if r.round > 0 && !conn.modern() {
		return elicit.Outcome{}, &ServerDownError{Server: c.Server, Problem: "speaks " + conn.protocol + " now, in which a parked call cannot go on"}
	}
	var t tool
	if c.Kind == elicit.CallTool {
		t, err = h.tool(ctx, s, conn, c.Tool)
	}
	if err == nil {
		out, err = h.drive(ctx, conn, s, t, c, r)
	}
	// After a call that did not end in order the server may still work on it;
	// what it asks then must not reach the next call.
	var answered *RPCError
	var unknown *UnknownToolError
	clean = err == nil || errors.As(err, &answered) || errors.As(err, &unknown) || conn.modern() && !conn.isLost()
	if answered != nil && answered.Code == codePagesRequired && !conn.modern() {
		return out, pagesRequired(conn, c, answered)
	}
	return out, err
}

// pagesRequired reads the questions of a -32042 error; the error itself when it
// has none.
func pagesRequired(conn *conn, c elicit.Call, e *RPCError) error {
	var data struct {
		Elicitations []json.RawMessage `json:"elicitations"`
	}
	if json.Unmarshal(e.Data, &data) != nil || len(data.Elicitations) == 0 || len(data.Elicitations) > maxInputs {
		return e
	}
	out := &elicit.PagesRequiredError{Server: c.Server}
	for _, params := range data.Elicitations {
		out.Questions = append(out.Questions, elicit.Question{
			Call: c.ID, Server: c.Server, Tool: c.Tool, Origin: c.Origin,
			Era: elicit.EraBlocking, Protocol: conn.protocol, Params: params,
		})
	}
	return out
}

// drive sends the request, and again while the server sheds load, within the
// working time of the call.
func (h *Host) drive(ctx context.Context, conn *conn, s *server, tool tool, c elicit.Call, r retry) (elicit.Outcome, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	work := newWorkTime(s.cfg.timeout, h.o.Now, h.o.After)
	h.work.Go(func() {
		if work.spent(ctx) {
			cancel(&TimeoutError{Server: s.cfg.name, Limit: s.cfg.timeout})
		}
	})
	if r.task != "" {
		if err := conn.updateTask(ctx, c, r.task, r.responses); err != nil {
			return elicit.Outcome{}, err
		}
		return h.follow(ctx, conn, c, taskState{id: r.task, status: "working", poll: minPoll}, r.round, r.asked, work)
	}
	for shed := 0; ; shed++ {
		raw, err := h.send(ctx, conn, s, tool, c, r, work)
		if err != nil {
			return elicit.Outcome{}, err
		}
		answer, err := readResult(conn, c.Kind, raw)
		if err != nil {
			return elicit.Outcome{}, err
		}
		switch {
		case answer.result != nil:
			return elicit.Outcome{Result: answer.result}, nil
		case answer.task.id != "":
			return h.follow(ctx, conn, c, answer.task, r.round, nil, work)
		case len(answer.inputs) > 0:
			return h.park(conn, c, r.round+1, answer, ticket{})
		case shed == maxSheds:
			return elicit.Outcome{}, &ServerDownError{Server: c.Server, Problem: fmt.Sprintf("is too busy: it put the call off %d times", shed+1)}
		}
		r.responses, r.state = nil, answer.state
		select {
		case <-h.o.After(firstShed << shed):
		case <-ctx.Done():
			return elicit.Outcome{}, context.Cause(ctx)
		}
	}
}

// send makes the request of the call and waits for its result.
func (h *Host) send(ctx context.Context, conn *conn, s *server, tool tool, c elicit.Call, r retry, work *workTime) (json.RawMessage, error) {
	raw, err := conn.invoke(ctx, tool, c, r, work)
	var refused *RPCError
	if !conn.modern() || c.Kind != elicit.CallTool || !errors.As(err, &refused) || refused.Code != codeHeaderMismatch {
		return raw, err
	}
	// The tool's x-mcp-header annotations have changed since it was listed.
	h.forgetTools(s.cfg.name)
	tool, listErr := h.tool(ctx, s, conn, c.Tool)
	if listErr != nil {
		return nil, listErr
	}
	return conn.invoke(ctx, tool, c, r, work)
}

func (c *conn) invoke(ctx context.Context, tool tool, call elicit.Call, r retry, work *workTime) (json.RawMessage, error) {
	method, what := string(mcp.MethodToolsCall), []member{{name: "name", value: quote(call.Tool)}, {name: "arguments", value: call.Arguments}}
	annotated := &tool.annotated
	switch call.Kind {
	case elicit.CallPrompt:
		method, annotated = string(mcp.MethodPromptsGet), nil
	case elicit.CallResource:
		method, annotated = string(mcp.MethodResourcesRead), nil
		what = []member{{name: "uri", value: quote(call.Tool)}}
	}
	oc := c.begin(ctx, call, work)
	params := c.withProgress(oc, append(what, member{name: "inputResponses", value: r.responses}, member{name: "requestState", value: r.state})...)
	raw, err := c.request(ctx, oc, method, params, c.headers(method, params, annotated))
	c.finish(oc, endOf(ctx, err))
	return raw, err
}

// endOf is the cause with which questions end that are open when their call
// does.
func endOf(ctx context.Context, err error) error {
	var answered *RPCError
	switch {
	case err == nil, errors.As(err, &answered):
		return elicit.ErrCallEnded
	case ctx.Err() != nil:
		return context.Cause(ctx)
	default:
		return elicit.ErrConnectionLost
	}
}

// headers mirrors a request of 2026-07-28 into the headers by which gateways
// route. They mean something over HTTP only.
func (c *conn) headers(method string, params json.RawMessage, annotated *mcp.Tool) http.Header {
	if !c.modern() || !c.overHTTP() {
		return nil
	}
	h := http.Header{}
	for name, value := range mcp.StandardHeaders(c.protocol, mcp.MCPMethod(method), params) {
		h.Set(name, value)
	}
	if annotated != nil {
		for name, value := range mcp.GenerateParamHeaders(annotated, params) {
			h.Set(name, value)
		}
	}
	return h
}
