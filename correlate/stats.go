package correlate

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/slackbridge/slackbridge/elicit"
)

// Stats is what a look at the workspace and at this replica finds. What is not
// of this replica is the same whichever one looks.
type Stats struct {
	Pending   int           // questions that wait for a person
	Decided   int           // decisions that no replica has taken yet, on their way to a server
	Overdue   time.Duration // how long the oldest deadline that nobody has settled is over; 0: none is
	Undrawn   int           // ended questions whose card may not show the end yet
	Replicas  int           // that live
	Followers int           // replicas of Redis itself, as last counted
	LeaseAge  time.Duration // since this replica renewed its lease; the whole lease when it has run out

	Owner  Stream // decisions for this replica
	Resume Stream // decisions of the durable era, for any replica
}

// Stream is how far the delivery of decisions is behind.
type Stream struct {
	Length  int           // entries that nobody has taken and acknowledged
	Claimed int           // those of them that a replica has read
	Lag     time.Duration // age of the oldest; 0: there is none
}

// Stats looks. It costs two round trips to Redis.
func (s *Store) Stats(ctx context.Context) (Stats, error) {
	p := s.rdb.Pipeline()
	clock := p.Time(ctx)
	pending, undrawn := p.ZCard(ctx, s.keys.expiry()), p.ZCard(ctx, s.keys.undrawn())
	next := p.ZRangeWithScores(ctx, s.keys.expiry(), 0, 0)
	lease := p.PTTL(ctx, s.keys.lease(s.o.Replica))
	names := p.SMembers(ctx, s.keys.replicas())
	owner, resume := s.measure(ctx, p, s.keys.owner(s.o.Replica)), s.measure(ctx, p, s.keys.resume())
	claimed := p.XPending(ctx, s.keys.resume(), resumeGroup)
	_, _ = p.Exec(ctx) // each command has its own error
	now, err := clock.Result()
	if claimErr := claimed.Err(); claimErr != nil && !strings.HasPrefix(claimErr.Error(), "NOGROUP") {
		err = errors.Join(err, claimErr)
	}
	if err = errors.Join(err, pending.Err(), undrawn.Err(), next.Err(), lease.Err(), names.Err(), owner.err(), resume.err()); err != nil {
		return Stats{}, fmt.Errorf("looking at the state of the workspace: %w", err)
	}
	out := Stats{
		Pending: int(pending.Val()), Undrawn: int(undrawn.Val()), Followers: int(s.replicas.Load()),
		LeaseAge: s.o.Lease - max(lease.Val(), 0), Owner: owner.read(now), Resume: resume.read(now),
	}
	if c := claimed.Val(); c != nil {
		out.Resume.Claimed = int(c.Count)
	}
	if due := next.Val(); len(due) == 1 {
		out.Overdue = max(now.Sub(time.UnixMilli(int64(due[0].Score))), 0)
	}
	var held int
	if out.Replicas, held, err = s.living(ctx, names.Val()); err != nil {
		return Stats{}, fmt.Errorf("looking for replicas: %w", err)
	}
	out.Decided = out.Resume.Length + held
	return out, nil
}

// living counts the replicas that live, and the entries of their streams.
func (s *Store) living(ctx context.Context, names []string) (alive, held int, err error) {
	p := s.rdb.Pipeline()
	leases, streams := make([]*redis.IntCmd, len(names)), make([]*redis.IntCmd, len(names))
	for i, name := range names {
		leases[i], streams[i] = p.Exists(ctx, s.keys.lease(elicit.ReplicaID(name))), p.XLen(ctx, s.keys.owner(elicit.ReplicaID(name)))
	}
	if _, err := p.Exec(ctx); err != nil {
		return 0, 0, err
	}
	for i := range names {
		if leases[i].Val() == 1 {
			alive++
			held += int(streams[i].Val())
		}
	}
	return alive, held, nil
}

// measured is a stream that is being looked at.
type measured struct {
	length *redis.IntCmd
	first  *redis.XMessageSliceCmd
}

func (s *Store) measure(ctx context.Context, p redis.Pipeliner, key string) measured {
	return measured{length: p.XLen(ctx, key), first: p.XRangeN(ctx, key, "-", "+", 1)}
}

func (m measured) err() error { return errors.Join(m.length.Err(), m.first.Err()) }

func (m measured) read(now time.Time) Stream {
	out := Stream{Length: int(m.length.Val())}
	if oldest := m.first.Val(); len(oldest) == 1 {
		// The id of an entry begins with the milliseconds at which it came.
		made, _, _ := strings.Cut(oldest[0].ID, "-")
		if ms, err := strconv.ParseInt(made, 10, 64); err == nil {
			out.Lag = max(now.Sub(time.UnixMilli(ms)), 0)
		}
	}
	return out
}
