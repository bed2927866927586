package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// mcpFake is the MCP servers, one for each path. Each has a tool that asks one
// question of three fields and ends with its answer.
type mcpFake struct {
	w        *world
	sessions atomic.Int64
}

type rpc struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Arguments struct {
			N int `json:"n"`
		} `json:"arguments"`
		InputResponses json.RawMessage `json:"inputResponses"`
	} `json:"params"`
	Result json.RawMessage `json:"result"`
}

const (
	sessionHeader = "Mcp-Session-Id"
	toolsResult   = `{"resultType":"complete","tools":[{"name":"ask","description":"Asks a person","inputSchema":{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}}]}`
	askedSchema   = `{"type":"object","properties":{` +
		`"cluster":{"type":"string","title":"Cluster","enum":["prod-eu","prod-us","staging"]},` +
		`"window":{"type":"string","title":"Maintenance window","description":"When may it happen?","maxLength":120},` +
		`"confirm":{"type":"boolean","title":"Confirm"}},"required":["cluster","window","confirm"]}`
)

func elicitation(n int) string {
	return fmt.Sprintf(`{"mode":"form","message":"Deploy payments 2.3.1 to production? (question-%d-)","requestedSchema":%s}`, n, askedSchema)
}

func result(n int) string {
	return fmt.Sprintf(`{"resultType":"complete","content":[{"type":"text","text":"Deployed. answered-%d-"}]}`, n)
}

func (s *mcpFake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	era := strings.TrimPrefix(r.URL.Path, "/")
	if r.Method != http.MethodPost {
		s.other(w, r, era)
		return
	}
	body, err := io.ReadAll(r.Body)
	at := time.Now()
	var m rpc
	if err != nil || json.Unmarshal(body, &m) != nil {
		http.Error(w, "unreadable", http.StatusBadRequest)
		return
	}
	switch {
	case m.Method == "server/discover" && era == eraDurable:
		reply(w, m, `{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}}`)
	case m.Method == "initialize" && era != eraDurable:
		w.Header().Set(sessionHeader, fmt.Sprintf("session-%d", s.sessions.Add(1)))
		reply(w, m, `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"bench","version":"1"}}`)
	case m.Method == "tools/list":
		reply(w, m, toolsResult)
	case m.Method == "tools/call" && era == eraDurable:
		s.callDurable(w, m, at)
	case m.Method == "tools/call":
		s.callBlocking(w, r, m)
	case m.Method == "" && m.Result != nil:
		s.answered(m, at)
		w.WriteHeader(http.StatusAccepted)
	case m.ID == nil:
		w.WriteHeader(http.StatusAccepted)
	default:
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no such method"}}`, m.ID)
	}
}

// other takes the GET of a standing stream, and the end of sessions.
func (s *mcpFake) other(w http.ResponseWriter, r *http.Request, era string) {
	if r.Method != http.MethodGet || era != eraStanding {
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	stream(w)
	<-r.Context().Done()
}

func stream(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "text/event-stream")
	w.WriteHeader(http.StatusOK)
	_ = http.NewResponseController(w).Flush() // who is gone needs nothing
}

func event(w http.ResponseWriter, data string) {
	fmt.Fprintf(w, "data: %s\n\n", data)
	_ = http.NewResponseController(w).Flush()
}

func reply(w http.ResponseWriter, m rpc, result string) {
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result)
}

// callBlocking asks on the stream of the call and ends it once answered.
func (s *mcpFake) callBlocking(w http.ResponseWriter, r *http.Request, m rpc) {
	n := m.Params.Arguments.N
	q := s.w.question(n)
	if q == nil {
		http.Error(w, "unknown question", http.StatusBadRequest)
		return
	}
	stream(w)
	event(w, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"elicitation/create","params":%s}`, n, elicitation(n)))
	select {
	case <-q.reply:
		event(w, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result(n)))
	case <-r.Context().Done():
	}
}

// answered takes the response to a question of the blocking era.
func (s *mcpFake) answered(m rpc, at time.Time) {
	n, err := strconv.Atoi(string(m.ID))
	if err != nil {
		return
	}
	if q := s.w.question(n); q != nil {
		q.note(at)
		select {
		case q.reply <- struct{}{}:
		default:
		}
	}
}

func (s *mcpFake) callDurable(w http.ResponseWriter, m rpc, at time.Time) {
	n := m.Params.Arguments.N
	if m.Params.InputResponses == nil {
		reply(w, m, fmt.Sprintf(`{"resultType":"input_required","inputRequests":{"answer":{"method":"elicitation/create","params":%s}},"requestState":"state-%d"}`, elicitation(n), n))
		return
	}
	if q := s.w.question(n); q != nil {
		q.note(at)
	}
	reply(w, m, result(n))
}

// note keeps when the answer arrived. A second one is a fault that the
// tests look for; here the first counts.
func (q *question) note(at time.Time) {
	select {
	case q.answer <- at:
	default:
	}
}
