package blockkit

import (
	"bytes"
	"net/url"
	"strings"
)

// A validator follows every reference each time it comes to it. A few lines of
// references to references unfold to more than any machine can visit; this much
// beyond the size of the schema itself is visited at most.
const maxUnfolded = 50_000

// bounded refuses a schema that validating could not come to an end with.
func bounded(root *node, p path) error {
	if !bytes.Contains(root.raw, []byte("$ref")) {
		return nil // it is as large as it looks
	}
	u := unfolding{root: root, cost: map[*node]int{}}
	if u.of(root) > maxUnfolded+2*plainSize(root) {
		return unrenderable(p, "its references unfold to more than can be checked in time")
	}
	return nil
}

// unfolding counts what is visited when a schema is applied.
type unfolding struct {
	root *node
	cost map[*node]int
}

// of returns the cost of n, at most enough to be refused. A circle of
// references counts once: a validator ends it by itself.
func (u unfolding) of(n *node) int {
	if n == nil || n.kind != nodeObject && n.kind != nodeArray {
		return 1
	}
	if c, known := u.cost[n]; known {
		return c
	}
	u.cost[n] = 1 // while it is being counted
	c := 1
	for _, it := range n.items {
		c += u.of(it)
	}
	for _, m := range n.members {
		c += u.of(m.value)
		if m.name == "$ref" && m.value.is(nodeString) {
			c += u.of(u.target(m.value.text))
		}
		c = min(c, 1<<40)
	}
	u.cost[n] = c
	return c
}

func (u unfolding) target(ref string) *node {
	pointer, local := strings.CutPrefix(ref, "#")
	pointer, err := url.PathUnescape(pointer)
	if !local || err != nil {
		return nil
	}
	return u.root.follow(pointer)
}

// plainSize counts the values in n.
func plainSize(n *node) int {
	c := 1
	for _, it := range n.items {
		c += plainSize(it)
	}
	for _, m := range n.members {
		c += plainSize(m.value)
	}
	return c
}
