package mcpclient

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// rawHTTP is a streamable HTTP server without any library: the handshake is
// done for the test, everything else is up to it.
type rawHTTP struct {
	t      *testing.T
	srv    *httptest.Server
	modern bool

	// call is what a tools/call does. It may take its time.
	call func(x *exchangeHTTP)
	// get is what a GET does; nil: 405.
	get func(x *exchangeHTTP)
	// post may take any other POST first, and says whether it did.
	post func(x *exchangeHTTP) bool

	mu    sync.Mutex
	heard []heardHTTP
	news  chan struct{} // closed and made anew with each message
	count int           // sessions so far
}

type heardHTTP struct {
	method string // of HTTP
	header http.Header
	body   string
	m      message
}

// exchangeHTTP is one request, with what is needed to answer it.
type exchangeHTTP struct {
	heardHTTP
	s *rawHTTP
	w http.ResponseWriter
	r *http.Request
}

func newRawHTTP(t *testing.T, modern bool, call func(*exchangeHTTP)) *rawHTTP {
	t.Helper()
	s := &rawHTTP{t: t, modern: modern, call: call, news: make(chan struct{})}
	s.srv = httptest.NewServer(s)
	t.Cleanup(func() {
		s.srv.CloseClientConnections() // a failed test may have left streams open
		s.srv.Close()
	})
	return s
}

func (s *rawHTTP) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	x := &exchangeHTTP{heardHTTP: heardHTTP{method: r.Method, header: r.Header.Clone(), body: string(body)}, s: s, w: w, r: r}
	if m, err := decodeMessage(body); err == nil {
		x.m = m
	}
	s.mu.Lock()
	s.heard = append(s.heard, x.heardHTTP)
	close(s.news)
	s.news = make(chan struct{})
	s.mu.Unlock()
	switch {
	case r.Method == http.MethodGet && s.get != nil:
		s.get(x)
	case r.Method != http.MethodPost:
		w.WriteHeader(http.StatusMethodNotAllowed)
	case s.post != nil && s.post(x):
	case !x.m.isRequest():
		w.WriteHeader(http.StatusAccepted)
	case x.m.method == "tools/call":
		s.call(x)
	default:
		s.handshake(x)
	}
}

func (s *rawHTTP) handshake(x *exchangeHTTP) {
	switch {
	case x.m.method == "server/discover" && s.modern:
		x.json(encodeResult(x.m.id, []byte(`{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}}`)))
	case x.m.method == "initialize" && !s.modern:
		s.mu.Lock()
		s.count++
		x.w.Header().Set(sessionHeader, fmt.Sprintf("session-%d", s.count))
		s.mu.Unlock()
		x.json(encodeResult(x.m.id, []byte(`{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"raw","version":"1"}}`)))
	case x.m.method == "tools/list":
		x.json(encodeResult(x.m.id, []byte(`{"resultType":"complete","tools":[{"name":"run","inputSchema":{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"}}}}]}`)))
	default:
		x.w.Header().Set("Content-Type", "application/json")
		x.w.WriteHeader(http.StatusBadRequest)
		x.write(string(encodeError(x.m.id, codeMethodNotFound, "no such method")))
	}
}

func (x *exchangeHTTP) json(body []byte) {
	x.w.Header().Set("Content-Type", "application/json")
	x.write(string(body))
}

// stream begins an answer of events.
func (x *exchangeHTTP) stream() {
	x.w.Header().Set("Content-Type", "text/event-stream")
	x.w.WriteHeader(http.StatusOK)
	x.flush()
}

func (x *exchangeHTTP) flush() { _ = http.NewResponseController(x.w).Flush() }

// event sends one event; an empty id sends none.
func (x *exchangeHTTP) event(id, data string) {
	if id != "" {
		x.write("id: " + id + "\n")
	}
	x.write("data: " + data + "\n\n")
	x.flush()
}

func (x *exchangeHTTP) write(text string) {
	_, _ = io.WriteString(x.w, text) // the client may have left
}

// text is the finished result of a call.
func (x *exchangeHTTP) text(text string) string {
	return string(encodeResult(x.m.id, []byte(`{"content":[{"type":"text","text":`+string(quote(text))+`}]}`)))
}

// closed reports the end of the client's interest.
func (x *exchangeHTTP) closed() <-chan struct{} { return x.r.Context().Done() }

// response waits for the response to the question with that id and returns
// its body; empty when the exchange ends first.
func (x *exchangeHTTP) response(id string) string {
	h := x.s.await(x.closed(), func(h heardHTTP) bool { return h.m.method == "" && string(h.m.id) == id && h.method == http.MethodPost })
	return h.body
}

// await waits for a request that matches.
func (s *rawHTTP) await(end <-chan struct{}, match func(heardHTTP) bool) heardHTTP {
	for {
		s.mu.Lock()
		news := s.news
		for _, h := range s.heard {
			if match(h) {
				s.mu.Unlock()
				return h
			}
		}
		s.mu.Unlock()
		select {
		case <-news:
		case <-end:
			return heardHTTP{}
		}
	}
}

// all lists what came so far and matches.
func (s *rawHTTP) all(match func(heardHTTP) bool) []heardHTTP {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []heardHTTP
	for _, h := range s.heard {
		if match(h) {
			out = append(out, h)
		}
	}
	return out
}

func method(name string) func(heardHTTP) bool {
	return func(h heardHTTP) bool { return h.m.method == name }
}

func responses(h heardHTTP) bool {
	return h.method == http.MethodPost && h.m.method == "" && strings.Contains(h.body, `"result"`)
}
