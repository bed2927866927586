package mcpclient

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// member is one member of a JSON object, with its value as it was written.
type member struct {
	name  string
	value json.RawMessage
	at    int64 // offset of the end of the name in the object's text
}

var errNotObject = errors.New("not a JSON object")

// members splits a JSON object into its members, in the order of the text.
// encoding/json alone would lose that order and the exact values, and would
// match names without regard to case.
func members(text []byte) ([]member, error) {
	dec := json.NewDecoder(bytes.NewReader(text))
	start, err := dec.Token()
	if err != nil {
		return nil, noEOF(err)
	}
	if start != json.Delim('{') {
		return nil, errNotObject
	}
	var out []member
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return nil, noEOF(err)
		}
		m := member{at: dec.InputOffset()}
		m.name, _ = name.(string) // the decoder accepts nothing else here
		if err := dec.Decode(&m.value); err != nil {
			return nil, noEOF(err)
		}
		out = append(out, m)
	}
	if _, err := dec.Token(); err != nil {
		return nil, noEOF(err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("there is more text after the object")
	}
	return out, nil
}

func noEOF(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("the text ends too early: %w", io.ErrUnexpectedEOF)
	}
	return err
}

func isNull(raw json.RawMessage) bool { return raw == nil || string(raw) == "null" }

func isObject(raw json.RawMessage) bool {
	t := bytes.TrimLeft(raw, " \t\r\n")
	return len(t) > 0 && t[0] == '{' && json.Valid(raw)
}
