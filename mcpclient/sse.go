package mcpclient

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strconv"
	"time"
)

// cursor is where one stream stands, for resuming it: ids belong to a stream,
// not to a session.
type cursor struct {
	id    string        // of the last event; empty when there was none
	retry time.Duration // that the server asked to wait before reconnecting; 0 when it did not
}

// eventReader reads a text/event-stream as the HTML standard describes it
// (§9.2.6): lines end with LF, CR LF or CR; a blank line ends an event.
type eventReader struct {
	r     *bufio.Reader
	limit int // of an event's data, in bytes
	at    *cursor
	line  []byte
	first bool // the next byte is the first one of the stream
	wasCR bool // the last line ended with CR: an LF that follows belongs to it
}

func newEventReader(r io.Reader, limit int, at *cursor) *eventReader {
	return &eventReader{r: bufio.NewReaderSize(r, 1<<10), limit: limit, at: at, first: true}
}

// next returns the data of the next event that has any and moves the cursor on. At the
// end of the stream an event whose blank line is missing still counts, since
// servers leave it out, but its id does not: it might be cut. Then comes
// io.EOF, or the error that broke the stream.
func (e *eventReader) next() ([]byte, error) {
	var data []byte
	id, hasID, hasData := "", false, false
	for {
		err := e.readLine()
		if errors.Is(err, io.EOF) && hasData {
			return data, nil
		}
		if err != nil {
			return nil, err
		}
		if len(e.line) == 0 {
			if hasID {
				e.at.id = id
			}
			if hasData {
				return data, nil
			}
			hasID = false
			continue
		}
		switch field, value := splitField(e.line); string(field) {
		case "data":
			if hasData {
				data = append(data, '\n')
			}
			data = append(data, value...)
			hasData = true
			if len(data) > e.limit {
				return nil, errTooLong
			}
		case "id":
			if bytes.IndexByte(value, 0) < 0 {
				id, hasID = string(value), true
			}
		case "retry":
			if ms, err := strconv.ParseUint(string(value), 10, 31); err == nil {
				e.at.retry = time.Duration(ms) * time.Millisecond
			}
		}
	}
}

func splitField(line []byte) (field, value []byte) {
	field, value, _ = bytes.Cut(line, []byte(":"))
	return field, bytes.TrimPrefix(value, []byte(" "))
}

// readLine reads a line without its end into e.line. A last line without an
// end counts when the stream ended in order.
func (e *eventReader) readLine() error {
	e.line = e.line[:0]
	if cap(e.line) > 1<<20 {
		e.line = nil // one long event must not hold its memory for ever
	}
	if e.first {
		e.first = false
		if bom, err := e.r.Peek(3); err == nil && string(bom) == "\ufeff" {
			_, _ = e.r.Discard(3) // just peeked
		}
	}
	for {
		c, err := e.r.ReadByte()
		if err != nil {
			if errors.Is(err, io.EOF) && len(e.line) > 0 {
				return nil
			}
			return err
		}
		switch {
		case c == '\n' && e.wasCR:
			e.wasCR = false
			continue
		case c == '\n':
			return nil
		case c == '\r':
			e.wasCR = true
			return nil
		}
		e.wasCR = false
		e.line = append(e.line, c)
		if len(e.line) > e.limit+64 { // the field's name comes on top
			return errTooLong
		}
	}
}
