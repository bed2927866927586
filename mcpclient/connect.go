package mcpclient

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/slackbridge/slackbridge/elicit"
)

func eraOf(protocol string) elicit.Era {
	if mcp.IsModernProtocol(protocol) {
		return elicit.EraDurable
	}
	return elicit.EraBlocking
}

// approach is how one attempt to connect goes about the revision.
type approach struct {
	pin     string        // revision to negotiate; empty: the newest
	patient bool          // the server is known, or suspected, to be modern
	probe   time.Duration // for the answer to server/discover
}

// approach uses what is known: a probe costs a server that ignores unknown
// methods the whole wait, and one that comes to nothing would make a modern
// server a legacy one.
func (h *Host) approach(s *server) approach {
	s.mu.Lock()
	known := s.protocol
	s.mu.Unlock()
	switch {
	case s.cfg.protocol != "":
		return approach{pin: s.cfg.protocol, patient: mcp.IsModernProtocol(s.cfg.protocol), probe: h.o.HandshakeTimeout}
	case known == "":
		return approach{probe: h.o.DiscoverTimeout}
	case mcp.IsModernProtocol(known):
		return approach{patient: true, probe: h.o.HandshakeTimeout}
	default:
		return approach{pin: mcp.LATEST_LEGACY_PROTOCOL_VERSION}
	}
}

// connect makes a connection and remembers what was learnt about the server.
func (h *Host) connect(caller context.Context, s *server, user elicit.User, offers bool) (*conn, error) {
	limit := h.o.HandshakeTimeout
	ctx, cancel := context.WithTimeoutCause(caller, limit, fmt.Errorf("%w (more than %s)", errHandshakeTimeout, limit))
	defer cancel()
	a := h.approach(s)
	c, probe, err := h.attempt(ctx, s, user, offers, a)
	if err != nil && a.pin != "" && s.cfg.protocol == "" && ctx.Err() == nil {
		// What it spoke last time is refused now: it may have come back as another.
		a = approach{probe: h.o.DiscoverTimeout}
		c, probe, err = h.attempt(ctx, s, user, offers, a)
	}
	slow := probe == probeLate || probe == probeUnanswered && err != nil
	if slow && !a.patient && ctx.Err() == nil {
		// It did not answer server/discover in time, and either did so later or
		// cannot do without: it is modern and starts slowly.
		if c != nil {
			h.discard(c)
		}
		c, _, err = h.attempt(ctx, s, user, offers, approach{pin: a.pin, patient: true, probe: limit})
	}
	if cause := context.Cause(caller); err != nil && cause != nil {
		return nil, cause // which says nothing about the server
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.err = err
	if err != nil {
		s.protocol = "" // it may come back as another
		return nil, err
	}
	s.protocol, s.instructions = c.protocol, c.instructions
	return c, nil
}

// attempt opens a connection and negotiates over it. probe is meaningful with
// an error, too.
func (h *Host) attempt(ctx context.Context, s *server, user elicit.User, offers bool, a approach) (*conn, probeResult, error) {
	prefix, err := h.random(6)
	if err != nil {
		return nil, probeNotSent, err
	}
	c := &conn{
		host: h, cfg: s.cfg, user: user, offers: offers, prefix: "sb-" + prefix + "-",
		log: h.o.Log.With("server", s.cfg.name),
	}
	if err := c.open(); err != nil {
		return nil, probeNotSent, err
	}
	err = c.negotiate(ctx, a)
	probe := c.wire.probed()
	if err == nil && a.patient && probe == probeUnanswered && !c.modern() {
		err = fmt.Errorf("it did not answer server/discover: %w", errHandshakeTimeout)
	}
	if err == nil && s.cfg.protocol != "" && s.cfg.protocol != c.protocol {
		err = fmt.Errorf("it speaks %s, not %s as `protocol` in the servers file demands: remove or change that", c.protocol, s.cfg.protocol)
	}
	if err != nil {
		err = c.explain(ctx, err)
		h.discard(c)
		return nil, probe, err
	}
	return c, probe, nil
}

func (c *conn) open() error {
	o := c.host.o
	if c.overHTTP() {
		authorize := func(ctx context.Context) (string, error) { return o.Authorize(ctx, c.cfg.name, c.user) }
		c.wire = openHTTP(c.cfg, c.host.client, authorize, c.receive, c.log, o.After, c.host.jitter)
		return nil
	}
	w, err := openStdio(c.cfg, o.Environ(), c.receive, c.log, o.After)
	if err != nil {
		return err
	}
	c.wire = w
	return nil
}

func (c *conn) capabilities() mcp.ClientCapabilities {
	if !c.offers {
		return mcp.ClientCapabilities{}
	}
	return mcp.ClientCapabilities{Elicitation: &mcp.ElicitationCapability{Form: &struct{}{}, URL: &struct{}{}}}
}

// negotiate lets mcp-go agree on a revision.
func (c *conn) negotiate(ctx context.Context, a approach) error {
	me := mcp.Implementation{Name: "slackbridge", Version: c.host.o.Version}
	cl := client.NewClient(c.wire, client.WithClientCapabilities(c.capabilities()),
		client.WithProtocolVersion(a.pin), client.WithDiscoverTimeout(a.probe))
	if err := cl.Start(ctx); err != nil {
		return err
	}
	hello, err := cl.Initialize(ctx, mcp.InitializeRequest{Params: mcp.InitializeParams{ClientInfo: me}})
	if err != nil {
		return err
	}
	c.instructions = hello.Instructions
	c.protocol = cl.ProtocolVersion()
	c.announces = hello.Capabilities.Tools != nil && hello.Capabilities.Tools.ListChanged
	if !c.modern() {
		return nil
	}
	can := c.capabilities()
	can.Extensions = map[string]any{tasksExtension: struct{}{}}
	meta, err := json.Marshal(map[string]any{
		mcp.MetaKeyProtocolVersion: c.protocol, mcp.MetaKeyClientCapabilities: can, mcp.MetaKeyClientInfo: me,
	})
	if err != nil {
		return fmt.Errorf("encoding _meta: %w", err)
	}
	c.meta = meta
	return nil
}

// explain says why the handshake failed, as whoever set the server up needs it.
func (c *conn) explain(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		err = cause // mcp-go tells only that its context ended
	}
	down := describe(c.cfg.name, err)
	w, ok := c.wire.(*stdioWire)
	if !ok {
		return down
	}
	if said := w.strange.get(); said != "" {
		down.Problem += "; it wrote what is no MCP message: " + said
	}
	if said := w.last.get(); said != "" && !c.isLost() { // else it is said already
		down.Problem += "; its last words: " + said
	}
	return down
}

// discard ends a connection in the background; Close waits for it.
func (h *Host) discard(c *conn) {
	h.work.Go(func() { c.close(h.hard) })
}
