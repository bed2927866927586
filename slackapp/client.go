// Package slackapp is everything that speaks to Slack: Socket Mode and signed
// HTTP in, the Web API out. It acknowledges first and works afterwards, paces
// and repeats calls as Slack asks, and never logs what a payload holds.
//
// It knows no MCP, no Redis and no policy.
package slackapp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/slack-go/slack"
)

// Secret is a token or signing secret. Every way of printing it yields a
// placeholder.
type Secret string

const hidden = "[hidden]"

func (Secret) String() string               { return hidden }
func (Secret) GoString() string             { return hidden }
func (Secret) LogValue() slog.Value         { return slog.StringValue(hidden) }
func (Secret) MarshalText() ([]byte, error) { return []byte(hidden), nil }

// Options configure a Client.
type Options struct {
	BotToken      Secret
	AppToken      Secret       // Socket Mode only
	SigningSecret Secret       // HTTP mode only
	APIURL        string       // default Slack's; a missing trailing slash is added
	HTTPClient    *http.Client // default: one with dial and header timeouts
	Log           *slog.Logger
	Now           func() time.Time
	// MessageInterval is the pause between two messages in one channel; default
	// 1 s, which is what Slack allows. Negative: none, for a Slack that allows it.
	MessageInterval time.Duration
	// Observe hears of each request to the Web API: its method, what came of it
	// ("ok", Slack's own word, or one of ours) and how long it took. It must not
	// block. nil: nobody hears.
	Observe func(method, code string, took time.Duration)
	// Sleep waits, or returns early with ctx's error; default a real timer.
	Sleep func(context.Context, time.Duration) error
}

// Client calls Slack's Web API for one workspace. It is safe for concurrent
// use.
type Client struct {
	o       Options
	api     *slack.Client
	http    *http.Client
	limits  limits
	redraws redraws
	people  people
}

// New returns a Client. It makes no call. Close ends its background work.
func New(o Options) (*Client, error) {
	if o.BotToken == "" || o.Log == nil || o.Now == nil {
		return nil, errors.New("slackapp: BotToken, Log and Now are needed")
	}
	if o.APIURL == "" {
		o.APIURL = slack.APIURL
	}
	if !strings.HasSuffix(o.APIURL, "/") {
		o.APIURL += "/"
	}
	if o.HTTPClient == nil {
		tr := http.DefaultTransport.(*http.Transport).Clone()
		tr.MaxIdleConnsPerHost = 64
		tr.ResponseHeaderTimeout = 15 * time.Second
		o.HTTPClient = &http.Client{Transport: tr, Timeout: 20 * time.Second}
	}
	if o.Sleep == nil {
		o.Sleep = sleep
	}
	o.MessageInterval = max(cmp.Or(o.MessageInterval, messageInterval), 0)
	if o.Observe == nil {
		o.Observe = func(string, string, time.Duration) {}
	}
	c := &Client{o: o, http: o.HTTPClient}
	opts := []slack.Option{slack.OptionAPIURL(o.APIURL), slack.OptionHTTPClient(o.HTTPClient)}
	if o.AppToken != "" {
		opts = append(opts, slack.OptionAppLevelToken(string(o.AppToken)))
	}
	c.api = slack.New(string(o.BotToken), opts...)
	c.limits.init(o.Now, o.Sleep)
	c.redraws.init(c)
	c.people.init(c)
	return c, nil
}

// Close ends the redraws that still wait.
func (c *Client) Close() {
	c.redraws.close()
	c.http.CloseIdleConnections()
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Identity is who the bot token belongs to.
type Identity struct{ Team, TeamName, BotUser, BotID, URL string }

// Identify asks Slack who the bot token belongs to.
func (c *Client) Identify(ctx context.Context) (Identity, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, 15*time.Second, errors.New("Slack did not answer within 15 s"))
	defer cancel()
	var who *slack.AuthTestResponse
	err := c.do(ctx, "auth.test", "", safe, func(ctx context.Context) (err error) {
		who, err = c.api.AuthTestContext(ctx)
		return err
	})
	if err != nil {
		return Identity{}, fmt.Errorf("SLACK_BOT_TOKEN: asking Slack who the token belongs to: %w%s", err, tokenMend(err))
	}
	return Identity{Team: who.TeamID, TeamName: who.Team, BotUser: who.UserID, BotID: who.BotID, URL: who.URL}, nil
}

// CheckSocket reports whether a Socket Mode connection can be opened.
func (c *Client) CheckSocket(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, 15*time.Second, errors.New("Slack did not answer within 15 s"))
	defer cancel()
	err := c.do(ctx, "apps.connections.open", "", safe, func(ctx context.Context) error {
		_, _, err := c.api.StartSocketModeContext(ctx)
		return err
	})
	if err != nil {
		return fmt.Errorf("SLACK_APP_TOKEN: opening a Socket Mode connection: %w%s", err, tokenMend(err))
	}
	return nil
}

func tokenMend(err error) string {
	switch codeOf(err) {
	case "invalid_auth", "not_authed", "token_revoked", "token_expired", "account_inactive":
		return "; copy the token again from your app's page at api.slack.com/apps"
	case "not_allowed_token_type":
		return "; this is a token of another kind: SLACK_BOT_TOKEN begins with xoxb-, SLACK_APP_TOKEN with xapp-"
	case "missing_scope":
		return "; add the scope to the app and install it again"
	case "":
		return "; is SLACK_API_URL right, and can this machine reach it?"
	}
	return ""
}

// limits keeps the waits that Slack asked for, by method and, for messages, by
// channel.
type limits struct {
	now   func() time.Time
	sleep func(context.Context, time.Duration) error
	mu    sync.Mutex
	until map[string]time.Time
	purge int // when until is so large, what is over is removed
}

// minPurge is how many waits are kept before anybody looks for those that are
// over: every channel that was ever written to leaves one.
const minPurge = 1024

// set stores a wait; l.mu is held.
func (l *limits) set(key string, t time.Time) {
	l.until[key] = t
	if len(l.until) < l.purge {
		return
	}
	now := l.now()
	for k, t := range l.until {
		if !t.After(now) {
			delete(l.until, k)
		}
	}
	l.purge = max(minPurge, 2*len(l.until))
}

func (l *limits) init(now func() time.Time, sleep func(context.Context, time.Duration) error) {
	l.now, l.sleep, l.until, l.purge = now, sleep, map[string]time.Time{}, minPurge
}

// wait returns when calls with that key are allowed again.
func (l *limits) wait(ctx context.Context, key string) error {
	for {
		l.mu.Lock()
		d := l.until[key].Sub(l.now())
		if d <= 0 {
			delete(l.until, key)
		}
		l.mu.Unlock()
		if d <= 0 {
			return nil
		}
		if err := l.sleep(ctx, d); err != nil {
			return err
		}
	}
}

// reserve takes the next turn for a key that allows one call per interval, and
// waits for it.
func (l *limits) reserve(ctx context.Context, key string, interval time.Duration) error {
	l.mu.Lock()
	now := l.now()
	turn := l.until[key]
	if turn.Before(now) {
		turn = now
	}
	l.set(key, turn.Add(interval))
	l.mu.Unlock()
	if d := turn.Sub(now); d > 0 {
		return l.sleep(ctx, d)
	}
	return nil
}

// hold lets nothing with that key pass for d.
func (l *limits) hold(key string, d time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if t := l.now().Add(d); t.After(l.until[key]) {
		l.set(key, t)
	}
}
