package mcpclient

import (
	"context"
	"encoding/json"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/slackbridge/slackbridge/elicit"
)

// receive takes what the server sends by itself. It runs in the reading
// goroutine, so that a question is known before its cancellation is read.
func (c *conn) receive(m message) error {
	if m.isNotification() {
		c.notified(m)
		return nil
	}
	if c.modern() {
		return c.refuseModern(m)
	}
	switch m.method {
	case string(mcp.MethodPing):
		c.respond(encodeResult(m.id, json.RawMessage(`{}`)))
	case string(mcp.MethodElicitationCreate):
		c.elicited(m)
	default:
		c.log.Info("a request of the server is refused", "method", printable(m.method, 80))
		c.respond(encodeError(m.id, codeMethodNotFound, "slackbridge does not serve "+printable(m.method, 80)))
	}
	return nil
}

// refuseModern: servers of 2026-07-28 send no requests. Over HTTP a client
// cannot even answer one, so the call that waits for it ends.
func (c *conn) refuseModern(m message) error {
	if c.overHTTP() {
		return &ProtocolError{Server: c.cfg.name, Path: printable(m.method, 80), Problem: "a server of " + c.protocol + " must not send requests"}
	}
	c.respond(encodeError(m.id, codeMethodNotFound, "a server of "+c.protocol+" must not send requests"))
	return nil
}

func (c *conn) notified(m message) {
	switch m.method {
	case string(mcp.MethodNotificationCancelled):
		var p struct {
			ID json.RawMessage `json:"requestId"`
		}
		if json.Unmarshal(m.params, &p) != nil || isNull(p.ID) {
			return
		}
		if oc := c.current(); oc != nil {
			if q := oc.find(p.ID); q != nil { // unknown ids are normal: late ones
				q.end(elicit.ErrWithdrawn)
			}
		}
	case string(mcp.MethodNotificationElicitationComplete):
		var p struct {
			ID string `json:"elicitationId"`
		}
		if oc := c.current(); oc != nil && json.Unmarshal(m.params, &p) == nil && p.ID != "" {
			c.host.o.Completed(oc.call.ID, p.ID)
		}
	case string(mcp.MethodNotificationProgress):
		var p struct {
			Token json.RawMessage `json:"progressToken"`
		}
		if oc := c.current(); oc != nil && json.Unmarshal(m.params, &p) == nil && idKey(p.Token) == idKey(oc.token) {
			oc.time.progressed()
		}
	case mcp.MethodNotificationToolsListChanged:
		c.host.forgetTools(c.cfg.name)
	}
}

// elicited takes a question. It belongs to the call that the connection
// carries; without one there is nobody to ask.
func (c *conn) elicited(m message) {
	if !c.offers {
		c.respond(encodeError(m.id, codeMethodNotFound, "elicitation was not declared"))
		return
	}
	oc := c.current()
	if oc == nil || oc.ctx.Err() != nil {
		c.log.Warn("a question without a call is cancelled", "requester", c.user.ID)
		c.cancelled(m.id)
		return
	}
	ctx, cancel := context.WithCancelCause(oc.ctx)
	q := &question{conn: c, call: oc, id: m.id, cancel: cancel, over: make(chan struct{})}
	fresh, fits := oc.add(q)
	switch {
	case !fresh:
		cancel(nil)
		c.log.Debug("a question was delivered again", "call_id", oc.call.ID)
		return
	case !fits:
		cancel(nil)
		c.log.Warn("a question came after its call or is one too many; it is cancelled", "call_id", oc.call.ID)
		c.cancelled(m.id)
		return
	}
	c.asked.Go(func() { q.ask(ctx, m.params) })
	if token := progressToken(m.params); token != nil {
		c.asked.Go(func() { q.reassure(token, c.host.o.ProgressInterval) })
	}
}

func (c *conn) cancelled(id json.RawMessage) {
	c.respond(encodeResult(id, json.RawMessage(`{"action":"cancel"}`)))
}

// respond answers beside the reading goroutine, which must not wait for a
// server that does not read.
func (c *conn) respond(body []byte) {
	c.asked.Go(func() { c.tell("a response", sideTimeout, body) })
}
