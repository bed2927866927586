package mcpclient

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/slackbridge/slackbridge/elicit"
)

// tasksExtension lets a server answer a tools/call with the handle of a task,
// which is asked for its result later. mcp-go has nothing of it.
const tasksExtension = "io.modelcontextprotocol/tasks"

const (
	methodTaskGet    = "tasks/get"
	methodTaskUpdate = "tasks/update"
	methodTaskCancel = "tasks/cancel"

	// defaultPoll is how long to wait before a task is asked for again when the
	// server does not say; what it says is kept within the other two.
	defaultPoll = 2 * time.Second
	minPoll     = 200 * time.Millisecond
	maxPoll     = time.Minute
	// maxTaskAge bounds a task for which the server names no end.
	maxTaskAge = 7 * 24 * time.Hour
)

// taskState is a task as its server describes it.
type taskState struct {
	id      string
	status  string
	message string
	poll    time.Duration
	ttl     time.Duration // 0: without an end
	by      map[string]json.RawMessage
}

// readTask reads the state of a task out of a result.
func (r resultReader) task(by map[string]json.RawMessage) (taskState, error) {
	t := taskState{poll: defaultPoll, by: by}
	for _, text := range []struct {
		name string
		to   *string
	}{{"taskId", &t.id}, {"status", &t.status}, {"statusMessage", &t.message}} {
		if raw := by[text.name]; !isNull(raw) && json.Unmarshal(raw, text.to) != nil {
			return t, r.fault("result."+text.name, "is no text")
		}
	}
	if t.id == "" {
		return t, r.fault("result.taskId", "is missing")
	}
	var ms float64
	if raw := by["pollIntervalMs"]; !isNull(raw) && json.Unmarshal(raw, &ms) == nil {
		t.poll = min(max(time.Duration(ms)*time.Millisecond, minPoll), maxPoll)
	}
	ms = 0
	if raw := by["ttlMs"]; !isNull(raw) && json.Unmarshal(raw, &ms) == nil && ms > 0 {
		t.ttl = time.Duration(ms) * time.Millisecond
	}
	return t, nil
}

// follow asks for a task until it has ended or asks a person itself. Its time
// is the server's: the working time of the call does not run meanwhile. asked
// are the questions that were answered before.
func (h *Host) follow(ctx context.Context, c *conn, call elicit.Call, t taskState, round int, asked []string, work *workTime) (elicit.Outcome, error) {
	work.pause()
	defer work.resume()
	age := t.ttl
	if age == 0 || age > maxTaskAge {
		age = maxTaskAge
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	release := h.afterFunc(age, func() {
		cancel(&ServerDownError{Server: call.Server, Problem: fmt.Sprintf("did not finish its task within the %s that it keeps it for", age)})
	})
	defer release()
	for {
		out, done, err := h.taskStep(c, call, t, round, asked)
		if done || err != nil {
			return out, err
		}
		select {
		case <-h.o.After(t.poll):
		case <-c.wire.lost():
			return elicit.Outcome{}, &ServerDownError{Server: call.Server, Problem: "lost its connection while its task ran; the task may go on there", Err: c.wire.problem()}
		case <-ctx.Done():
			c.cancelTask(t.id)
			return elicit.Outcome{}, context.Cause(ctx)
		}
		if t, err = c.getTask(ctx, t); err != nil {
			if ctx.Err() != nil {
				c.cancelTask(t.id)
			}
			return elicit.Outcome{}, err
		}
	}
}

// taskStep looks at one state of a task. done says that out is what it came to.
func (h *Host) taskStep(c *conn, call elicit.Call, t taskState, round int, asked []string) (out elicit.Outcome, done bool, err error) {
	r := resultReader{server: c.cfg.name}
	switch t.status {
	case "working":
		return out, false, nil
	case "input_required":
		return h.taskAsks(c, call, t, round, asked)
	case "completed":
		all, err := members(t.by["result"])
		if err != nil {
			return out, true, r.fault("result.result", "is %s", err)
		}
		by := map[string]json.RawMessage{}
		for _, m := range all {
			by[m.name] = m.value
		}
		a, err := r.finished(by)
		return elicit.Outcome{Result: a.result}, true, err
	case "failed":
		e, _ := decodeRPCError(t.by["error"])
		if e.Message == "" {
			e.Message = t.message
		}
		return out, true, e
	case "cancelled":
		problem := "cancelled its task"
		if t.message != "" {
			problem += ": " + printable(t.message, 300)
		}
		return out, true, &ServerDownError{Server: call.Server, Problem: problem}
	}
	return out, true, r.fault("result.status", "is %q, which is not known", printable(t.status, 80))
}

// taskAsks parks the call with the questions of its task that were not answered
// before. The server shows a question until it has taken the answer.
func (h *Host) taskAsks(c *conn, call elicit.Call, t taskState, round int, asked []string) (elicit.Outcome, bool, error) {
	a, err := resultReader{server: c.cfg.name}.asking(map[string]json.RawMessage{"inputRequests": orEmptyObject(t.by["inputRequests"])})
	if err != nil {
		return elicit.Outcome{}, true, err
	}
	a.inputs = slices.DeleteFunc(a.inputs, func(in input) bool { return slices.Contains(asked, in.key) })
	if len(a.inputs) == 0 {
		return elicit.Outcome{}, false, nil
	}
	out, err := h.park(c, call, round+1, a, ticket{Task: t.id, Asked: asked})
	return out, true, err
}

func orEmptyObject(raw json.RawMessage) json.RawMessage {
	if isNull(raw) {
		return json.RawMessage(`{}`)
	}
	return raw
}

// getTask asks for the state of a task. A server that is busy is asked again.
func (c *conn) getTask(ctx context.Context, t taskState) (taskState, error) {
	raw, err := c.request(ctx, nil, methodTaskGet, c.withMeta(member{name: "taskId", value: quote(t.id)}), c.taskHeaders(methodTaskGet, t.id))
	if err != nil {
		return t, err
	}
	r := resultReader{server: c.cfg.name}
	all, err := members(raw)
	if err != nil {
		return t, r.fault("result", "is %s", err)
	}
	by := map[string]json.RawMessage{}
	for _, m := range all {
		by[m.name] = m.value
	}
	next, err := r.task(by)
	if err == nil && next.id != t.id {
		err = r.fault("result.taskId", "is another task's")
	}
	return next, err
}

// updateTask hands a task the answers to its questions.
func (c *conn) updateTask(ctx context.Context, call elicit.Call, id string, responses json.RawMessage) error {
	params := object(member{name: "taskId", value: quote(id)}, member{name: "inputResponses", value: responses}, c.metaFor(call))
	_, err := c.request(ctx, nil, methodTaskUpdate, params, c.taskHeaders(methodTaskUpdate, id))
	return err
}

// cancelTask tells the server that nobody waits for its task any more. Whether
// it stops is its own affair.
func (c *conn) cancelTask(id string) {
	ctx, cancel := context.WithTimeoutCause(context.Background(), cancelTimeout, errHandshakeTimeout)
	defer cancel()
	if _, err := c.request(ctx, nil, methodTaskCancel, c.withMeta(member{name: "taskId", value: quote(id)}), c.taskHeaders(methodTaskCancel, id)); err != nil {
		c.log.Debug("a task was not cancelled", "err", err)
	}
}

// taskHeaders name the task, by which gateways find the server that holds it.
func (c *conn) taskHeaders(method, id string) http.Header {
	if !c.overHTTP() {
		return nil
	}
	h := http.Header{}
	h.Set(mcp.HeaderMethod, method)
	if encoded, ok := mcp.EncodeHeaderValue(id); ok {
		h.Set(mcp.HeaderName, encoded)
	}
	return h
}

// afterFunc runs f after d, unless release is called before.
func (h *Host) afterFunc(d time.Duration, f func()) (release func()) {
	stop := make(chan struct{})
	h.work.Go(func() {
		select {
		case <-h.o.After(d):
			f()
		case <-stop:
		}
	})
	return func() { close(stop) }
}
