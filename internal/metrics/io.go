package metrics

import (
	"context"
	"errors"
	"net"
	"strings"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

// SlackCall takes a request to Slack's Web API; see slackapp.Options.Observe.
func (m *Metrics) SlackCall(method, code string, took time.Duration) {
	m.slackCalls.WithLabelValues(method, m.codes.label(code)).Inc()
	m.slack.WithLabelValues(method).Observe(took.Seconds())
}

// maxCodes bounds how many different words of Slack become labels. It has some
// hundred in all, of which a bot meets few.
const maxCodes = 60

// bounded lets words of others become labels: only if they look like words,
// and only so many.
type bounded struct {
	most int
	mu   sync.Mutex
	seen map[string]bool
}

func (b *bounded) label(word string) string {
	if !isWord(word) {
		return other
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.seen == nil {
		b.seen = map[string]bool{}
	}
	if !b.seen[word] {
		if len(b.seen) >= b.most {
			return other
		}
		b.seen[word] = true
	}
	return word
}

func isWord(s string) bool {
	const longest = 48
	if s == "" || len(s) > longest {
		return false
	}
	return strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789_-") == ""
}

// RedisHook times the commands of a client.
func (m *Metrics) RedisHook() redis.Hook { return redisHook{m} }

type redisHook struct{ m *Metrics }

func (h redisHook) DialHook(next redis.DialHook) redis.DialHook {
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		conn, err := next(ctx, network, addr)
		h.failed("dial", err)
		return conn, err
	}
}

func (h redisHook) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		begun := time.Now()
		err := next(ctx, cmd)
		name := cmd.Name()
		h.failed(name, err)
		if !waits(name) {
			h.m.redis.WithLabelValues(name).Observe(time.Since(begun).Seconds())
		}
		return err
	}
}

func (h redisHook) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		begun := time.Now()
		err := next(ctx, cmds)
		h.failed("pipeline", err)
		h.m.redis.WithLabelValues("pipeline").Observe(time.Since(begun).Seconds())
		return err
	}
}

// waits reports whether a command waits for something to come, so that its
// time says nothing.
func waits(command string) bool { return command == "xread" || command == "xreadgroup" }

func (h redisHook) failed(command string, err error) {
	if kind := kindOf(err); kind != "" {
		h.m.redisErrors.WithLabelValues(command, kind).Inc()
	}
}

// kindOf names what went wrong; empty: nothing that anybody should hear of.
func kindOf(err error) string {
	var network net.Error
	var answered redis.Error
	switch {
	case err == nil, errors.Is(err, redis.Nil), errors.Is(err, context.Canceled):
		return ""
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &network) && network.Timeout(), errors.Is(err, redis.ErrPoolTimeout):
		return "timeout"
	case errors.As(err, &answered):
		first, _, _ := strings.Cut(answered.Error(), " ")
		switch first {
		case "NOSCRIPT", "NOGROUP", "BUSYGROUP", "MOVED", "ASK": // said in the ordinary course of things
			return ""
		case "OOM", "READONLY", "LOADING", "MISCONF", "NOAUTH", "WRONGPASS", "NOPERM", "CLUSTERDOWN", "MASTERDOWN", "TRYAGAIN", "BUSY":
			return strings.ToLower(first)
		}
		return other
	}
	return "connection"
}
