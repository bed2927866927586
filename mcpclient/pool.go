package mcpclient

import (
	"context"
	"slices"

	"github.com/slackbridge/slackbridge/elicit"
)

// poolKey names a pool: connections are never shared between users.
type poolKey struct {
	server string
	user   elicit.User
}

// pool holds the connections of one user to one server. It is guarded by
// Host.mu.
type pool struct {
	idle    []*conn      // the last one used is the last
	total   int          // connections in use, idle or being made
	waiting []chan *conn // callers in the order they came; nil stands for the right to make a connection
}

// acquire returns a connection of the user that nobody else uses. When the
// user has as many as allowed it waits, first come first served.
func (h *Host) acquire(ctx context.Context, s *server, user elicit.User) (*conn, error) {
	key := poolKey{s.cfg.name, user}
	h.mu.Lock()
	p := h.pools[key]
	if p == nil {
		p = &pool{}
		h.pools[key] = p
	}
	if c := h.takeIdle(p); c != nil {
		h.mu.Unlock()
		return c, nil
	}
	if p.total < h.o.PerUser {
		p.total++
		h.mu.Unlock()
		return h.fill(ctx, s, key)
	}
	turn := make(chan *conn, 1)
	p.waiting = append(p.waiting, turn)
	h.mu.Unlock()
	select {
	case c := <-turn:
		if c != nil {
			return c, nil
		}
		return h.fill(ctx, s, key)
	case <-ctx.Done():
		h.leaveQueue(key, turn)
		return nil, context.Cause(ctx)
	}
}

// takeIdle returns an idle connection that still stands.
func (h *Host) takeIdle(p *pool) *conn {
	for len(p.idle) > 0 {
		c := p.idle[len(p.idle)-1]
		p.idle = p.idle[:len(p.idle)-1]
		if c.reusable() {
			return c
		}
		p.total--
		h.discard(c)
	}
	return nil
}

// fill makes the connection for a place in the pool that is taken already.
func (h *Host) fill(ctx context.Context, s *server, key poolKey) (*conn, error) {
	c, err := h.connect(ctx, s, key.user, h.o.Elicitation(s.cfg.name))
	if err != nil {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.freePlace(key)
		return nil, err
	}
	c.listen(s)
	return c, nil
}

// leaveQueue gives up waiting. What was handed over meanwhile goes on.
func (h *Host) leaveQueue(key poolKey, turn chan *conn) {
	h.mu.Lock()
	defer h.mu.Unlock()
	p := h.pools[key]
	if i := slices.Index(p.waiting, turn); i >= 0 {
		p.waiting = slices.Delete(p.waiting, i, i+1)
		return
	}
	if c := <-turn; c != nil {
		h.give(key, c)
		return
	}
	h.freePlace(key)
}

// release gives a connection back. One that is not fit for another call is
// ended, and its place is free.
func (h *Host) release(c *conn, fit bool) {
	key := poolKey{c.cfg.name, c.user}
	h.mu.Lock()
	defer h.mu.Unlock()
	if fit && !h.closed && c.reusable() {
		h.give(key, c)
		return
	}
	h.discard(c)
	h.freePlace(key)
}

// give hands a connection to the next who waits, or keeps it.
func (h *Host) give(key poolKey, c *conn) {
	p := h.pools[key]
	if len(p.waiting) > 0 {
		next := p.waiting[0]
		p.waiting = slices.Delete(p.waiting, 0, 1)
		next <- c
		return
	}
	c.idle = h.o.Now()
	p.idle = append(p.idle, c)
}

// freePlace gives a place to the next who waits, or removes it.
func (h *Host) freePlace(key poolKey) {
	p := h.pools[key]
	if len(p.waiting) > 0 {
		next := p.waiting[0]
		p.waiting = slices.Delete(p.waiting, 0, 1)
		next <- nil
		return
	}
	p.total--
	if p.total == 0 {
		delete(h.pools, key)
	}
}

// closeIdle ends the idle connections that match.
func (h *Host) closeIdle(match func(*conn) bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for key, p := range h.pools {
		p.idle = slices.DeleteFunc(p.idle, func(c *conn) bool {
			if !match(c) {
				return false
			}
			h.discard(c)
			p.total--
			return true
		})
		if p.total == 0 {
			delete(h.pools, key)
		}
	}
}

// janitor ends connections that nobody uses, and those that are lost.
func (h *Host) janitor() {
	for {
		select {
		case <-h.o.After(h.o.IdleTime / 2):
		case <-h.life.Done():
			return
		}
		h.closeIdle(func(c *conn) bool {
			return !c.reusable() || h.o.Now().Sub(c.idle) >= h.o.IdleTime
		})
	}
}
