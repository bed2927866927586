package demo

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"sync"
)

// maxBody bounds one message over HTTP, in bytes.
const maxBody = 10 << 20

// wire keeps the messages that a server receives, one a line, before anything
// decodes them. Several requests may be kept at once.
type wire struct {
	mu sync.Mutex
	w  io.Writer
}

// keep writes one message. JSON allows line breaks only between its tokens,
// where a space means the same; all else stays byte for byte.
func (k *wire) keep(message []byte) error {
	message = bytes.TrimSpace(message)
	if len(message) == 0 {
		return nil
	}
	line := bytes.Clone(message)
	for i, c := range line {
		if c == '\n' || c == '\r' {
			line[i] = ' '
		}
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if _, err := k.w.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("keeping a message: %w", err)
	}
	return nil
}

// lines hands on what it reads, and keeps each line once it is whole.
type lines struct {
	in   io.Reader
	wire *wire
	part []byte // of a line that has not ended yet
}

func (l *lines) Read(p []byte) (int, error) {
	n, err := l.in.Read(p)
	l.part = append(l.part, p[:n]...)
	for {
		line, rest, whole := bytes.Cut(l.part, []byte("\n"))
		if !whole && err == nil {
			return n, nil
		}
		if kept := l.wire.keep(line); kept != nil {
			return 0, kept
		}
		l.part = rest
		if !whole {
			return n, err
		}
	}
}

// bodies keeps the body of each POST and then lets next read it.
func (k *wire) bodies(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
			if err != nil {
				http.Error(w, "unreadable: "+err.Error(), http.StatusBadRequest)
				return
			}
			if err := k.keep(body); err != nil {
				http.Error(w, err.Error(), http.StatusInternalServerError)
				return
			}
			r.Body = io.NopCloser(bytes.NewReader(body))
		}
		next.ServeHTTP(w, r)
	})
}
