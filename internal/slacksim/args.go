package slacksim

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
)

// object is a decoded JSON object; numbers in it are json.Number.
type object = map[string]any

// maxBody bounds what is read of a request or response.
const maxBody = 4 << 20

// args are the arguments of a Web API call, form-encoded or JSON.
type args map[string]json.RawMessage

// readArgs reads the arguments and the token of a request. A token may stand
// in the header or, in a form, in the field "token".
func readArgs(r *http.Request) (args, string, error) {
	token, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer")
	token = strings.TrimSpace(token)
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil && r.Header.Get("Content-Type") != "" {
		return nil, token, fmt.Errorf("reading the content type: %w", err)
	}
	r.Body = http.MaxBytesReader(nil, r.Body, maxBody)
	if kind == "application/json" {
		raw, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, token, fmt.Errorf("reading the body: %w", err)
		}
		a := args{}
		if len(bytes.TrimSpace(raw)) == 0 { // how SDKs call methods without arguments
			return a, token, nil
		}
		if err := json.Unmarshal(raw, &a); err != nil {
			return nil, token, fmt.Errorf("decoding the body: %w", err)
		}
		return a, token, nil
	}
	if err := r.ParseMultipartForm(maxBody); err != nil && !errors.Is(err, http.ErrNotMultipart) {
		return nil, token, fmt.Errorf("reading the form: %w", err)
	}
	a := args{}
	for name, values := range r.Form {
		if name == "token" {
			if token == "" {
				token = values[0]
			}
			continue
		}
		a[name] = encode(values[0])
	}
	return a, token, nil
}

func (a args) has(name string) bool {
	raw, ok := a[name]
	return ok && string(raw) != "null"
}

// str returns an argument as text: a JSON string's content, or other JSON as it stands.
func (a args) str(name string) string {
	raw, ok := a[name]
	if !ok || string(raw) == "null" {
		return ""
	}
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}

// flag returns a boolean argument, written as JSON or as form text.
func (a args) flag(name string) bool {
	s := a.str(name)
	return s == "true" || s == "1"
}

// value returns a JSON argument: as it stands, or decoded once more when it
// was sent as a string, as forms do.
func (a args) value(name string) json.RawMessage {
	raw := a[name]
	var s string
	if json.Unmarshal(raw, &s) == nil && json.Valid([]byte(s)) {
		return json.RawMessage(s)
	}
	return raw
}

// decoded returns all arguments for the call log.
func (a args) decoded() object {
	o := object{}
	for name := range a {
		switch name {
		case "blocks", "view", "attachments", "message", "metadata":
			o[name] = decode(a.value(name))
		default:
			o[name] = decode(a[name])
		}
	}
	return o
}

// encode writes v without HTML escapes, so that sizes are what was meant.
func encode(v any) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return json.RawMessage("null") // only for values that are not JSON, which are never built here
	}
	return bytes.TrimRight(b.Bytes(), "\n")
}

// decode reads JSON; nil when it is none.
func decode(raw []byte) any {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return nil
	}
	return v
}

// str returns a member of o when it is a string.
func str(o object, name string) string {
	s, _ := o[name].(string)
	return s
}

func sub(o object, name string) object {
	m, _ := o[name].(object)
	return m
}

func items(o object, name string) []any {
	l, _ := o[name].([]any)
	return l
}
