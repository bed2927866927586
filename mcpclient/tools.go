package mcpclient

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/slackbridge/slackbridge/elicit"
)

const (
	// toolsFresh is how long a list of tools counts for Tools. Servers may say
	// earlier that it has changed.
	toolsFresh = 30 * time.Second
	// A server may say how long its list is good; that is kept within these.
	minToolsFresh = 5 * time.Second
	maxToolsFresh = time.Hour
	// maxPages and maxTools bound what a server may list.
	maxPages = 100
	maxTools = 10_000
)

// tool is a tool as listed, and as mcp-go reads it for the headers.
type tool struct {
	elicit.Tool
	annotated mcp.Tool
}

// toolList is what a server listed, and when.
type toolList struct {
	tools []tool
	at    time.Time
	fresh time.Duration // after at
}

func (l *toolList) find(name string) (tool, bool) {
	if l == nil {
		return tool{}, false
	}
	i := slices.IndexFunc(l.tools, func(t tool) bool { return t.Name == name })
	if i < 0 {
		return tool{}, false
	}
	return l.tools[i], true
}

// Tools lists the tools of server, on a connection of user. The list is kept
// for a short while.
func (h *Host) Tools(ctx context.Context, serverName string, user elicit.User) ([]elicit.Tool, error) {
	if err := h.enter(); err != nil {
		return nil, err
	}
	defer h.leave()
	ctx, cancel := h.within(ctx)
	defer cancel(nil)
	s, err := h.server(serverName)
	if err != nil {
		return nil, err
	}
	list := s.known()
	if list == nil || h.o.Now().Sub(list.at) > list.fresh {
		if list, err = h.listFor(ctx, s, user); errors.Is(err, errSessionGone) {
			list, err = h.listFor(ctx, s, user) // on a new session
		}
		if err != nil {
			return nil, typed(serverName, err)
		}
	}
	out := make([]elicit.Tool, len(list.tools))
	for i, t := range list.tools {
		out[i] = t.Tool
	}
	return out, nil
}

func (h *Host) listFor(ctx context.Context, s *server, user elicit.User) (*toolList, error) {
	c, err := h.acquire(ctx, s, user)
	if err != nil {
		return nil, err
	}
	list, err := h.list(ctx, s, c)
	if err == nil {
		s.keep(list)
	}
	h.release(c, err == nil)
	return list, err
}

func (s *server) keep(l *toolList) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tools = l
}

func (s *server) known() *toolList {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.tools
}

// forgetTools drops what was kept of a server's list.
func (h *Host) forgetTools(name string) {
	s, err := h.server(name)
	if err != nil {
		return // there is nothing to forget
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tools = nil
}

// tool finds a tool in the list that is kept, or else in a new one.
func (h *Host) tool(ctx context.Context, s *server, c *conn, name string) (tool, error) {
	if t, ok := s.known().find(name); ok {
		return t, nil
	}
	list, err := h.list(ctx, s, c)
	if err != nil {
		return tool{}, err
	}
	s.keep(list)
	if t, ok := list.find(name); ok {
		return t, nil
	}
	e := &UnknownToolError{Server: s.cfg.name, Tool: name}
	for _, t := range list.tools {
		e.Known = append(e.Known, t.Name)
	}
	slices.SortStableFunc(e.Known, func(a, b string) int { return cmp.Compare(likeness(b, name), likeness(a, name)) })
	return tool{}, e
}

// likeness is the length of the common beginning of two names, without regard
// to case.
func likeness(a, b string) int {
	a, b = strings.ToLower(a), strings.ToLower(b)
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// list asks for all pages of tools/list. Whether to keep the result is for the
// caller: a server may list other tools to a client that offers no elicitation.
func (h *Host) list(ctx context.Context, s *server, c *conn) (*toolList, error) {
	limit := h.o.HandshakeTimeout
	ctx, cancel := context.WithTimeoutCause(ctx, limit, &ServerDownError{Server: s.cfg.name, Problem: "did not list its tools within " + limit.String()})
	defer cancel()
	out := &toolList{at: h.o.Now(), fresh: toolsFresh}
	var cursor json.RawMessage
	seen := map[string]bool{}
	for range maxPages {
		params := c.withMeta(member{name: "cursor", value: cursor})
		raw, err := c.request(ctx, nil, string(mcp.MethodToolsList), params, c.headers(string(mcp.MethodToolsList), params, nil))
		if err != nil {
			return nil, err
		}
		var page struct {
			Tools []json.RawMessage `json:"tools"`
			Next  json.RawMessage   `json:"nextCursor"`
			TTL   *float64          `json:"ttlMs"`
		}
		if err := json.Unmarshal(raw, &page); err != nil {
			return nil, &ProtocolError{Server: s.cfg.name, Path: "result", Problem: "is no list of tools"}
		}
		if page.TTL != nil {
			out.fresh = min(max(time.Duration(*page.TTL)*time.Millisecond, minToolsFresh), maxToolsFresh)
		}
		for _, t := range page.Tools {
			if parsed, ok := c.readTool(t); ok && len(out.tools) < maxTools {
				out.tools = append(out.tools, parsed)
			}
		}
		if isNull(page.Next) || string(page.Next) == `""` {
			break
		}
		if seen[string(page.Next)] {
			return nil, &ProtocolError{Server: s.cfg.name, Path: "result.nextCursor", Problem: "leads in a circle"}
		}
		cursor, seen[string(page.Next)] = page.Next, true
	}
	return out, nil
}

// says reports whether a hint is given, and true.
func says(hint *bool) bool { return hint != nil && *hint }

// readTool reads one entry. A bad one costs itself only.
func (c *conn) readTool(raw json.RawMessage) (tool, bool) {
	var e struct {
		Name        string          `json:"name"`
		Title       string          `json:"title"`
		Description string          `json:"description"`
		InputSchema json.RawMessage `json:"inputSchema"`
		Annotations struct {
			Title string `json:"title"`
			elicit.Annotations
		} `json:"annotations"`
	}
	if err := json.Unmarshal(raw, &e); err != nil || e.Name == "" {
		c.log.Warn("a tool of the server is malformed and left out")
		return tool{}, false
	}
	t := tool{Tool: elicit.Tool{
		Server: c.cfg.name, Name: e.Name, Title: cmp.Or(e.Title, e.Annotations.Title), Description: e.Description, InputSchema: e.InputSchema,
		Idempotent: says(e.Annotations.Idempotent) || says(e.Annotations.ReadOnly), Annotations: e.Annotations.Annotations,
	}}
	if !c.modern() || !c.overHTTP() {
		return t, true // no headers, so no annotations for them
	}
	err := json.Unmarshal(raw, &t.annotated)
	if err == nil {
		err = mcp.ValidateParamHeaderAnnotations(&t.annotated)
	}
	if err != nil {
		// The revision says so: a client must leave such a tool out.
		c.log.Warn("a tool of the server has malformed x-mcp-header annotations and is left out", "tool", printable(e.Name, 80), "err", err)
		return tool{}, false
	}
	return t, true
}
