package correlate

import (
	"context"
	"errors"
	"fmt"

	"github.com/redis/go-redis/v9"
)

// WrongKeyError says that the seal keys do not open what Redis holds.
type WrongKeyError struct{ Team string }

func (e *WrongKeyError) Error() string {
	return fmt.Sprintf("none of the seal keys opens what Redis holds for team %s: add the key that sealed it to SLACKBRIDGE_SEAL_KEYS, after the newest", e.Team)
}

// CheckKeys reports whether keys open what Redis holds for a team. A Redis
// that holds nothing yet is fine.
func CheckKeys(ctx context.Context, client redis.UniversalClient, team string, keys []SealKey) error {
	k := keyspace{team: team}
	sealed, err := client.Get(ctx, k.canary()).Bytes()
	if errors.Is(err, redis.Nil) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("reading the sealed canary: %w", err)
	}
	if _, err := (sealer{keys: keys}).open(purposeCanary, team, sealed); err != nil {
		return &WrongKeyError{Team: team}
	}
	return nil
}

// checkCanary refuses keys that cannot open what is there, and leaves a canary
// sealed with the newest key for those who come later. One of an older key is
// replaced, or that key could never be given up.
func (s *Store) checkCanary(ctx context.Context) error {
	if err := CheckKeys(ctx, s.rdb, s.o.Team, s.o.Keys); err != nil {
		return err
	}
	sealed, err := s.seal.seal(purposeCanary, s.o.Team, []byte("slackbridge"))
	if err != nil {
		return err
	}
	standing, err := s.rdb.Get(ctx, s.keys.canary()).Bytes()
	if errors.Is(err, redis.Nil) || err == nil && !s.seal.newest(standing) {
		err = s.rdb.Set(ctx, s.keys.canary(), sealed, 0).Err()
	}
	if err != nil {
		return fmt.Errorf("storing the sealed canary: %w", err)
	}
	return nil
}
