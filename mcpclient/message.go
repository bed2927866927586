package mcpclient

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// maxMessage bounds one message of a server, in bytes. The protocol has no
// limit; without one a server could take all memory.
const maxMessage = 16 << 20

// JSON-RPC error codes that the host sends or acts on.
const (
	codeMethodNotFound     = -32601
	codeInvalidParams      = -32602
	codeHeaderMismatch     = -32020
	codeUnsupportedVersion = -32022
	codePagesRequired      = -32042 // until 2025-11-25
)

// message is one JSON-RPC message as it stood on the wire. Nothing in it was
// decoded further: property order, big numbers and the kind of the id remain.
type message struct {
	id     json.RawMessage // nil when absent or null
	method string          // empty for a response
	params json.RawMessage // nil when absent
	result json.RawMessage // nil when absent
	err    *RPCError       // nil when absent

	badError bool // err stands for something that is no error object
}

func (m message) isRequest() bool      { return m.method != "" && m.id != nil }
func (m message) isNotification() bool { return m.method != "" && m.id == nil }

// decodeMessage reads one JSON-RPC message. An error response that is itself
// malformed is still a response: whoever waits for it must not wait for ever.
func decodeMessage(text []byte) (message, error) {
	all, err := members(text)
	if err != nil {
		return message{}, err
	}
	var m message
	for _, f := range all {
		if isNull(f.value) && f.name != "result" {
			continue
		}
		switch f.name {
		case "id":
			if c := f.value[0]; c != '"' && c != '-' && (c < '0' || c > '9') {
				return message{}, errors.New("id: neither a string nor a number")
			}
			m.id = f.value
		case "method":
			if err := json.Unmarshal(f.value, &m.method); err != nil || m.method == "" {
				return message{}, errors.New("method: not a name")
			}
		case "params":
			m.params = f.value
		case "result":
			m.result = f.value
		case "error":
			m.err, m.badError = decodeRPCError(f.value)
		}
	}
	if m.method == "" && m.result == nil && m.err == nil {
		return message{}, errors.New("neither a request nor a response")
	}
	return m, nil
}

func decodeRPCError(raw json.RawMessage) (e *RPCError, bad bool) {
	var is struct {
		Code    int             `json:"code"`
		Message string          `json:"message"`
		Data    json.RawMessage `json:"data"`
	}
	if err := json.Unmarshal(raw, &is); err != nil {
		return &RPCError{Message: "(malformed error object)", Data: raw}, true
	}
	return &RPCError{Code: is.Code, Message: is.Message, Data: is.Data}, false
}

// idKey makes a raw JSON-RPC id comparable. The string "1" and the number 1
// are different ids; numbers are compared as they are written, since they may
// be larger than any Go number.
func idKey(raw json.RawMessage) string {
	var s string
	if len(raw) > 0 && raw[0] == '"' && json.Unmarshal(raw, &s) == nil {
		return "s:" + s
	}
	return "n:" + string(bytes.TrimSpace(raw))
}

// quote is s as a JSON string, without the escapes for HTML that
// encoding/json adds by default.
func quote(s string) json.RawMessage {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil {
		return json.RawMessage(`""`) // a string always encodes
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// object joins raw members; those without a value are left out.
func object(all ...member) json.RawMessage {
	var b bytes.Buffer
	b.WriteByte('{')
	for _, m := range all {
		if m.value == nil {
			continue
		}
		if b.Len() > 1 {
			b.WriteByte(',')
		}
		b.Write(quote(m.name))
		b.WriteByte(':')
		b.Write(m.value)
	}
	b.WriteByte('}')
	return b.Bytes()
}

func encodeRequest(id json.RawMessage, method string, params json.RawMessage) []byte {
	return object(member{name: "jsonrpc", value: quote("2.0")}, member{name: "id", value: id},
		member{name: "method", value: quote(method)}, member{name: "params", value: params})
}

func encodeNotification(method string, params json.RawMessage) []byte {
	return encodeRequest(nil, method, params)
}

func encodeResult(id, result json.RawMessage) []byte {
	return object(member{name: "jsonrpc", value: quote("2.0")}, member{name: "id", value: id},
		member{name: "result", value: result})
}

func encodeError(id json.RawMessage, code int, text string) []byte {
	detail := object(member{name: "code", value: json.RawMessage(fmt.Sprint(code))}, member{name: "message", value: quote(text)})
	return object(member{name: "jsonrpc", value: quote("2.0")}, member{name: "id", value: id},
		member{name: "error", value: detail})
}

// oneLine returns valid JSON as one line. Line breaks stand only between
// tokens of valid JSON, so nothing of its meaning is touched, and JSON without
// line breaks is not touched at all.
func oneLine(raw []byte) ([]byte, error) {
	if !bytes.ContainsAny(raw, "\r\n") {
		return raw, nil
	}
	var b bytes.Buffer
	if err := json.Compact(&b, raw); err != nil {
		return nil, fmt.Errorf("joining the lines of a message: %w", err)
	}
	return b.Bytes(), nil
}
