package mcpclient

import (
	"bufio"
	"io"
	"strings"
	"sync"
)

// maxNote bounds a line of a server's stderr in the log, in characters.
const maxNote = 500

// lastLine remembers the last thing that a server said.
type lastLine struct {
	mu   sync.Mutex
	text string
}

func (l *lastLine) set(s string) {
	s = printable(strings.TrimSpace(s), maxNote)
	l.mu.Lock()
	defer l.mu.Unlock()
	if s != "" {
		l.text = s
	}
}

func (l *lastLine) get() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text
}

// readStderr takes what the child says beside the protocol. It goes to the log
// at level debug only: a server may print the values that people typed.
func (w *stdioWire) readStderr(r io.Reader) {
	br := bufio.NewReader(r)
	for {
		line, err := br.ReadSlice('\n')
		if text := string(line); strings.TrimSpace(text) != "" {
			w.last.set(text)
			w.log.Debug("the server says", "stderr", printable(strings.TrimSpace(text), maxNote))
		}
		for err == bufio.ErrBufferFull { // the rest of a very long line is not kept
			_, err = br.ReadSlice('\n')
		}
		if err != nil {
			return
		}
	}
}
