package correlate

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/slackbridge/slackbridge/elicit"
)

// Whoever ends a pending draws its end on the card. Slack may be out of reach
// for longer than that replica lives, so each end is a debt, kept in a sorted
// set by the time at which somebody else looks after it, until Drawn pays it.

// drawnScript pays the debt of a card, unless something newer is to be drawn.
//
// KEYS: pending, undrawn. ARGV: id, the state that the card shows.
var drawnScript = redis.NewScript(`
local state = redis.call('HGET', KEYS[1], 'state')
if state and (state == 'lost') ~= (ARGV[2] == 'lost') then return 0 end
redis.call('ZREM', KEYS[2], ARGV[1])
return 1
`)

// putOffScript moves a debt to a later time, for whoever is first to do so.
//
// KEYS: undrawn. ARGV: id, time as it was read, time from now on.
var putOffScript = redis.NewScript(`
local due = redis.call('ZSCORE', KEYS[1], ARGV[1])
if not due or tonumber(due) ~= tonumber(ARGV[2]) then return 0 end
redis.call('ZADD', KEYS[1], ARGV[3], ARGV[1])
return 1
`)

// Drawn records that the card of a pending shows its end, in the given state.
func (s *Store) Drawn(ctx context.Context, id elicit.PendingID, shown elicit.State) error {
	if err := drawnScript.Run(ctx, s.rdb, []string{s.keys.pending(id), s.keys.undrawn()}, string(id), string(shown)).Err(); err != nil {
		return fmt.Errorf("recording that the card of %s is drawn: %w", id, err)
	}
	return nil
}

// drawLate has the cards drawn that nobody has drawn in time.
func (s *Store) drawLate(ctx context.Context) error {
	now, err := s.rdb.Time(ctx).Result()
	if err != nil {
		return err
	}
	debts, err := s.rdb.ZRangeArgsWithScores(ctx, redis.ZRangeArgs{
		Key: s.keys.undrawn(), ByScore: true, Start: "-inf", Stop: strconv.FormatInt(now.UnixMilli(), 10), Count: dueBatch,
	}).Result()
	if err != nil {
		return err
	}
	var errs []error
	for _, z := range debts {
		id, _ := z.Member.(string)
		p, known, err := s.Load(ctx, elicit.PendingID(id))
		if err == nil && !known {
			err = s.rdb.ZRem(ctx, s.keys.undrawn(), id).Err() // nothing is left to draw
		}
		if err != nil || !known {
			errs = append(errs, err)
			continue
		}
		next := now.Add(s.patience(now.Sub(p.Decision.At)))
		score := strconv.FormatFloat(z.Score, 'f', -1, 64)
		mine, err := putOffScript.Run(ctx, s.rdb, []string{s.keys.undrawn()}, id, score, next.UnixMilli()).Int()
		if err != nil {
			errs = append(errs, err)
			continue
		}
		if mine == 1 {
			s.o.OnUndrawn(ctx, p)
		}
	}
	return errors.Join(errs...)
}

// patience is how long to wait before a card is tried again that has shown the
// wrong thing for so long.
func (s *Store) patience(wrong time.Duration) time.Duration {
	return min(max(wrong/2, s.o.Redraw), time.Hour)
}
