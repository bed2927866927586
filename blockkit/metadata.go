package blockkit

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"
)

// Metadata is what a form of ours remembers of itself in its private_metadata:
// which question it belongs to, and which page of it is on show. It holds no
// value that anybody entered.
type Metadata struct {
	ID     string `json:"id"`               // of the pending; of the tool form
	Opened int64  `json:"opened,omitempty"` // about when the view was opened, see moment
	Page   int    `json:"page,omitempty"`   // from 0
	Pages  int    `json:"pages,omitempty"`  // 0 is 1
	Text   int    `json:"text,omitempty"`   // pages at the start that are nothing but text
	From   int    `json:"from,omitempty"`   // the first field of the page
	To     int    `json:"to,omitempty"`     // the field behind the last one
	Visit  int    `json:"visit,omitempty"`  // how many pages were on show before
}

// ReadMetadata reads private_metadata. What we did not write is an id that no
// question has.
func ReadMetadata(s string) Metadata {
	if !strings.HasPrefix(s, "{") {
		return Metadata{ID: s}
	}
	var m Metadata
	if json.Unmarshal([]byte(s), &m) != nil || m.Page < 0 || m.From < 0 || m.To < m.From || m.To > maxProperties {
		return Metadata{}
	}
	return m
}

// String writes private_metadata: the bare id where that says it all.
func (m Metadata) String() string {
	if m.Pages <= 1 {
		return m.ID
	}
	raw, err := json.Marshal(m)
	if err != nil { // strings and numbers always encode
		return m.ID
	}
	return string(raw)
}

// Last reports whether the page on show is the last one.
func (m Metadata) Last() bool { return m.Page+1 >= m.Pages }

// blockID names the input block of the field at position i. On pages it is
// never used again: Slack keeps what was typed under an id that it has seen,
// and hands it over with later pages.
func (m Metadata) blockID(i int) string {
	if m.Visit == 0 {
		return blockID(i)
	}
	return blockID(i) + "." + strconv.Itoa(m.Visit)
}

// fieldAt returns the position of the field whose input block has that id, on
// whichever visit.
func fieldAt(id string) (i int, ok bool) {
	id, _, _ = strings.Cut(id, ".")
	digits, ok := strings.CutPrefix(id, "f")
	i, err := strconv.Atoi(digits)
	return i, ok && err == nil && i >= 0 && blockID(i) == id
}

// doubleClick is how far apart two presses count as one.
const doubleClick = 10 * time.Second

// openedAt is about the moment at which a view is opened. It is a part of the
// view's id: a double click still yields one view; but a view that Slack
// believes to be open, on a phone whose app was killed, blocks the next press
// only for seconds and not until the question expires.
func openedAt(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.Unix() / int64(doubleClick/time.Second)
}

// OpenedAt is about the moment at which the view was opened.
func (m Metadata) OpenedAt() time.Time {
	if m.Opened == 0 {
		return time.Time{}
	}
	return time.Unix(m.Opened*int64(doubleClick/time.Second), 0)
}
