package slackapp

import (
	"context"
	"sync"
	"time"

	"github.com/slack-go/slack"
	"github.com/slackbridge/slackbridge/blockkit"
)

// peopleTTL is how long what Slack says of a user is believed.
const peopleTTL = time.Minute

// people caches users and the bot's conversations with them.
type people struct {
	c     *Client
	mu    sync.Mutex
	known map[string]known
	dms   map[string]string
}

type known struct {
	reader blockkit.Reader
	at     time.Time
}

func (p *people) init(c *Client) {
	p.c, p.known, p.dms = c, map[string]known{}, map[string]string{}
}

// Reader returns the user's time zone and language as set in Slack; UTC and
// English when they cannot be learned in time.
func (c *Client) Reader(ctx context.Context, user string) blockkit.Reader {
	p := &c.people
	p.mu.Lock()
	cached, ok := p.known[user]
	p.mu.Unlock()
	if ok && c.o.Now().Sub(cached.at) < peopleTTL {
		return cached.reader
	}
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	var info *slack.User
	err := c.do(ctx, "users.info", "", safe, func(ctx context.Context) (err error) {
		info, err = c.api.GetUserInfoContext(ctx, user)
		return err
	})
	if err != nil {
		c.o.Log.Warn("a user's time zone and language could not be read", "responder", user, "err", err)
		if ok {
			return cached.reader
		}
		return blockkit.Reader{Zone: time.UTC}
	}
	zone, err := time.LoadLocation(info.TZ)
	if err != nil || info.TZ == "" {
		zone = time.FixedZone(info.TZ, info.TZOffset)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	r := blockkit.Reader{Zone: zone, Language: blockkit.LanguageOf(info.Locale)}
	p.known[user] = known{reader: r, at: c.o.Now()}
	return r
}

// DirectMessage returns the bot's conversation with a user.
func (c *Client) DirectMessage(ctx context.Context, user string) (string, error) {
	p := &c.people
	p.mu.Lock()
	id := p.dms[user]
	p.mu.Unlock()
	if id != "" {
		return id, nil
	}
	err := c.do(ctx, "conversations.open", "", safe, func(ctx context.Context) error {
		ch, _, _, err := c.api.OpenConversationContext(ctx, &slack.OpenConversationParameters{Users: []string{user}})
		if err == nil {
			id = ch.ID
		}
		return err
	})
	if err != nil {
		return "", err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.dms[user] = id
	return id, nil
}
