package correlate

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/slackbridge/slackbridge/elicit"
)

// A parked call waits for people without any process holding it. Its record is
// a hash: the sealed call, and which replica is going on with it, if one is.
//
//	waiting ──ClaimPark──▶ resuming ──Park──▶ waiting again
//	                          └─────DropPark──▶ gone

func (k keyspace) parked(id elicit.CallID) string     { return k.tag() + "parked:" + string(id) }
func (k keyspace) resuming(r elicit.ReplicaID) string { return k.tag() + "resuming:" + string(r) }

// parkScript stores a parked call, waiting. It writes before it deletes: a full
// Redis refuses the one and would do the other.
//
// KEYS: parked, what the replica resumes. ARGV: sealed call, milliseconds to
// keep it, id.
var parkScript = redis.NewScript(`
redis.call('HSET', KEYS[1], 'call', ARGV[1], 'state', 'waiting')
redis.call('HDEL', KEYS[1], 'by')
redis.call('PEXPIRE', KEYS[1], ARGV[2])
redis.call('ZREM', KEYS[2], ARGV[3])
return 1
`)

// claimScript lets one replica go on with a parked call: one that waits, or one
// whose replica is gone.
//
// KEYS: parked, what the claimer resumes, what the former replica resumes.
// ARGV: claimer, id, former replica or ”.
var claimScript = redis.NewScript(luaNow + `
local s = redis.call('HMGET', KEYS[1], 'state', 'by')
redis.call('ZREM', KEYS[3], ARGV[2])
if not s[1] then return 0 end
if ARGV[3] == '' and s[1] ~= 'waiting' then return 0 end
if ARGV[3] ~= '' and s[2] ~= ARGV[3] then return 0 end
redis.call('HSET', KEYS[1], 'state', 'resuming', 'by', ARGV[1])
redis.call('ZADD', KEYS[2], now + redis.call('PTTL', KEYS[1]), ARGV[2])
return 1
`)

// Park keeps a call that waits for people, sealed, for ttl at most.
func (s *Store) Park(ctx context.Context, id elicit.CallID, call []byte, ttl time.Duration) error {
	sealed, err := s.seal.seal(purposeCall, string(id), call)
	if err != nil {
		return err
	}
	keys := []string{s.keys.parked(id), s.keys.resuming(s.o.Replica)}
	if err := parkScript.Run(ctx, s.rdb, keys, sealed, (ttl + s.o.Keep).Milliseconds(), string(id)).Err(); err != nil {
		return fmt.Errorf("parking call %s: %w", id, err)
	}
	return nil
}

// Parked returns a parked call; nil when it is not, or no longer, known.
func (s *Store) Parked(ctx context.Context, id elicit.CallID) ([]byte, error) {
	sealed, err := s.rdb.HGet(ctx, s.keys.parked(id), "call").Bytes()
	if errors.Is(err, redis.Nil) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading parked call %s: %w", id, err)
	}
	return s.seal.open(purposeCall, string(id), sealed)
}

// ClaimPark lets this replica, and no other, go on with a parked call. It
// reports false when another one does, or the call is gone.
func (s *Store) ClaimPark(ctx context.Context, id elicit.CallID) (bool, error) {
	return s.claimPark(ctx, id, "")
}

func (s *Store) claimPark(ctx context.Context, id elicit.CallID, from elicit.ReplicaID) (bool, error) {
	keys := []string{s.keys.parked(id), s.keys.resuming(s.o.Replica), s.keys.resuming(from)}
	won, err := claimScript.Run(ctx, s.rdb, keys, string(s.o.Replica), string(id), string(from)).Int()
	if err != nil {
		return false, fmt.Errorf("claiming parked call %s: %w", id, err)
	}
	return won == 1, nil
}

// DropPark forgets a parked call that has ended.
func (s *Store) DropPark(ctx context.Context, id elicit.CallID) error {
	pipe := s.rdb.TxPipeline()
	pipe.Del(ctx, s.keys.parked(id))
	pipe.ZRem(ctx, s.keys.resuming(s.o.Replica), string(id))
	if _, err := pipe.Exec(ctx); err != nil {
		return fmt.Errorf("forgetting parked call %s: %w", id, err)
	}
	return nil
}

// adopt takes over the calls that a dead replica was going on with. What it had
// sent already is not known.
func (s *Store) adopt(ctx context.Context, dead elicit.ReplicaID) error {
	ids, err := s.rdb.ZRange(ctx, s.keys.resuming(dead), 0, -1).Result()
	if err != nil {
		return err
	}
	var errs []error
	for _, id := range ids {
		won, err := s.claimPark(ctx, elicit.CallID(id), dead)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		if won {
			s.o.OnOrphan(ctx, elicit.CallID(id))
		}
	}
	return errors.Join(errs...)
}
