package slacksim

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// post delivers p over HTTP, signed. Slash commands are plain form fields,
// interactions a form field "payload", events a JSON body.
func (s *Sim) post(ctx context.Context, base string, p parcel) (receipt, error) {
	body, kind := string(encode(p.payload)), "application/json"
	if p.envelope != "events_api" {
		kind = "application/x-www-form-urlencoded"
		form := url.Values{}
		if p.envelope == "slash_commands" {
			for name, v := range p.payload {
				form.Set(name, fmt.Sprint(v))
			}
		} else {
			form.Set("payload", body)
		}
		body = form.Encode()
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, strings.TrimSuffix(base, "/")+p.path, strings.NewReader(body))
	if err != nil {
		return receipt{}, fmt.Errorf("delivering to %s: %w", base, errNoEndpoint)
	}
	req.Header.Set("Content-Type", kind)
	req.Header.Set("User-Agent", "Slackbot 1.0 (+https://api.slack.com/robots)")
	at := strconv.FormatInt(s.opt.Now().Unix(), 10)
	req.Header.Set("X-Slack-Request-Timestamp", at)
	req.Header.Set("X-Slack-Signature", Sign(signingSecret, at, body))
	if p.attempt > 0 {
		req.Header.Set("X-Slack-Retry-Num", strconv.Itoa(p.attempt))
		req.Header.Set("X-Slack-Retry-Reason", p.reason)
	}
	res, err := s.client.Do(req)
	if err != nil {
		return receipt{}, s.lost(ctx)
	}
	defer func() {
		if err := res.Body.Close(); err != nil {
			s.opt.Log.Debug("closing the app's answer", "err", err)
		}
	}()
	raw, err := io.ReadAll(io.LimitReader(res.Body, maxBody))
	r := receipt{body: raw, noRetry: res.Header.Get("X-Slack-No-Retry") == "1"}
	switch {
	case err != nil:
		return r, s.lost(ctx)
	case res.StatusCode >= 500:
		return r, errServerFault
	case res.StatusCode != http.StatusOK:
		return r, errClientFault
	default:
		return r, nil
	}
}

// lost tells a late answer from an endpoint that cannot be reached.
func (s *Sim) lost(ctx context.Context) error {
	switch {
	case s.ctx.Err() != nil:
		return errStopped
	case ctx.Err() != nil:
		return errNoAck
	default:
		return errNoEndpoint
	}
}

// Sign returns the X-Slack-Signature of a body, scheme v0.
func Sign(secret, timestamp, body string) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte("v0:" + timestamp + ":" + body))
	return "v0=" + hex.EncodeToString(mac.Sum(nil))
}
