package mcpclient

import (
	"encoding/json"
	"fmt"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/slackbridge/slackbridge/elicit"
)

// maxInputs bounds the questions of one round.
const maxInputs = 100

// answer is the result of a tools/call: finished, or asking.
type answer struct {
	result *elicit.Result  // nil when the server wants something
	inputs []input         // empty: come again later
	state  json.RawMessage // requestState as it stood on the wire; nil when absent
	task   taskState       // of a server that goes on by itself; without an id otherwise
}

// input is one entry of inputRequests.
type input struct {
	key    string
	params json.RawMessage
}

// readResult reads the result of a call. What cannot be taken for a
// result or a question is an error that names the path, never a success.
func readResult(c *conn, asked elicit.CallKind, raw json.RawMessage) (answer, error) {
	r := resultReader{server: c.cfg.name}
	all, err := members(raw)
	if err != nil {
		return answer{}, r.fault("result", "is %s", err)
	}
	kind := ""
	by := map[string]json.RawMessage{}
	for _, m := range all {
		by[m.name] = m.value
	}
	if t, ok := by["resultType"]; ok && json.Unmarshal(t, &kind) != nil {
		return answer{}, r.fault("result.resultType", "is no text")
	}
	switch {
	case kind == "" || kind == string(mcp.ResultTypeComplete):
		return r.complete(asked, by)
	case kind == string(mcp.ResultTypeInputRequired) && c.modern():
		return r.asking(by)
	case kind == "task" && c.modern() && asked == elicit.CallTool:
		t, err := r.task(by)
		return answer{task: t}, err
	case kind == string(mcp.ResultTypeInputRequired):
		return answer{}, r.fault("result.resultType", "input_required does not exist in %s", c.protocol)
	default:
		return answer{}, r.fault("result.resultType", "is %q, which is not known", printable(kind, 80))
	}
}

type resultReader struct{ server string }

func (r resultReader) fault(path, format string, args ...any) error {
	return &ProtocolError{Server: r.server, Path: path, Problem: fmt.Sprintf(format, args...)}
}

// complete reads a result that asks for nothing more.
func (r resultReader) complete(asked elicit.CallKind, by map[string]json.RawMessage) (answer, error) {
	switch asked {
	case elicit.CallPrompt:
		return r.listed("messages", by, func(m json.RawMessage) (json.RawMessage, error) {
			var said struct {
				Content json.RawMessage `json:"content"`
			}
			err := json.Unmarshal(m, &said)
			return said.Content, err
		})
	case elicit.CallResource:
		return r.listed("contents", by, func(c json.RawMessage) (json.RawMessage, error) {
			return object(member{name: "type", value: quote("resource")}, member{name: "resource", value: c}), nil
		})
	}
	return r.finished(by)
}

// listed reads a result that is a list, each entry of which becomes an item of
// content.
func (r resultReader) listed(name string, by map[string]json.RawMessage, item func(json.RawMessage) (json.RawMessage, error)) (answer, error) {
	var list []json.RawMessage
	if isNull(by[name]) || json.Unmarshal(by[name], &list) != nil {
		return answer{}, r.fault("result."+name, "is missing or no list")
	}
	out := &elicit.Result{}
	for i, entry := range list {
		content, err := item(entry)
		if err != nil || !isObject(content) {
			return answer{}, r.fault(fmt.Sprintf("result.%s[%d]", name, i), "cannot be read")
		}
		out.Content = append(out.Content, content)
	}
	return answer{result: out}, nil
}

func (r resultReader) finished(by map[string]json.RawMessage) (answer, error) {
	out := &elicit.Result{}
	content, structured := by["content"], by["structuredContent"]
	if isNull(content) && isNull(structured) {
		return answer{}, r.fault("result.content", "is missing")
	}
	if !isNull(content) {
		if err := json.Unmarshal(content, &out.Content); err != nil {
			return answer{}, r.fault("result.content", "is no list")
		}
	}
	if !isNull(structured) {
		out.Structured = structured
	}
	if flag := by["isError"]; !isNull(flag) {
		if err := json.Unmarshal(flag, &out.IsError); err != nil {
			return answer{}, r.fault("result.isError", "is neither true nor false")
		}
	}
	return answer{result: out}, nil
}

func (r resultReader) asking(by map[string]json.RawMessage) (answer, error) {
	requests, hasRequests := by["inputRequests"]
	state, hasState := by["requestState"]
	if !hasRequests && !hasState {
		return answer{}, r.fault("result", "is input_required without inputRequests and requestState")
	}
	var out answer
	if hasState {
		if state[0] != '"' {
			return answer{}, r.fault("result.requestState", "is no text")
		}
		out.state = state
	}
	if !hasRequests {
		return out, nil
	}
	all, err := members(requests)
	if err != nil {
		return answer{}, r.fault("result.inputRequests", "is %s", err)
	}
	if len(all) > maxInputs {
		return answer{}, r.fault("result.inputRequests", "has %d entries; at most %d can be asked at once", len(all), maxInputs)
	}
	seen := map[string]bool{}
	for _, m := range all {
		path := "result.inputRequests." + m.name
		if seen[m.name] {
			return answer{}, r.fault(path, "stands there twice")
		}
		seen[m.name] = true
		params, err := r.input(path, m.value)
		if err != nil {
			return answer{}, err
		}
		out.inputs = append(out.inputs, input{key: m.name, params: params})
	}
	return out, nil
}

// input checks one entry as far as it can be told apart from a question; what
// the question itself is worth is for whoever shows it.
func (r resultReader) input(path string, raw json.RawMessage) (json.RawMessage, error) {
	var e struct {
		Method string          `json:"method"`
		Params json.RawMessage `json:"params"`
	}
	if !isObject(raw) || json.Unmarshal(raw, &e) != nil {
		return nil, r.fault(path, "is no request")
	}
	if e.Method != string(mcp.MethodElicitationCreate) {
		return nil, r.fault(path+".method", "is %q; only elicitation/create was declared", printable(e.Method, 80))
	}
	if !isObject(e.Params) {
		return nil, r.fault(path+".params", "is missing or no object")
	}
	var p struct {
		Schema json.RawMessage `json:"requestedSchema"`
	}
	if err := json.Unmarshal(e.Params, &p); err != nil || isNull(p.Schema) {
		return e.Params, nil
	}
	var schema struct {
		Type json.RawMessage `json:"type"`
	}
	if json.Unmarshal(p.Schema, &schema) != nil || schema.Type != nil && string(schema.Type) != `"object"` {
		return nil, r.fault(path+".params.requestedSchema.type", "must be object")
	}
	return e.Params, nil
}
