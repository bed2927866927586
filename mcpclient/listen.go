package mcpclient

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
)

// Pauses between two attempts to hear of changes of a server.
const (
	firstListenPause = time.Second
	maxListenPause   = 5 * time.Minute
)

// listen asks a server of 2026-07-28 that announces changes of its tools to
// say so, as long as this connection lives (subscriptions/listen). One
// connection of each server does. Whatever is missed between two attempts is
// made up for: the list is asked for anew.
func (c *conn) listen(s *server) {
	if !c.modern() || !c.announces || s.deaf.Load() || !s.listening.CompareAndSwap(false, true) {
		return
	}
	c.asked.Go(func() {
		defer s.listening.Store(false)
		for pause := firstListenPause; ; pause = min(2*pause, maxListenPause) {
			begun := c.host.o.Now()
			err := c.subscribe()
			c.host.forgetTools(s.cfg.name)
			var refused *RPCError
			var status *httpStatusError
			if errors.As(err, &refused) || errors.As(err, &status) {
				c.log.Info("the server does not tell of changes although it says so; its tools are listed anew now and then", "err", err)
				s.deaf.Store(true)
				return
			}
			if c.host.o.Now().Sub(begun) > maxListenPause { // it served for a while
				pause = firstListenPause
			}
			select {
			case <-c.wire.lost():
				return
			case <-c.host.o.After(c.host.jitter(pause)):
			}
		}
	})
}

// subscribe holds one subscription. It returns when it has ended.
func (c *conn) subscribe() error {
	method := string(mcp.MethodSubscriptionsListen)
	params := c.withMeta(member{name: "notifications", value: json.RawMessage(`{"toolsListChanged":true}`)})
	_, err := c.request(context.Background(), nil, method, params, c.headers(method, params, nil))
	return err
}
