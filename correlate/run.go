package correlate

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/slackbridge/slackbridge/elicit"
)

// Run keeps the lease, settles what is due and what dead replicas held, and
// hands decisions to OnDecided. It returns when ctx ends, and only then:
// trouble with Redis is logged once, waited out, and logged once when it is
// over.
func (s *Store) Run(ctx context.Context) error {
	var wg sync.WaitGroup
	for name, step := range map[string]struct {
		every time.Duration
		do    func(context.Context) error
	}{
		"renewing the lease":        {s.o.Heartbeat, s.renewLease},
		"settling due questions":    {s.o.Sweep, s.expireDue},
		"settling for the dead":     {s.o.Heartbeat, s.buryDead},
		"claiming from the dead":    {s.o.Heartbeat, s.claimResume},
		"drawing late cards":        {s.o.Heartbeat, s.drawLate},
		"nudging people":            {s.o.Sweep, s.nudgeDue},
		"counting Redis replicas":   {s.o.Heartbeat, func(ctx context.Context) error { s.countReplicas(ctx); return nil }},
		"reading decisions":         {0, s.readOwner},
		"reading durable decisions": {s.o.Sweep, s.readResume},
	} {
		wg.Go(func() { s.loop(ctx, name, step.every, step.do) })
	}
	wg.Wait()
	return nil
}

// loop runs a step again and again, with back-off while it fails.
func (s *Store) loop(ctx context.Context, name string, every time.Duration, step func(context.Context) error) {
	const maxWait = 2 * time.Second
	failing := false
	backoff := 50 * time.Millisecond
	for ctx.Err() == nil {
		err := step(ctx)
		wait := every
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			if !failing {
				s.o.Log.Warn("trouble with Redis; trying on", "doing", name, "replica", s.o.Replica, "err", err)
			}
			failing = true
			wait = max(every, backoff)
			backoff = min(2*backoff, maxWait)
		case failing:
			s.o.Log.Info("Redis works again", "doing", name, "replica", s.o.Replica)
			failing, backoff = false, 50*time.Millisecond
		}
		if wait > 0 {
			select {
			case <-time.After(wait):
			case <-ctx.Done():
			}
		}
	}
}

// lease is what this replica knows of its own.
type lease struct {
	mu      sync.Mutex
	renewed time.Time // when it was last
	steady  time.Time // since when it has never run out
	err     error     // of the last attempt
}

// note records an attempt, made at begun, to renew the lease, which lasts for
// ttl.
func (l *lease) note(begun time.Time, err error, ttl time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err = err; err != nil {
		return
	}
	if now := time.Now(); now.Sub(l.renewed) > ttl { // it may have run out in between
		l.steady = now
	}
	l.renewed = begun
}

// steadyFor is how long the lease, which lasts for ttl, has stood without a
// gap.
func (l *lease) steadyFor(ttl time.Duration) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	if time.Since(l.renewed) > ttl {
		return 0
	}
	return time.Since(l.steady)
}

// trouble is why the lease could not be renewed, and since when; nil when it
// could.
func (l *lease) trouble() (since time.Duration, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return time.Since(l.renewed), l.err
}

// renewLease says that this replica lives, and that it is one of those that
// are looked after.
func (s *Store) renewLease(ctx context.Context) error {
	begun := time.Now()
	pipe := s.rdb.TxPipeline()
	pipe.Set(ctx, s.keys.lease(s.o.Replica), "alive", s.o.Lease)
	pipe.SAdd(ctx, s.keys.replicas(), string(s.o.Replica))
	pipe.Expire(ctx, s.keys.replicas(), s.o.Keep)
	// What this replica has to do with stands by the time at which the record
	// ends: an entry that nobody has removed goes then.
	over := strconv.FormatInt(time.Now().UnixMilli(), 10)
	for _, mine := range []string{s.keys.holds(s.o.Replica), s.keys.resuming(s.o.Replica), s.keys.runs(s.o.Replica)} {
		pipe.ZRemRangeByScore(ctx, mine, "-inf", over)
		pipe.Expire(ctx, mine, callTTL)
	}
	_, err := pipe.Exec(ctx)
	s.lease.note(begun, err, s.o.Lease)
	return err
}

// dueBatch bounds how many pendings one look settles.
const dueBatch = 200

// expireDue settles the pendings whose deadline is over, by Redis's clock.
func (s *Store) expireDue(ctx context.Context) error {
	now, err := s.rdb.Time(ctx).Result()
	if err != nil {
		return err
	}
	ids, err := s.rdb.ZRangeArgs(ctx, redis.ZRangeArgs{
		Key: s.keys.expiry(), ByScore: true, Start: "-inf", Stop: strconv.FormatInt(now.UnixMilli(), 10), Count: dueBatch,
	}).Result()
	if err != nil {
		return err
	}
	d := elicit.Decision{Action: elicit.Cancel, Reason: elicit.ReasonExpired}
	return s.settleAll(ctx, ids, d, true)
}

// settleAll settles each of ids by our own decision and tells OnSettled.
func (s *Store) settleAll(ctx context.Context, ids []string, d elicit.Decision, onlyDue bool) error {
	var errs []error
	for _, id := range ids {
		settled, found, err := s.decide(ctx, elicit.PendingID(id), d, nil, how{onlyDue: onlyDue})
		switch {
		case err != nil:
			errs = append(errs, err)
		case !found:
			errs = append(errs, s.rdb.ZRem(ctx, s.keys.expiry(), id).Err())
		case settled.Won:
			s.o.OnSettled(ctx, settled.Pending)
		}
	}
	return errors.Join(errs...)
}

// buryDead settles the blocking-era questions of replicas whose lease has run
// out: the request that waits for them is gone with the process. When Redis was
// out of reach all leases have run out, and the others are not dead: they get
// the time to say so.
func (s *Store) buryDead(ctx context.Context) error {
	if s.lease.steadyFor(s.o.Lease) < s.o.Lease {
		return nil
	}
	names, err := s.rdb.SMembers(ctx, s.keys.replicas()).Result()
	if err != nil {
		return err
	}
	var errs []error
	for _, name := range names {
		replica := elicit.ReplicaID(name)
		if replica == s.o.Replica {
			continue
		}
		lives, err := s.rdb.Exists(ctx, s.keys.lease(replica)).Result()
		if err == nil && lives == 0 {
			err = s.bury(ctx, replica)
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// bury settles what a dead replica held, in the order in which people see it:
// questions before the calls that asked them. Its stream is left to run out: a
// replica that was only suspended learns from it what became of its questions.
func (s *Store) bury(ctx context.Context, replica elicit.ReplicaID) error {
	ids, err := s.rdb.ZRange(ctx, s.keys.holds(replica), 0, -1).Result()
	if err != nil {
		return err
	}
	for _, id := range ids {
		if err := s.settleForDead(ctx, replica, elicit.PendingID(id)); err != nil {
			return err
		}
	}
	if err := s.adopt(ctx, replica); err != nil {
		return err
	}
	if err := s.inherit(ctx, replica); err != nil {
		return err
	}
	pipe := s.rdb.TxPipeline()
	pipe.SRem(ctx, s.keys.replicas(), string(replica))
	pipe.Del(ctx, s.keys.holds(replica), s.keys.resuming(replica), s.keys.runs(replica))
	pipe.Expire(ctx, s.keys.owner(replica), ownerTTL)
	_, err = pipe.Exec(ctx)
	return err
}

// settleForDead settles one question of a dead replica. A decision that it did
// not deliver is lost. A question of the durable era waits for whoever comes.
func (s *Store) settleForDead(ctx context.Context, dead elicit.ReplicaID, id elicit.PendingID) error {
	fields, err := s.rdb.HGetAll(ctx, s.keys.pending(id)).Result()
	if err != nil || len(fields) == 0 {
		return err
	}
	p, err := s.decode(id, fields)
	switch {
	case err != nil: // it will not get better
		s.o.Log.Error("a question of a dead replica cannot be read and is left to expire", "pending_id", id, "err", err)
		return nil
	case p.Era == elicit.EraDurable:
		if p.State == elicit.StatePending && p.Card.IsZero() {
			s.o.OnUnplaced(ctx, p)
		}
		return nil
	case p.State == elicit.StatePending:
		return s.settleAll(ctx, []string{string(id)}, elicit.Decision{Action: elicit.Cancel, Reason: elicit.ReasonOwnerLost}, false)
	case p.State == elicit.StateDecided:
		if err := s.finish(ctx, dead, id, elicit.StateLost, elicit.ReasonOwnerLost); err != nil {
			return err
		}
		p.State = elicit.StateLost
		s.o.OnUndrawn(ctx, p)
	}
	return nil
}

// readBlock is how long one read waits for entries. Shorter than the
// connection's own read timeout would allow, so that Stop is quick.
const readBlock = time.Second

// ownerTTL lets the stream of a replica that is gone without a trace vanish.
const ownerTTL = time.Hour

// readOwner delivers the entries of this replica's stream. An entry is deleted
// once OnDecided has taken it; what was not taken is read again from the start.
func (s *Store) readOwner(ctx context.Context) error {
	key := s.keys.owner(s.o.Replica)
	last := "0"
	for ctx.Err() == nil {
		res, err := s.rdb.XRead(ctx, &redis.XReadArgs{Streams: []string{key, last}, Count: 100, Block: readBlock}).Result()
		if errors.Is(err, redis.Nil) {
			last = "0" // whatever is left was refused before: offer it again
			continue
		}
		if err != nil {
			return err
		}
		for _, m := range res[0].Messages {
			last = m.ID
			if err := s.hand(ctx, m); err != nil {
				s.o.Log.Warn("a decision was not taken and is kept", "replica", s.o.Replica, "err", err)
				continue
			}
			if err := s.rdb.XDel(ctx, key, m.ID).Err(); err != nil {
				return err
			}
		}
		if err := s.rdb.Expire(ctx, key, ownerTTL).Err(); err != nil {
			return err
		}
	}
	return nil
}

// hand gives one stream entry to OnDecided. An entry whose record is gone has
// nothing left to say.
func (s *Store) hand(ctx context.Context, m redis.XMessage) error {
	if call, ok := m.Values["stop"].(string); ok {
		s.o.OnStop(ctx, elicit.CallID(call))
		return nil
	}
	id, _ := m.Values["id"].(string)
	p, found, err := s.Load(ctx, elicit.PendingID(id))
	if err != nil || !found {
		return err
	}
	return s.o.OnDecided(ctx, p)
}

const resumeGroup = "replicas"

// readResume takes the decisions of the durable era that no other replica has
// taken.
func (s *Store) readResume(ctx context.Context) error {
	for ctx.Err() == nil && !s.quiet.Load() {
		res, err := s.rdb.XReadGroup(ctx, &redis.XReadGroupArgs{
			Group: resumeGroup, Consumer: string(s.o.Replica), Streams: []string{s.keys.resume(), ">"}, Count: 20, Block: readBlock,
		}).Result()
		switch {
		case errors.Is(err, redis.Nil):
			continue
		case err != nil && strings.HasPrefix(err.Error(), "NOGROUP"):
			if err := s.makeGroup(ctx); err != nil {
				return err
			}
			continue
		case err != nil:
			return err
		}
		if err := s.handResume(ctx, res[0].Messages); err != nil {
			return err
		}
	}
	return nil
}

// makeGroup makes the consumer group, at start and after Redis came back
// empty. It reads from the beginning: nothing that is there was taken.
func (s *Store) makeGroup(ctx context.Context) error {
	err := s.rdb.XGroupCreateMkStream(ctx, s.keys.resume(), resumeGroup, "0").Err()
	if err != nil && !strings.HasPrefix(err.Error(), "BUSYGROUP") {
		return fmt.Errorf("making the consumer group: %w", err)
	}
	return nil
}

func (s *Store) handResume(ctx context.Context, messages []redis.XMessage) error {
	for _, m := range messages {
		if err := s.hand(ctx, m); err != nil {
			s.o.Log.Warn("a durable decision was not taken and is kept", "replica", s.o.Replica, "err", err)
			continue
		}
		pipe := s.rdb.TxPipeline()
		pipe.XAck(ctx, s.keys.resume(), resumeGroup, m.ID)
		pipe.XDel(ctx, s.keys.resume(), m.ID)
		if _, err := pipe.Exec(ctx); err != nil {
			return err
		}
	}
	return nil
}

// claimResume takes over entries that a replica read and did not acknowledge.
func (s *Store) claimResume(ctx context.Context) error {
	if s.quiet.Load() {
		return nil
	}
	messages, _, err := s.rdb.XAutoClaim(ctx, &redis.XAutoClaimArgs{
		Stream: s.keys.resume(), Group: resumeGroup, Consumer: string(s.o.Replica), MinIdle: s.o.Lease, Start: "0", Count: 100,
	}).Result()
	if err != nil && strings.HasPrefix(err.Error(), "NOGROUP") {
		return s.makeGroup(ctx)
	}
	if err != nil {
		return err
	}
	return s.handResume(ctx, messages)
}
