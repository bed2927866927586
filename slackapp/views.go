package slackapp

import (
	"context"

	"github.com/slackbridge/slackbridge/blockkit"
)

// OpenView opens a modal. It is tried once and waits behind nothing: the
// trigger lives for 3 s and serves one attempt.
func (c *Client) OpenView(ctx context.Context, triggerID string, m blockkit.Modal) (string, error) {
	var id string
	err := c.do(ctx, "views.open", "", never, func(ctx context.Context) error {
		v, err := c.api.OpenViewContext(ctx, triggerID, m.View)
		if err == nil {
			id = v.ID
		}
		return err
	})
	return id, err
}

// PushView lays a modal over the one in which the trigger arose; closing it
// uncovers that as it was.
func (c *Client) PushView(ctx context.Context, triggerID string, m blockkit.Modal) error {
	return c.do(ctx, "views.push", "", never, func(ctx context.Context) error {
		_, err := c.api.PushViewContext(ctx, triggerID, m.View)
		return err
	})
}

// UpdateView replaces what an open modal shows.
func (c *Client) UpdateView(ctx context.Context, viewID string, m blockkit.Modal) error {
	view := m.View
	return c.do(ctx, "views.update", "", safe, func(ctx context.Context) error {
		_, err := c.api.UpdateViewContext(ctx, view, "", "", viewID)
		return err
	})
}
