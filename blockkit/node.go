package blockkit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
)

// node is a JSON value with what encoding/json would lose: the order of
// members and the digits of numbers.
type node struct {
	kind    nodeKind
	text    string          // of a string; the literal of a number; "true" or "false"
	members []member        // of an object, in the order on the wire
	items   []*node         // of an array
	raw     json.RawMessage // the bytes of the value itself
}

type member struct {
	name  string
	value *node
}

type nodeKind string

const (
	nodeObject nodeKind = "object"
	nodeArray  nodeKind = "array"
	nodeString nodeKind = "string"
	nodeNumber nodeKind = "number"
	nodeBool   nodeKind = "boolean"
	nodeNull   nodeKind = "null"
)

// maxDepth bounds how deep a schema may be nested. Forms are flat; what goes
// deeper are definitions that nothing of a form can use.
const maxDepth = 64

// nodeError says where a value cannot be read.
type nodeError struct {
	path    path
	problem string
}

func (e *nodeError) Error() string { return e.path.String() + ": " + e.problem }

// decodeNode reads exactly one JSON value that stands at p.
func decodeNode(raw []byte, p path) (*node, error) {
	d := &nodeDecoder{raw: raw, dec: json.NewDecoder(bytes.NewReader(raw))}
	d.dec.UseNumber()
	n, err := d.value(p, 0)
	if err != nil {
		return nil, err
	}
	if _, err := d.dec.Token(); !errors.Is(err, io.EOF) {
		return nil, &nodeError{p, "more than one JSON value"}
	}
	return n, nil
}

type nodeDecoder struct {
	raw []byte
	dec *json.Decoder
}

func (d *nodeDecoder) value(p path, depth int) (*node, error) {
	if depth > maxDepth {
		return nil, &nodeError{p, fmt.Sprintf("nested deeper than %d levels", maxDepth)}
	}
	start := d.next()
	token, err := d.dec.Token()
	if err != nil {
		return nil, &nodeError{p, "not valid JSON: " + err.Error()}
	}
	n := &node{}
	switch t := token.(type) {
	case json.Delim:
		if t == '{' {
			n.kind = nodeObject
			err = d.object(n, p, depth)
		} else {
			n.kind = nodeArray
			err = d.array(n, p, depth)
		}
	case string:
		n.kind, n.text = nodeString, t
	case json.Number:
		n.kind, n.text = nodeNumber, t.String()
		if _, ok := parseNumeral(n.text); !ok {
			err = &nodeError{p, "a number that is out of range"}
		}
	case bool:
		n.kind, n.text = nodeBool, "false"
		if t {
			n.text = "true"
		}
	default:
		n.kind = nodeNull
	}
	n.raw = d.raw[start:d.dec.InputOffset()]
	return n, err
}

// next is where the next token begins.
func (d *nodeDecoder) next() int64 {
	at := d.dec.InputOffset()
	for at < int64(len(d.raw)) && bytes.IndexByte([]byte(" \t\r\n,:"), d.raw[at]) >= 0 {
		at++
	}
	return at
}

func (d *nodeDecoder) object(n *node, p path, depth int) error {
	var seen map[string]bool
	for d.dec.More() {
		token, err := d.dec.Token()
		if err != nil {
			return &nodeError{p, "not valid JSON: " + err.Error()}
		}
		name, _ := token.(string) // inside an object the decoder yields nothing else
		if len(n.members) == 8 {
			seen = make(map[string]bool, 32)
			for _, m := range n.members {
				seen[m.name] = true
			}
		}
		if seen[name] || seen == nil && n.get(name) != nil {
			return &nodeError{p.member(name), "stands twice"}
		}
		if seen != nil {
			seen[name] = true
		}
		v, err := d.value(p.member(name), depth+1)
		if err != nil {
			return err
		}
		n.members = append(n.members, member{name, v})
	}
	return d.close(p)
}

func (d *nodeDecoder) array(n *node, p path, depth int) error {
	for d.dec.More() {
		v, err := d.value(p.item(len(n.items)), depth+1)
		if err != nil {
			return err
		}
		n.items = append(n.items, v)
	}
	return d.close(p)
}

func (d *nodeDecoder) close(p path) error {
	if _, err := d.dec.Token(); err != nil {
		return &nodeError{p, "not valid JSON: " + err.Error()}
	}
	return nil
}

// get returns the member with that name, or nil.
func (n *node) get(name string) *node {
	if n == nil {
		return nil
	}
	for i := range n.members {
		if n.members[i].name == name {
			return n.members[i].value
		}
	}
	return nil
}

func (n *node) is(kind nodeKind) bool { return n != nil && n.kind == kind }

// str returns the text of a string member; empty when it is none.
func (n *node) str(name string) string {
	if v := n.get(name); v.is(nodeString) {
		return v.text
	}
	return ""
}

// equal reports whether two values are the same in JSON: numbers by what they
// count, objects whatever the order of their members.
func (n *node) equal(o *node) bool {
	if n.kind != o.kind || len(n.members) != len(o.members) {
		return false
	}
	switch n.kind {
	case nodeNumber:
		a, _ := parseNumeral(n.text)
		b, _ := parseNumeral(o.text)
		return a.cmp(b) == 0
	case nodeArray:
		return slices.EqualFunc(n.items, o.items, (*node).equal)
	case nodeObject:
		for _, m := range n.members {
			if v := o.get(m.name); v == nil || !m.value.equal(v) {
				return false
			}
		}
		return true
	}
	return n.text == o.text
}
