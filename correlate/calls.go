package correlate

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/slackbridge/slackbridge/elicit"
)

// A running call is a hash: which replica runs it for whom, and, sealed, what
// another replica needs to say what became of it. Each replica has a set of
// the calls it runs, for those who bury it.

func (k keyspace) call(id elicit.CallID) string   { return k.tag() + "call:" + string(id) }
func (k keyspace) runs(r elicit.ReplicaID) string { return k.tag() + "runs:" + string(r) }

// callTTL is longer than any question may wait, and so than any call lasts.
const callTTL = 8 * 24 * time.Hour

// CallRunning records that this replica runs a call for requester, for a Stop
// that is pressed on another replica, and for OnCall should this one die.
func (s *Store) CallRunning(ctx context.Context, id elicit.CallID, requester elicit.User, record []byte) error {
	sealed, err := s.seal.seal(purposeRunning, string(id), record)
	if err != nil {
		return err
	}
	pipe := s.rdb.TxPipeline()
	pipe.HSet(ctx, s.keys.call(id), "owner", string(s.o.Replica), "team", requester.Team, "user", requester.ID, "record", sealed)
	pipe.Expire(ctx, s.keys.call(id), callTTL)
	pipe.ZAdd(ctx, s.keys.runs(s.o.Replica), redis.Z{Score: float64(time.Now().Add(callTTL).UnixMilli()), Member: string(id)})
	if _, err := pipe.Exec(ctx); err != nil {
		return fmt.Errorf("recording call %s: %w", id, err)
	}
	return nil
}

// CallEnded forgets a call that this replica ran.
func (s *Store) CallEnded(ctx context.Context, id elicit.CallID) error {
	pipe := s.rdb.TxPipeline()
	pipe.Del(ctx, s.keys.call(id))
	pipe.ZRem(ctx, s.keys.runs(s.o.Replica), string(id))
	if _, err := pipe.Exec(ctx); err != nil {
		return fmt.Errorf("forgetting call %s: %w", id, err)
	}
	return nil
}

// StopCall tells the replica that runs a call to stop it, if by is its
// requester. found is false when no living replica runs it.
func (s *Store) StopCall(ctx context.Context, id elicit.CallID, by elicit.User) (requester elicit.User, found bool, err error) {
	fields, err := s.rdb.HMGet(ctx, s.keys.call(id), "owner", "team", "user").Result()
	if err != nil {
		return elicit.User{}, false, fmt.Errorf("stopping call %s: %w", id, err)
	}
	name, known := fields[0].(string)
	if !known {
		return elicit.User{}, false, nil
	}
	requester.Team, _ = fields[1].(string)
	requester.ID, _ = fields[2].(string)
	owner := elicit.ReplicaID(name)
	alive, err := s.rdb.Exists(ctx, s.keys.lease(owner)).Result()
	switch {
	case err != nil:
		return elicit.User{}, false, fmt.Errorf("stopping call %s: %w", id, err)
	case alive == 0:
		return requester, false, nil
	case requester != by:
		return requester, true, nil
	}
	err = s.rdb.XAdd(ctx, &redis.XAddArgs{Stream: s.keys.owner(owner), Values: []string{"stop", string(id)}}).Err()
	if err != nil {
		return requester, true, fmt.Errorf("stopping call %s: %w", id, err)
	}
	return requester, true, nil
}

// inheritScript lets one replica take a call over from a dead one, unless the
// call is parked and waits: then nobody has to run it.
//
// KEYS: call, what the dead one runs, what the heir runs, parked. ARGV: dead,
// heir, id. Returns the sealed record, or nothing.
var inheritScript = redis.NewScript(luaNow + `
redis.call('ZREM', KEYS[2], ARGV[3])
if redis.call('HGET', KEYS[1], 'owner') ~= ARGV[1] then return false end
if redis.call('EXISTS', KEYS[4]) == 1 then
  redis.call('DEL', KEYS[1])
  return false
end
redis.call('HSET', KEYS[1], 'owner', ARGV[2])
redis.call('ZADD', KEYS[3], now + redis.call('PTTL', KEYS[1]), ARGV[3])
return redis.call('HGET', KEYS[1], 'record')
`)

// inherit takes over the calls that a dead replica was running. Its parked ones
// were adopted before.
func (s *Store) inherit(ctx context.Context, dead elicit.ReplicaID) error {
	ids, err := s.rdb.ZRange(ctx, s.keys.runs(dead), 0, -1).Result()
	if err != nil {
		return err
	}
	var errs []error
	for _, id := range ids {
		call := elicit.CallID(id)
		keys := []string{s.keys.call(call), s.keys.runs(dead), s.keys.runs(s.o.Replica), s.keys.parked(call)}
		sealed, err := inheritScript.Run(ctx, s.rdb, keys, string(dead), string(s.o.Replica), id).Text()
		if errors.Is(err, redis.Nil) {
			continue
		}
		if err != nil {
			errs = append(errs, err)
			continue
		}
		record, err := s.seal.open(purposeRunning, id, []byte(sealed))
		if err != nil {
			errs = append(errs, err)
			continue
		}
		s.o.OnCall(ctx, call, record)
	}
	return errors.Join(errs...)
}
