package slackapp

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"syscall"
	"time"

	"github.com/slack-go/slack"

	"github.com/slackbridge/slackbridge/elicit"
)

// repeat says what may be done after an outcome that is not known.
type repeat int

const (
	// safe calls can be repeated: the second one changes nothing more.
	safe repeat = iota
	// once calls would post twice. They are repeated only when Slack says that
	// it did not carry them out, or could not be reached at all.
	once
	// never calls live on a trigger, which is spent by the first attempt.
	never
)

const (
	firstBackoff = 250 * time.Millisecond
	maxBackoff   = 10 * time.Second
)

// do makes one call of the Web API, repeated as far as that is right. channel
// is for methods that are paced by channel.
func (c *Client) do(ctx context.Context, method, channel string, r repeat, call func(context.Context) error) error {
	key := method + channel
	backoff := firstBackoff
	for {
		if r != never {
			if err := c.limits.wait(ctx, key); err != nil {
				return unreachable(method, err)
			}
		}
		begun := c.o.Now()
		err := call(ctx)
		c.o.Observe(method, codeForCounting(ctx, err), c.o.Now().Sub(begun))
		if err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return unreachable(method, context.Cause(ctx))
		}
		wait, again := retryAfter(err, r)
		if !again {
			return classify(method, err)
		}
		if wait > 0 {
			c.limits.hold(key, wait)
			c.o.Log.Warn("Slack limits the rate of a method", "method", method, "channel", channel, "wait", wait.String())
			continue
		}
		c.o.Log.Debug("a call to Slack is repeated", "method", method, "err", err)
		if err := c.o.Sleep(ctx, backoff+rand.N(backoff)); err != nil {
			return unreachable(method, err)
		}
		backoff = min(2*backoff, maxBackoff)
	}
}

// retryAfter reports whether a failed call may be made again, and when. Zero
// means: after a back-off of our own.
func retryAfter(err error, r repeat) (time.Duration, bool) {
	var limited *slack.RateLimitedError
	if errors.As(err, &limited) {
		return max(limited.RetryAfter, time.Second), r != never
	}
	if r == never {
		return 0, false
	}
	var status slack.StatusCodeError
	if errors.As(err, &status) {
		if status.Code == http.StatusServiceUnavailable {
			return 0, true
		}
		return 0, status.Code >= 500 && r == safe
	}
	switch codeOf(err) {
	case "ratelimited", "rate_limited":
		return time.Second, true
	case "service_unavailable", "team_added_to_org":
		return 0, true
	case "internal_error", "fatal_error", "request_timeout":
		// may have been carried out in part
		return 0, r == safe
	case "":
		// The network. Only a refused connection or a failed dial proves that
		// nothing has arrived.
		return 0, r == safe || notSent(err)
	}
	return 0, false
}

func notSent(err error) bool {
	var op *net.OpError
	return errors.Is(err, syscall.ECONNREFUSED) || (errors.As(err, &op) && op.Op == "dial")
}

// codeOf is Slack's word for the error, "" when Slack said nothing.
func codeOf(err error) string {
	var resp slack.SlackErrorResponse
	if errors.As(err, &resp) {
		return resp.Err
	}
	return ""
}

// codeForCounting is the word of Slack, or ours where Slack said nothing.
func codeForCounting(ctx context.Context, err error) string {
	var limited *slack.RateLimitedError
	var status slack.StatusCodeError
	var network net.Error
	switch {
	case err == nil:
		return "ok"
	case errors.As(err, &limited):
		return "ratelimited"
	case codeOf(err) != "":
		return codeOf(err)
	case errors.As(err, &status) && status.Code >= 500:
		return "http_5xx"
	case errors.As(err, &status):
		return "http_other"
	case errors.Is(ctx.Err(), context.Canceled):
		return "given_up"
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &network) && network.Timeout():
		return "timeout"
	}
	return "network"
}

// classify gives an error of Slack the meaning on which callers act.
func classify(method string, err error) error {
	code := codeOf(err)
	detail := code
	var resp slack.SlackErrorResponse
	if errors.As(err, &resp) && len(resp.ResponseMetadata.Messages) > 0 {
		detail += " (" + strings.Join(resp.ResponseMetadata.Messages, "; ") + ")"
	}
	if code == "" {
		var limited *slack.RateLimitedError
		var status slack.StatusCodeError
		if errors.As(err, &limited) || errors.As(err, &status) {
			return fmt.Errorf("%s: %w: %w", method, elicit.ErrSlackUnreachable, err)
		}
		return unreachable(method, err)
	}
	if meaning := meaningOf(code); meaning != nil {
		return fmt.Errorf("%s: %w: %s", method, meaning, detail)
	}
	return fmt.Errorf("%s: %w", method, err)
}

func unreachable(method string, cause error) error {
	return fmt.Errorf("%s: %w: %w", method, elicit.ErrSlackUnreachable, cause)
}

func meaningOf(code string) error {
	switch code {
	case "not_in_channel", "channel_not_found", "is_archived", "messages_tab_disabled", "cannot_reply_to_message",
		"user_not_in_channel", "user_not_found", "user_disabled", "user_not_visible", "cannot_dm_bot", "access_denied", "team_access_not_granted":
		return elicit.ErrCannotPost
	case "expired_trigger_id", "exchanged_trigger_id", "invalid_trigger_id", "trigger_expired", "trigger_exchanged":
		return elicit.ErrTriggerExpired
	case "invalid_blocks", "invalid_blocks_format", "invalid_arguments", "view_too_large", "msg_too_long", "msg_blocks_too_long",
		"msg_blocks_too_many", "no_text", "block_mismatch", "too_many_attachments", "invalid_attachments":
		return elicit.ErrRefused
	case "message_not_found", "not_found", "cant_update_message", "edit_window_closed", "is_inactive", "view_not_found":
		return elicit.ErrGone
	case "internal_error", "fatal_error", "request_timeout", "service_unavailable", "ratelimited", "rate_limited", "team_added_to_org":
		// The fault is Slack's, and passes. The first three may have done their work.
		return elicit.ErrSlackUnreachable
	case "duplicate_external_id":
		return elicit.ErrAlreadyOpen
	}
	if strings.HasPrefix(code, "restricted_action") {
		return elicit.ErrCannotPost
	}
	return nil
}
