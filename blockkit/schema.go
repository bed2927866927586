package blockkit

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/slackbridge/slackbridge/elicit"
)

// UnrenderableError says that a question is legal, but that Slack cannot show
// it. Nobody is asked and the server is told cancel.
type UnrenderableError struct {
	Path    string // as in elicit.InvalidParamsError
	Problem string // in words for the requester and the server's author
}

func (e *UnrenderableError) Error() string { return e.Path + ": " + e.Problem }

func invalid(p path, format string, args ...any) error {
	return &elicit.InvalidParamsError{Path: p.String(), Problem: fmt.Sprintf(format, args...)}
}

func unrenderable(p path, format string, args ...any) error {
	return &UnrenderableError{Path: p.String(), Problem: fmt.Sprintf(format, args...)}
}

// flattener reduces what real servers send beside the specification to the
// flat schema that a form is made of: local $ref, allOf of one, and null as an
// alternative.
type flattener struct {
	root  *node
	tried *answering // what checking the defaults has cost so far
}

func newFlattener(root *node) flattener { return flattener{root: root, tried: &answering{}} }

// maxHops bounds the references that lead to one property; a circle has no end.
const maxHops = 16

// flat is a schema without references, at most one alternative deep.
type flat struct {
	*node
	nullable bool // null was an alternative; it is never sent
}

// flatten reduces the schema n that stands at p.
func (f flattener) flatten(n *node, p path) (flat, error) {
	out := flat{node: n}
	for range maxHops {
		if !out.is(nodeObject) {
			return out, invalid(p, "must be a schema object")
		}
		var next *node
		var err error
		switch {
		case out.get("$ref") != nil:
			next, err = f.refer(out.node, p)
		case out.get("allOf") != nil:
			next, err = onlyOne(out.node, p)
		case out.get("anyOf") != nil:
			next, err = alternatives(&out, "anyOf", p)
		case out.get("oneOf") != nil:
			next, err = alternatives(&out, "oneOf", p)
		}
		switch {
		case err != nil:
			return out, err
		case next == nil:
			return out, nullType(&out, p)
		}
		out.node = next
	}
	return out, invalid(p, "leads through more than %d references", maxHops)
}

// refer follows a local $ref. What stands beside it is kept.
func (f flattener) refer(n *node, p path) (*node, error) {
	ref, at := n.get("$ref"), p.member("$ref")
	if !ref.is(nodeString) {
		return nil, invalid(at, "must be a string")
	}
	pointer, ok := strings.CutPrefix(ref.text, "#")
	if !ok || pointer != "" && pointer[0] != '/' {
		return nil, invalid(at, "only references within the schema are followed, such as #/$defs/Name")
	}
	pointer, err := url.PathUnescape(pointer)
	if err != nil {
		return nil, invalid(at, "%q is no JSON pointer", shortened(ref.text, 80))
	}
	target := f.root.follow(pointer)
	if target == nil {
		return nil, invalid(at, "%q leads nowhere", shortened(ref.text, 80))
	}
	if !target.is(nodeObject) {
		return nil, invalid(at, "%q is no schema object", shortened(ref.text, 80))
	}
	return overlay(target, n, "$ref"), nil
}

// follow returns what a JSON pointer leads to from n; nil when that is nothing.
func (n *node) follow(pointer string) *node {
	if pointer == "" {
		return n
	}
	if pointer[0] != '/' {
		return nil
	}
	for _, token := range strings.Split(pointer[1:], "/") {
		n = n.step(pointerToken.Replace(token))
	}
	return n
}

// step is the member or item that a token of a JSON pointer names.
func (n *node) step(token string) *node {
	if !n.is(nodeArray) {
		return n.get(token)
	}
	if i, err := strconv.Atoi(token); err == nil && i >= 0 && i < len(n.items) {
		return n.items[i]
	}
	return nil
}

// onlyOne takes the schema out of an allOf of one.
func onlyOne(n *node, p path) (*node, error) {
	all := n.get("allOf")
	if !all.is(nodeArray) || len(all.items) != 1 || !all.items[0].is(nodeObject) {
		return nil, invalid(p.member("allOf"), "must be a list of one schema: a form cannot ask for several at once")
	}
	return overlay(all.items[0], n, "allOf"), nil
}

// alternatives takes null out of anyOf or oneOf, and the schema out of a list
// of one. A list of constants stays: it is a choice. It returns nil when there
// is nothing left to reduce.
func alternatives(out *flat, keyword string, p path) (*node, error) {
	list := out.get(keyword)
	if !list.is(nodeArray) || len(list.items) == 0 {
		return nil, invalid(p.member(keyword), "must be a list of at least one schema")
	}
	rest := slices.DeleteFunc(slices.Clone(list.items), isNullSchema)
	if len(rest) < len(list.items) {
		out.nullable = true
	}
	switch {
	case len(rest) == 0:
		return nil, invalid(p.member(keyword), "allows nothing but null")
	case len(rest) == 1 && rest[0].is(nodeObject) && rest[0].get("const") == nil:
		return overlay(rest[0], out.node, keyword), nil
	case len(rest) < len(list.items):
		trimmed := *list
		trimmed.items = rest
		return overlay(&node{kind: nodeObject, members: []member{{name: keyword, value: &trimmed}}}, out.node, keyword), nil
	}
	for i, it := range rest {
		if it.get("const") == nil {
			return nil, invalid(p.member(keyword).item(i), "a form can offer constants with titles, not several types")
		}
	}
	return nil, nil
}

func isNullSchema(n *node) bool { return n.str("type") == "null" || n.get("const").is(nodeNull) }

// nullType takes null out of a list of types.
func nullType(out *flat, p path) error {
	types := out.get("type")
	if !types.is(nodeArray) {
		return nil
	}
	var names []*node
	for _, t := range types.items {
		if !t.is(nodeString) {
			return invalid(p.member("type"), "must be a string or a list of strings")
		}
		if t.text == "null" {
			out.nullable = true
		} else {
			names = append(names, t)
		}
	}
	if len(names) != 1 {
		return invalid(p.member("type"), "must name one type besides null: a form asks for one")
	}
	out.node = overlay(&node{kind: nodeObject, members: []member{{name: "type", value: names[0]}}}, out.node, "type")
	return nil
}

// overlay is base with the members of top, without top's member named skip.
func overlay(base, top *node, skip string) *node {
	out := &node{kind: nodeObject, members: slices.Clone(base.members)}
	for _, m := range top.members {
		if m.name == skip {
			continue
		}
		i := slices.IndexFunc(out.members, func(b member) bool { return b.name == m.name })
		if i >= 0 {
			out.members[i] = m
		} else {
			out.members = append(out.members, m)
		}
	}
	return out
}

// size is a keyword that counts: a whole number from 0 on; -1 when absent.
func (n *node) size(keyword string, p path) (int, error) {
	v := n.get(keyword)
	if v == nil {
		return -1, nil
	}
	if v.is(nodeNumber) {
		num, _ := parseNumeral(v.text)
		if num.isInt() && num.rat.Sign() >= 0 {
			if !num.rat.Num().IsInt64() || num.rat.Num().Int64() > maxSize {
				return maxSize, nil
			}
			return int(num.rat.Num().Int64()), nil
		}
	}
	return 0, invalid(p.member(keyword), "must be a whole number from 0 on")
}

// words is a keyword that is a string; empty when absent.
func (n *node) words(keyword string, p path) (string, error) {
	v := n.get(keyword)
	if v != nil && !v.is(nodeString) {
		return "", invalid(p.member(keyword), "must be a string")
	}
	return n.str(keyword), nil
}

// maxSize stands for all sizes beyond it: nothing in Slack is as long.
const maxSize = 1 << 30

// pointerToken reads a token of a JSON pointer (RFC 6901).
var pointerToken = strings.NewReplacer("~1", "/", "~0", "~")
