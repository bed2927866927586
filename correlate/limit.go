package correlate

import (
	"context"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"
)

func (k keyspace) spent(key string) string { return k.tag() + "spent:" + key }

// spendScript lets n events of a kind through in a sliding window: it keeps the
// times of those that it let through, and of no others.
//
// KEYS: spent. ARGV: n, window in ms, name of this event.
// Returns {1, 0}, or {0, milliseconds until the next one may pass}.
var spendScript = redis.NewScript(luaNow + `
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - ARGV[2])
if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[1]) then
  local first = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')
  return {0, first[2] + ARGV[2] - now}
end
redis.call('ZADD', KEYS[1], now, ARGV[3])
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return {1, 0}
`)

// Spend lets an event pass unless n of the same key have passed within the
// window before it; then it tells after what time the next one may.
func (s *Store) Spend(ctx context.Context, key string, n int, window time.Duration) (ok bool, after time.Duration, err error) {
	name, err := s.token()
	if err != nil {
		return false, 0, err
	}
	res, err := spendScript.Run(ctx, s.rdb, []string{s.keys.spent(key)}, n, window.Milliseconds(), name).Int64Slice()
	if err == nil && len(res) != 2 {
		err = fmt.Errorf("the script returned %d values", len(res))
	}
	if err != nil {
		return false, 0, fmt.Errorf("counting %s: %w", key, err)
	}
	return res[0] == 1, time.Duration(res[1]) * time.Millisecond, nil
}
