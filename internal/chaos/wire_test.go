package chaos

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Directions of a message, as its server sees them, and the end of what could
// carry more of them.
const (
	dirIn  = "in"
	dirOut = "out"
	dirEnd = "end" // of an exchange over HTTP, or of a child's input
)

// wireEvent is one message that an MCP server received or sent.
type wireEvent struct {
	At       time.Time       `json:"at"`
	Server   string          `json:"server"`
	Replica  string          `json:"replica"` // generation of the process at the other end
	Conn     string          `json:"conn"`    // within which ids of requests are unique
	Exchange int64           `json:"exchange,omitempty"`
	Dir      string          `json:"dir"`
	Message  json.RawMessage `json:"message,omitempty"`
}

// wireLog keeps events of servers in this process, and finds those of child
// servers in files.
type wireLog struct {
	dir string // of the files

	mu     sync.Mutex
	events []wireEvent
}

func (l *wireLog) add(e wireEvent) {
	e.At = time.Now()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.events = append(l.events, e)
}

// all returns every event so far, in the order of time.
func (l *wireLog) all() ([]wireEvent, error) {
	l.mu.Lock()
	out := append([]wireEvent(nil), l.events...)
	l.mu.Unlock()
	files, err := filepath.Glob(filepath.Join(l.dir, "child-*.jsonl"))
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			return nil, err
		}
		for line := range bytes.Lines(data) {
			var e wireEvent
			if !bytes.HasSuffix(line, []byte("\n")) {
				continue // still being written
			}
			if err := json.Unmarshal(line, &e); err != nil {
				return nil, fmt.Errorf("%s: %w", f, err)
			}
			out = append(out, e)
		}
	}
	sortBy(out, func(e wireEvent) time.Time { return e.At })
	return out, nil
}

const (
	replicaHeader = "X-Chaos-Replica"
	sessionHeader = "Mcp-Session-Id"
	maxBody       = 1 << 20
)

// record keeps what an HTTP server receives and sends.
func (l *wireLog) record(server string, next http.Handler) http.Handler {
	var exchanges atomic.Int64
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		e := wireEvent{
			Server: server, Replica: r.Header.Get(replicaHeader), Exchange: exchanges.Add(1),
			Conn: server + "/" + r.Header.Get(sessionHeader),
		}
		if r.Method == http.MethodPost {
			body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
			if err != nil {
				http.Error(w, "unreadable", http.StatusBadRequest)
				return
			}
			r.Body = io.NopCloser(bytes.NewReader(body))
			e.Dir, e.Message = dirIn, body
			if json.Valid(body) {
				l.add(e)
			}
		}
		rec := &recordingWriter{ResponseWriter: w, log: l, event: e}
		defer func() {
			rec.close()
			e.Dir, e.Message = dirEnd, nil
			l.add(e)
		}()
		next.ServeHTTP(rec, r)
	})
}

// recordingWriter keeps the messages in a response, be it one JSON value or a
// stream of events.
type recordingWriter struct {
	http.ResponseWriter
	log   *wireLog
	event wireEvent
	part  []byte
}

func (w *recordingWriter) Flush() { _ = http.NewResponseController(w.ResponseWriter).Flush() }

func (w *recordingWriter) Write(p []byte) (int, error) {
	w.part = append(w.part, p...)
	for {
		line, rest, whole := bytes.Cut(w.part, []byte("\n"))
		if !whole {
			break
		}
		w.keep(line)
		w.part = rest
	}
	return w.ResponseWriter.Write(p)
}

func (w *recordingWriter) close() { w.keep(w.part); w.part = nil }

func (w *recordingWriter) keep(line []byte) {
	line = bytes.TrimSpace(bytes.TrimPrefix(bytes.TrimSpace(line), []byte("data:")))
	if len(line) == 0 || line[0] != '{' || !json.Valid(line) {
		return
	}
	e := w.event
	e.Dir, e.Message = dirOut, bytes.Clone(line)
	w.log.add(e)
}

// childLog writes the events of a child server to a file of its own.
type childLog struct {
	mu   sync.Mutex
	w    io.Writer
	base wireEvent
}

func (c *childLog) keep(dir string, line []byte) {
	line = bytes.TrimSpace(line)
	if dir != dirEnd && !json.Valid(line) {
		return
	}
	e := c.base
	e.At, e.Dir, e.Message = time.Now(), dir, line
	if dir == dirEnd {
		e.Message = nil
	}
	raw, err := json.Marshal(e)
	if err != nil {
		fmt.Fprintln(os.Stderr, "keeping a message:", err)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, err := c.w.Write(append(raw, '\n')); err != nil {
		fmt.Fprintln(os.Stderr, "keeping a message:", err)
	}
}

// reader keeps each line before anybody else reads it.
func (c *childLog) reader(in io.Reader) io.Reader {
	pr, pw := io.Pipe()
	go func() {
		br := bufio.NewReaderSize(in, maxBody)
		for {
			line, err := br.ReadBytes('\n')
			if len(line) > 0 {
				c.keep(dirIn, line)
				if _, err := pw.Write(line); err != nil {
					return
				}
			}
			if err != nil {
				c.keep(dirEnd, nil)
				_ = pw.CloseWithError(err)
				return
			}
		}
	}()
	return pr
}

// writer keeps what the server sends, which writes one message at a time.
func (c *childLog) writer(out io.Writer) io.Writer {
	return writerFunc(func(p []byte) (int, error) {
		for line := range strings.Lines(string(p)) {
			c.keep(dirOut, []byte(line))
		}
		return out.Write(p)
	})
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }
