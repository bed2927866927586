package blockkit

import (
	"slices"
	"strconv"
)

// maxName is how much of a name is added to a label that collides.
const maxName = 40

// distinct cuts labels to limit and keeps them apart: those that collide, all
// of them, get their name in brackets, and where that is not enough their
// position. The result has no two equal labels.
func distinct(labels, names []string, limit int) []string {
	out := make([]string, len(labels))
	for i, l := range labels {
		out[i] = cut(l, limit)
	}
	twice := collisions(out)
	if twice == nil {
		return out
	}
	for _, i := range twice {
		if names[i] != labels[i] {
			out[i] = suffixed(labels[i], " ("+cut(names[i], maxName)+")", limit)
		}
	}
	taken := map[string]bool{}
	colliding := map[int]bool{}
	for _, i := range collisions(out) {
		colliding[i] = true
	}
	for i, l := range out {
		if !colliding[i] {
			taken[l] = true
		}
	}
	for i := range out {
		if !colliding[i] {
			continue
		}
		mark := " #" + strconv.Itoa(i+1)
		l := suffixed(out[i], mark, limit)
		for taken[l] { // by a label that looks just like one with a position
			mark += "·"
			l = suffixed(out[i], mark, limit)
		}
		out[i], taken[l] = l, true
	}
	return out
}

// suffixed is label with a suffix that is never cut.
func suffixed(label, suffix string, limit int) string {
	return cut(label, limit-storedUnits(suffix)) + suffix
}

// collisions returns the positions of labels that are not alone.
func collisions(labels []string) []int {
	if len(labels) <= manyMembers && !anyTwice(labels) {
		return nil
	}
	seen := make(map[string]int, len(labels))
	for _, l := range labels {
		seen[l]++
	}
	var out []int
	for i, l := range labels {
		if seen[l] > 1 {
			out = append(out, i)
		}
	}
	return out
}

// anyTwice spares short lists, which are most, the map.
func anyTwice(labels []string) bool {
	for i, l := range labels {
		if slices.Contains(labels[:i], l) {
			return true
		}
	}
	return false
}
