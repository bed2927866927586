package correlate

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/redis/go-redis/v9"

	"github.com/slackbridge/slackbridge/elicit"
)

// What a pending that waits for long is owed stands in a sorted set, by the time
// at which it is due, as "remind ID" and "escalate ID". Whoever takes one moves
// it on first, so that another replica takes it should this one die, and
// removes it when it is done. A decision removes both.

// nudgeDue takes the nudges that are due.
func (s *Store) nudgeDue(ctx context.Context) error {
	now, err := s.rdb.Time(ctx).Result()
	if err != nil {
		return err
	}
	due, err := s.rdb.ZRangeArgsWithScores(ctx, redis.ZRangeArgs{
		Key: s.keys.nudges(), ByScore: true, Start: "-inf", Stop: strconv.FormatInt(now.UnixMilli(), 10), Count: dueBatch,
	}).Result()
	if err != nil {
		return err
	}
	var errs []error
	for _, z := range due {
		member, _ := z.Member.(string)
		kind, id, _ := strings.Cut(member, " ")
		p, known, err := s.Load(ctx, elicit.PendingID(id))
		if err == nil && (!known || p.State != elicit.StatePending) {
			err = s.rdb.ZRem(ctx, s.keys.nudges(), member).Err()
			known = false
		}
		if err != nil || !known {
			errs = append(errs, err)
			continue
		}
		score := strconv.FormatFloat(z.Score, 'f', -1, 64)
		mine, err := putOffScript.Run(ctx, s.rdb, []string{s.keys.nudges()}, member, score, now.Add(s.o.Redraw).UnixMilli()).Int()
		if err != nil {
			errs = append(errs, err)
			continue
		}
		if mine == 1 {
			s.o.OnNudge(ctx, p, elicit.Nudge(kind))
		}
	}
	return errors.Join(errs...)
}

// Nudged records that a nudge was given.
func (s *Store) Nudged(ctx context.Context, id elicit.PendingID, kind elicit.Nudge) error {
	if err := s.rdb.ZRem(ctx, s.keys.nudges(), string(kind)+" "+string(id)).Err(); err != nil {
		return fmt.Errorf("recording that %s was given its %s: %w", id, kind, err)
	}
	return nil
}
