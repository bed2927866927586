package mcpclient

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

var errTooLong = fmt.Errorf("sent a message longer than %d MiB", maxMessage>>20)

// lineReader reads the lines of a stdio server: one JSON-RPC message a line.
type lineReader struct {
	r     *bufio.Reader
	limit int
	buf   []byte
}

func newLineReader(r io.Reader, limit int) *lineReader {
	return &lineReader{r: bufio.NewReader(r), limit: limit}
}

// next returns the next line that is not blank, without its end. The slice is
// good until the next call. A last line without an end counts. A line over the
// limit is errTooLong.
func (l *lineReader) next() ([]byte, error) {
	for {
		l.buf = l.buf[:0]
		if cap(l.buf) > 1<<20 {
			l.buf = nil // one long message must not hold its memory for ever
		}
		for {
			part, err := l.r.ReadSlice('\n')
			l.buf = append(l.buf, part...)
			if len(l.buf) > l.limit {
				return nil, errTooLong
			}
			if err == nil {
				break
			}
			if errors.Is(err, bufio.ErrBufferFull) {
				continue
			}
			if line := bytes.TrimSpace(l.buf); len(line) > 0 && errors.Is(err, io.EOF) {
				return line, nil
			}
			return nil, err
		}
		if line := bytes.TrimSpace(l.buf); len(line) > 0 {
			return line, nil
		}
	}
}
