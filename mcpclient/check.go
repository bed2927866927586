package mcpclient

import (
	"context"
	"errors"
	"fmt"

	"github.com/slackbridge/slackbridge/elicit"
)

// Check connects to a server as a call would, lists its tools and closes the
// connection. It offers no elicitation, since there is nobody to ask. The
// error says what is wrong and how to mend it.
func (h *Host) Check(ctx context.Context, serverName string) error {
	if err := h.enter(); err != nil {
		return err
	}
	defer h.leave()
	ctx, cancel := h.within(ctx)
	defer cancel(nil)
	s, err := h.server(serverName)
	if err != nil {
		return err
	}
	c, err := h.connect(ctx, s, elicit.User{}, false)
	if err != nil {
		return err
	}
	defer c.close(h.hard)
	if _, err := h.list(ctx, s, c); err != nil {
		err = typed(s.cfg.name, err)
		var down *ServerDownError
		if errors.As(err, &down) {
			return err
		}
		return fmt.Errorf("server %s answers, but its tools cannot be listed: %w", s.cfg.name, err)
	}
	return nil
}
