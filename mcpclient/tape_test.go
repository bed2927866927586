package mcpclient

import (
	"bufio"
	"bytes"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the transcripts in testdata anew")

// tape records what goes over the wire as the server sees it: one line a
// message, -> to the server and <- from it.
type tape struct {
	mu    sync.Mutex
	lines []string
	on    bool
}

// record notes a line, once there was a tools/call: handshakes have a
// transcript of their own.
func (p *tape) record(line string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.on = p.on || strings.Contains(line, `"method":"tools/call"`)
	if p.on {
		p.lines = append(p.lines, line)
	}
}

// note is a line of what happens between messages.
func (p *tape) note(what string) { p.record("   (" + what + ")") }

var (
	ownID   = regexp.MustCompile(`("progressToken":)?"(sb-[0-9a-f]{12}-\d+)"`)
	ownMeta = regexp.MustCompile(`"io\.modelcontextprotocol/clientCapabilities".*?"io\.modelcontextprotocol/protocolVersion":"2026-07-28"`)
)

// named is the tape with a name for each of our ids, which are random, and
// with _meta spelled out once only, as long as it stays the same.
func (p *tape) named() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	names := map[string]string{}
	text := strings.Join(p.lines, "\n") + "\n"
	meta := ""
	text = ownMeta.ReplaceAllStringFunc(text, func(m string) string {
		if m == meta {
			return "the same"
		}
		meta = m
		return m
	})
	kinds := map[string]int{}
	return ownID.ReplaceAllStringFunc(text, func(found string) string {
		part := ownID.FindStringSubmatch(found)
		kind := "request"
		if part[1] != "" {
			kind = "token"
		}
		if names[part[2]] == "" {
			kinds[kind]++
			names[part[2]] = fmt.Sprintf("%s-%d", kind, kinds[kind])
		}
		return part[1] + `"` + names[part[2]] + `"`
	})
}

// golden compares the tape with testdata/transcripts/name.txt.
func (p *tape) golden(t *testing.T, name string) {
	t.Helper()
	file := filepath.Join("testdata", "transcripts", name+".txt")
	got := p.named()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v (go test ./mcpclient -update writes it)", err)
	}
	if d := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); d != "" {
		t.Errorf("%s (-want +got):\n%s", file, d)
	}
}

// pipeServer is a stdio server inside the test. Its child process passes the
// bytes on through two named pipes, so that the tape has both directions in
// the order in which the server sees them.
type pipeServer struct {
	t    *testing.T
	tape *tape
	in   *bufio.Reader
	out  *os.File
}

// newPipeServer returns the servers file. call is what a tools/call does.
func newPipeServer(t *testing.T, p *tape, call func(s *pipeServer, id []byte)) string {
	t.Helper()
	dir := t.TempDir()
	var ends []*os.File
	for _, name := range []string{"up", "down"} {
		path := filepath.Join(dir, name)
		if err := syscall.Mkfifo(path, 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := os.OpenFile(path, os.O_RDWR, 0) // opening one direction would wait for the child
		if err != nil {
			t.Fatal(err)
		}
		ends = append(ends, f)
	}
	s := &pipeServer{t: t, tape: p, in: bufio.NewReader(ends[0]), out: ends[1]}
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.serve(call)
	}()
	t.Cleanup(func() {
		for _, f := range ends {
			_ = f.Close()
		}
		<-done
	})
	return fmt.Sprintf(`{"mcpServers":{"s":{"command":"/bin/sh","args":["-c","cat <\"$0/down\" & exec cat >\"$0/up\"",%s]}}}`, quote(dir))
}

func (s *pipeServer) serve(call func(*pipeServer, []byte)) {
	for {
		switch m, ok := s.next(); {
		case !ok:
			return
		case m.method == "initialize":
			s.send(string(encodeResult(m.id, []byte(`{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"raw","version":"1"}}`))))
		case m.method == "tools/list":
			s.send(string(encodeResult(m.id, []byte(`{"tools":[{"name":"run","inputSchema":{"type":"object"}}]}`))))
		case m.method == "tools/call":
			call(s, m.id)
		case m.isRequest():
			s.send(string(encodeError(m.id, codeMethodNotFound, "no such method")))
		}
	}
}

// next reads a message; ok is false when the test is over.
func (s *pipeServer) next() (m message, ok bool) {
	line, err := s.in.ReadBytes('\n')
	if err != nil {
		return message{}, false
	}
	s.tape.record("-> " + string(bytes.TrimSpace(line)))
	m, err = decodeMessage(line)
	if err != nil {
		s.t.Errorf("%v: %s", err, line)
	}
	return m, err == nil
}

func (s *pipeServer) send(text string) {
	s.tape.record("<- " + text)
	if _, err := s.out.WriteString(text + "\n"); err != nil {
		s.t.Errorf("writing to the client: %v", err)
	}
}

// over ends a call.
func (s *pipeServer) over(id []byte) {
	s.send(string(encodeResult(id, []byte(`{"content":[{"type":"text","text":"done"}]}`))))
}

// onTape records a server over HTTP: a message before the server sees it, so
// that nothing that follows from it comes first. The status of messages that
// get no answer of their own is left out: 202 comes at any time.
func onTape(s *rawHTTP, p *tape) {
	s.srv.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		if after := r.Header.Get("Last-Event-Id"); after != "" {
			p.record("-> GET after " + after)
		}
		if r.Method == http.MethodPost {
			p.record("-> POST " + string(body))
		}
		s.ServeHTTP(&tapedWriter{ResponseWriter: w, tape: p, stream: r.Method + " "}, r)
	})
}

// tapedWriter records what a server answers over HTTP.
type tapedWriter struct {
	http.ResponseWriter
	tape   *tape
	stream string // what it answers: "POST " or "GET "
	id     string // of the event that is being written
}

func (w *tapedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w *tapedWriter) Write(p []byte) (int, error) {
	for line := range strings.Lines(string(p)) {
		line = strings.TrimSuffix(line, "\n")
		if id, ok := strings.CutPrefix(line, "id: "); ok {
			w.id = "id " + id + " "
		}
		if data, ok := strings.CutPrefix(line, "data: "); ok {
			w.tape.record("<- " + w.stream + "event " + w.id + data)
			w.id = ""
		}
		if strings.HasPrefix(line, "{") {
			w.tape.record("<- " + w.stream + line)
		}
	}
	return w.ResponseWriter.Write(p)
}
