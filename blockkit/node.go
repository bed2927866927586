package blockkit

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// node is a JSON value with what encoding/json would lose: the order of
// members and the digits of numbers.
type node struct {
	kind    nodeKind
	text    string          // of a string; the literal of a number; "true" or "false"
	members []member        // of an object, in the order on the wire
	items   []*node         // of an array
	raw     json.RawMessage // the bytes of the value itself
	lossy   bool            // text is not all that stood there: half a surrogate pair
}

type member struct {
	name  string
	value *node
	lossy bool // as of a node, of the name
}

type nodeKind uint8

const (
	nodeNull nodeKind = iota
	nodeObject
	nodeArray
	nodeString
	nodeNumber
	nodeBool
)

// maxDepth bounds how deep a schema may be nested. Forms are flat; what goes
// deeper are definitions that nothing of a form can use.
const maxDepth = 64

// decodeNode reads exactly one JSON value that stands at p.
func decodeNode(raw []byte, p path) (*node, error) {
	// Once the library has found it valid, it can be walked without a look at
	// the grammar, several times faster than by its tokens.
	if !utf8.Valid(raw) {
		return nil, invalid(p, "not UTF-8")
	}
	if !json.Valid(raw) {
		var none any
		return nil, invalid(p, "not valid JSON: %v", json.Unmarshal(raw, &none))
	}
	w := &nodeWalker{raw: raw, text: string(raw)}
	n, fault := w.value(0)
	if fault != nil {
		return nil, fault.at(p)
	}
	return n, nil
}

// nodeFault is what is wrong inside a value, with the way to it from the
// inside out: it is known only while the walk goes back.
type nodeFault struct {
	problem string
	way     []step
}

// step is a member, or an item when the index is not -1.
type step struct {
	name  string
	index int
}

func (f *nodeFault) under(name string, index int) *nodeFault {
	f.way = append(f.way, step{name, index})
	return f
}

func (f *nodeFault) at(p path) error {
	for _, s := range slices.Backward(f.way) {
		if s.index >= 0 {
			p = p.item(s.index)
		} else {
			p = p.member(s.name)
		}
	}
	return invalid(p, "%s", f.problem)
}

// nodeWalker walks valid JSON.
type nodeWalker struct {
	raw  []byte
	text string // the same; texts without escapes are parts of it
	pos  int
	slab []node // nodes are allocated many at a time
}

// slabSize is how many nodes are allocated at once.
const slabSize = 32

func (w *nodeWalker) node() *node {
	if len(w.slab) == cap(w.slab) {
		w.slab = make([]node, 0, slabSize)
	}
	w.slab = append(w.slab, node{})
	return &w.slab[len(w.slab)-1]
}

// skip passes white space and the sign that separates values.
func (w *nodeWalker) skip() byte {
	for {
		switch c := w.raw[w.pos]; c {
		case ' ', '\t', '\r', '\n', ',', ':':
			w.pos++
		default:
			return c
		}
	}
}

func (w *nodeWalker) value(depth int) (*node, *nodeFault) {
	if depth > maxDepth {
		return nil, &nodeFault{problem: fmt.Sprintf("nested deeper than %d levels", maxDepth)}
	}
	n := w.node()
	c := w.skip()
	start := w.pos
	var fault *nodeFault
	switch c {
	case '{':
		n.kind = nodeObject
		fault = w.object(n, depth)
	case '[':
		n.kind = nodeArray
		fault = w.array(n, depth)
	case '"':
		n.kind = nodeString
		n.text, n.lossy = w.str()
	case 't', 'f', 'n':
		n.text = w.word()
		n.kind = nodeBool
		if c == 'n' {
			n.kind, n.text = nodeNull, ""
		}
	default:
		n.kind, n.text = nodeNumber, w.word()
		if !inRange(n.text) {
			fault = &nodeFault{problem: "a number that is out of range"}
		}
	}
	n.raw = w.raw[start:w.pos:w.pos]
	return n, fault
}

func (w *nodeWalker) object(n *node, depth int) *nodeFault {
	w.pos++
	var seen map[string]bool
	for w.skip() != '}' {
		name, lossy := w.str()
		if len(n.members) == manyMembers {
			seen = make(map[string]bool, 4*manyMembers)
			for _, m := range n.members {
				seen[m.name] = true
			}
		}
		if seen[name] || seen == nil && n.get(name) != nil {
			return (&nodeFault{problem: "stands twice"}).under(name, -1)
		}
		if seen != nil {
			seen[name] = true
		}
		v, fault := w.value(depth + 1)
		if fault != nil {
			return fault.under(name, -1)
		}
		n.members = append(n.members, member{name, v, lossy})
	}
	w.pos++
	return nil
}

// manyMembers is how many members are compared one by one.
const manyMembers = 8

func (w *nodeWalker) array(n *node, depth int) *nodeFault {
	w.pos++
	for w.skip() != ']' {
		v, fault := w.value(depth + 1)
		if fault != nil {
			return fault.under("", len(n.items))
		}
		n.items = append(n.items, v)
	}
	w.pos++
	return nil
}

// str reads a string. It is lossy when it holds half a surrogate pair, which
// no text can hold: what was cut in the middle of an emoji.
func (w *nodeWalker) str() (s string, lossy bool) {
	start := w.pos
	easy := true // no escapes, ASCII only
	for w.pos++; w.raw[w.pos] != '"'; w.pos++ {
		if c := w.raw[w.pos]; c == '\\' {
			easy = false
			w.pos++
		} else if c >= 0x80 {
			easy = false
		}
	}
	w.pos++
	if easy {
		return w.text[start+1 : w.pos-1], false
	}
	if json.Unmarshal(w.raw[start:w.pos], &s) != nil { // cannot be: it is part of valid JSON
		return w.text[start+1 : w.pos-1], true
	}
	return s, strings.ContainsRune(s, utf8.RuneError) && !strings.ContainsRune(w.text[start:w.pos], utf8.RuneError)
}

// word reads a number, true, false or null.
func (w *nodeWalker) word() string {
	start := w.pos
	for w.pos < len(w.text) && strings.IndexByte(" \t\r\n,]}", w.text[w.pos]) < 0 {
		w.pos++
	}
	return w.text[start:w.pos]
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

// key is the same for scalars that are the same in JSON: numbers count by
// their value, not by their digits.
func (n *node) key() string {
	if n.is(nodeNumber) {
		if num, ok := parseNumeral(n.text); ok {
			return "n" + num.rat.RatString()
		}
	}
	return string('A'+rune(n.kind)) + n.text
}
