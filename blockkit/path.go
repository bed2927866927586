package blockkit

import (
	"regexp"
	"strconv"
)

// path names a place in the params of a request, for the author of a server:
// requestedSchema.properties.limit.items. It is kept as links and only written
// out when something is wrong there.
type path struct{ last *link }

type link struct {
	up    *link
	name  string // of a member
	index int    // of an item; -1 for a member
}

// at is the path of a member of the params.
func at(name string) path { return path{&link{name: name, index: -1}} }

func (p path) member(name string) path { return path{&link{up: p.last, name: name, index: -1}} }

func (p path) item(i int) path { return path{&link{up: p.last, index: i}} }

// simpleName is a name that can stand behind a dot.
var simpleName = regexp.MustCompile(`^[A-Za-z_$][A-Za-z0-9_$-]*$`)

// String writes names that could not stand behind a dot as ["quoted name"].
func (p path) String() string {
	if p.last == nil {
		return "params"
	}
	return p.last.write()
}

func (l *link) write() string {
	up := ""
	if l.up != nil {
		up = l.up.write()
	}
	switch {
	case l.index >= 0:
		return up + "[" + strconv.Itoa(l.index) + "]"
	case !simpleName.MatchString(l.name):
		return up + "[" + strconv.Quote(l.name) + "]"
	case up == "":
		return l.name
	}
	return up + "." + l.name
}
