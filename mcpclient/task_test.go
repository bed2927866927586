package mcpclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/slackbridge/slackbridge/elicit"
)

const taskID = "786512e2 é"

// taskJSON is a task in a state, with more members.
func taskJSON(resultType, status string, more ...string) string {
	id, err := json.Marshal(taskID)
	if err != nil {
		panic(err)
	}
	s := `{"resultType":"` + resultType + `","taskId":` + string(id) + `,"status":"` + status + `","createdAt":"2026-12-01T10:00:00Z","lastUpdatedAt":"2026-12-01T10:00:00Z","ttlMs":3600000,"pollIntervalMs":200`
	for _, m := range more {
		s += "," + m
	}
	return s + "}"
}

// tasking is a server that answers a call with a task, and then tells its
// states one after the other.
func tasking(t *testing.T, states ...string) *rawHTTP {
	t.Helper()
	s := newRawHTTP(t, true, func(x *exchangeHTTP) { x.json(encodeResult(x.m.id, json.RawMessage(taskJSON("task", "working")))) })
	s.post = func(x *exchangeHTTP) bool {
		switch x.m.method {
		case methodTaskGet:
			s.mu.Lock()
			state := states[0]
			if len(states) > 1 {
				states = states[1:]
			}
			s.mu.Unlock()
			if code, ok := strings.CutPrefix(state, "error "); ok {
				x.json([]byte(`{"jsonrpc":"2.0","id":` + string(x.m.id) + `,"error":{"code":` + code + `,"message":"Task not found"}}`))
				return true
			}
			x.json(encodeResult(x.m.id, json.RawMessage(state)))
		case methodTaskUpdate, methodTaskCancel:
			x.json(encodeResult(x.m.id, json.RawMessage(`{"resultType":"complete"}`)))
		default:
			return false
		}
		return true
	}
	return s
}

// taskQuestion is a state that asks with these keys.
func taskQuestion(keys ...string) string {
	var all []string
	for _, k := range keys {
		all = append(all, fmt.Sprintf(`%q:{"method":"elicitation/create","params":%s}`, k, rawQuestion))
	}
	return taskJSON("complete", "input_required", `"inputRequests":{`+strings.Join(all, ",")+`}`)
}

var taskDone = taskJSON("complete", "completed", `"result":`+finished)

func TestTask_IsPolledUntilItsResult(t *testing.T) {
	s := tasking(t, taskJSON("complete", "working"), taskJSON("complete", "working", `"statusMessage":"half way"`), taskDone)
	w := newWorld(t, remote(s.srv.URL, ""), nil)
	out := w.call("s", "run", "")
	if got := out.texts(t); len(got) != 1 || got[0] != "done" {
		t.Errorf("result %q", got)
	}
	polls := s.all(method(methodTaskGet))
	if len(polls) != 3 {
		t.Errorf("%d polls, want 3", len(polls))
	}
	for _, p := range polls {
		if p.header.Get("Mcp-Method") != methodTaskGet || p.header.Get("Mcp-Name") == "" || !strings.Contains(string(p.m.params), `"extensions":{"io.modelcontextprotocol/tasks":{}}`) {
			t.Errorf("headers %v, params %s", p.header, p.m.params)
		}
	}
}

func TestTask_QuestionsParkTheCallAndAreAnsweredByUpdates(t *testing.T) {
	s := tasking(t, taskQuestion("a", "b"), taskQuestion("b", "a"), taskQuestion("a", "c"), taskJSON("complete", "working"), taskDone)
	w := newWorld(t, remote(s.srv.URL, ""), nil)
	out := w.call("s", "run", "")
	if out.err != nil || out.Parked == nil || len(out.Parked.Questions) != 2 {
		t.Fatalf("%+v, %v, want two questions", out.Outcome, out.err)
	}
	// The server shows both until it has taken the answers, and then one more.
	next := resume(t, s, out.Parked, map[string]elicit.Answer{"a": accept(`{"x":1}`), "b": {Action: elicit.Decline}})
	if next.err != nil || next.Parked == nil || len(next.Parked.Questions) != 1 || next.Parked.Questions[0].RequestID != "c" {
		t.Fatalf("%+v, %v, want the question c only", next.Parked, next.err)
	}
	done := resume(t, s, next.Parked, map[string]elicit.Answer{"c": accept(`{}`)})
	if got := done.texts(t); len(got) != 1 || got[0] != "done" {
		t.Errorf("result %q", got)
	}
	var updates []string
	for _, u := range s.all(method(methodTaskUpdate)) {
		updates = append(updates, string(u.m.params))
	}
	if len(updates) != 2 || !strings.Contains(updates[0], `"inputResponses":{"a":{"action":"accept","content":{"x":1}},"b":{"action":"decline"}}`) ||
		!strings.Contains(updates[1], `"inputResponses":{"c":{"action":"accept","content":{}}}`) {
		t.Errorf("updates %q", updates)
	}
	if n := len(s.all(method("tools/call"))); n != 1 {
		t.Errorf("the tool was called %d times", n)
	}
}

func TestTask_EveryOtherEnd(t *testing.T) {
	for name, tt := range map[string]struct {
		state string
		want  string
	}{
		"failed":           {taskJSON("complete", "failed", `"statusMessage":"no quota"`, `"error":{"code":-32603,"message":"API rate limit exceeded"}`), "API rate limit exceeded"},
		"failed in words":  {taskJSON("complete", "failed", `"statusMessage":"no quota"`, `"error":{"code":-32603,"message":""}`), "no quota"},
		"cancelled":        {taskJSON("complete", "cancelled", `"statusMessage":"by an admin"`), "cancelled its task: by an admin"},
		"unknown status":   {taskJSON("complete", "paused"), "result.status"},
		"another task":     {strings.Replace(taskDone, "786512e2", "other", 1), "result.taskId"},
		"no result":        {taskJSON("complete", "completed"), "result.result"},
		"no task any more": {"error -32602", "Task not found"},
		"no state":         {`{"resultType":"complete"}`, "result.taskId"},
		"not a form":       {taskJSON("complete", "input_required", `"inputRequests":{"k":{"method":"sampling/createMessage","params":{}}}`), "only elicitation/create"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, remote(tasking(t, tt.state).srv.URL, ""), nil)
			if out := w.call("s", "run", ""); out.err == nil || !strings.Contains(out.err.Error(), tt.want) {
				t.Errorf("%v, want %q", out.err, tt.want)
			}
		})
	}
}

func TestTask_StopCancelsIt(t *testing.T) {
	s := tasking(t, taskJSON("complete", "working"))
	w := newWorld(t, remote(s.srv.URL, ""), nil)
	ctx, stop := context.WithCancelCause(t.Context())
	done := w.start(ctx, callFor(ann, "s", "run", ""))
	s.await(w.t.Context().Done(), method(methodTaskGet))
	stop(elicit.ErrStopped)
	if out := receiveFrom(t, done, "the end of the call"); !errors.Is(out.err, elicit.ErrStopped) {
		t.Errorf("the call ended with %v", out.err)
	}
	s.await(w.t.Context().Done(), method(methodTaskCancel))
}

func TestTask_EndsWhenTheServerKeepsItNoLonger(t *testing.T) {
	s := tasking(t, taskJSON("complete", "working"))
	w := newWorld(t, remote(s.srv.URL, ""), func(o *Options) {
		o.After = func(d time.Duration) <-chan time.Time {
			if d >= time.Hour { // its ttlMs
				d = 0
			}
			return time.After(d)
		}
	})
	if out := w.call("s", "run", ""); out.err == nil || !strings.Contains(out.err.Error(), "did not finish its task") {
		t.Errorf("%v", out.err)
	}
}

func TestTask_HandleIsNoResultWhereNoneMayBe(t *testing.T) {
	r := &conn{cfg: serverConfig{name: "s"}, protocol: "2025-11-25"}
	if _, err := readResult(r, elicit.CallTool, json.RawMessage(taskJSON("task", "working"))); err == nil {
		t.Error("a server of 2025-11-25 may answer with a task")
	}
	r.protocol = "2026-07-28"
	if _, err := readResult(r, elicit.CallPrompt, json.RawMessage(taskJSON("task", "working"))); err == nil {
		t.Error("a prompt may be answered with a task")
	}
}
