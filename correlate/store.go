// Package correlate keeps pendings in Redis and ties whoever decides to
// whoever waits.
//
// A pending is a hash. Its deadline stands in a sorted set that every replica
// watches. A decision is made by one script, once; it is appended to the stream
// of the replica that holds the open request (or, in the durable era, to the
// shared resume stream), so that a reconnect loses nothing: streams keep what
// nobody has acknowledged. A replica proves that it lives by a lease; what a
// dead one held is settled by the others.
//
//	pending ──decide──▶ decided ──Delivered──▶ delivered
//	   │                   └──────Lost───────▶ lost
//	   ├── reason withdrawn ▶ withdrawn
//	   └── reason owner_lost, connection_lost ▶ lost
//
// All keys of a workspace share one hash tag, so that a script may touch them
// on Redis Cluster. Questions and answers are sealed before they leave this
// process; the package does not know what they mean. It knows neither Slack
// nor MCP nor policy.
package correlate

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/slackbridge/slackbridge/elicit"
)

// Options configure a Store. Fields without a stated default are needed.
type Options struct {
	Client  redis.UniversalClient
	Team    string // the workspace
	Replica elicit.ReplicaID
	Keys    []SealKey // newest first
	Log     *slog.Logger
	Rand    io.Reader

	// OnDecided hears of each decision on a pending that this replica owns,
	// and of those of the durable era. nil acknowledges; an error has it
	// delivered again.
	OnDecided func(context.Context, elicit.Pending) error
	// OnStop hears that a call of this replica was stopped from another one.
	OnStop func(context.Context, elicit.CallID)
	// OnOrphan hears of each parked call with which a dead replica was going on,
	// and which this one has now.
	OnOrphan func(context.Context, elicit.CallID)
	// OnSettled hears of each pending that this replica's own background work
	// ended, so that somebody redraws its card.
	OnSettled func(context.Context, elicit.Pending)
	// OnUndrawn hears of each ended pending of whose card nobody has said, in
	// time, that it shows the end (Drawn). It is told again, later each time,
	// until somebody does.
	OnUndrawn func(context.Context, elicit.Pending)
	// OnNudge hears of each pending that has waited so long that somebody is to be
	// reminded, or further people asked. It is told again until Nudged.
	OnNudge func(context.Context, elicit.Pending, elicit.Nudge)
	// OnUnplaced hears of each pending of the durable era whose replica died
	// before it recorded where the card is: it may never have been posted.
	OnUnplaced func(context.Context, elicit.Pending)
	// OnCall hears of each call that a dead replica was running, with what was
	// given to CallRunning.
	OnCall func(ctx context.Context, id elicit.CallID, record []byte)

	Heartbeat time.Duration // between renewals of the lease; default 2 s
	Lease     time.Duration // how long a silent replica counts as alive; default 8 s
	Sweep     time.Duration // between looks for due pendings and dead owners; default 500 ms
	Keep      time.Duration // how long a record outlives its deadline; default 24 h
	Redraw    time.Duration // how long whoever ended a pending has to draw its card; default 20 s
}

func (o *Options) setDefaults() error {
	var errs []error
	for name, missing := range map[string]bool{
		"Client": o.Client == nil, "Team": o.Team == "", "Replica": o.Replica == "", "Keys": len(o.Keys) == 0,
		"Log": o.Log == nil, "Rand": o.Rand == nil, "OnDecided": o.OnDecided == nil, "OnSettled": o.OnSettled == nil, "OnStop": o.OnStop == nil, "OnOrphan": o.OnOrphan == nil,
		"OnUndrawn": o.OnUndrawn == nil, "OnUnplaced": o.OnUnplaced == nil, "OnNudge": o.OnNudge == nil, "OnCall": o.OnCall == nil,
	} {
		if missing {
			errs = append(errs, fmt.Errorf("correlate: %s is not set", name))
		}
	}
	for _, d := range []struct {
		at *time.Duration
		or time.Duration
	}{{&o.Heartbeat, 2 * time.Second}, {&o.Lease, 8 * time.Second}, {&o.Sweep, 500 * time.Millisecond}, {&o.Keep, 24 * time.Hour}, {&o.Redraw, 20 * time.Second}} {
		if *d.at == 0 {
			*d.at = d.or
		}
	}
	return errors.Join(errs...)
}

// Store is the ledger of one workspace, as one replica sees it. It is safe for
// concurrent use.
type Store struct {
	o    Options
	rdb  redis.UniversalClient
	keys keyspace
	seal sealer

	replicas atomic.Int64 // of Redis, as last counted
	quiet    atomic.Bool  // take no more work that another replica can do

	lease lease
}

// Open reaches Redis, checks the seal keys against what it holds, and takes
// the replica's lease. Run must be called for anything to be delivered.
func Open(ctx context.Context, o Options) (*Store, error) {
	if err := o.setDefaults(); err != nil {
		return nil, err
	}
	s := &Store{o: o, rdb: o.Client, keys: keyspace{team: o.Team}, seal: sealer{keys: o.Keys, rand: o.Rand}}
	if err := s.checkCanary(ctx); err != nil {
		return nil, err
	}
	if err := s.renewLease(ctx); err != nil {
		return nil, fmt.Errorf("taking the replica's lease: %w", err)
	}
	s.countReplicas(ctx)
	return s, nil
}

// Ping reports whether Redis answers, and takes the writes of this replica: one
// that is full, or only a replica itself, answers and takes none.
func (s *Store) Ping(ctx context.Context) error {
	if err := s.rdb.Ping(ctx).Err(); err != nil {
		return fmt.Errorf("reaching Redis: %w", err)
	}
	if since, err := s.lease.trouble(); err != nil && since > 2*s.o.Heartbeat {
		return fmt.Errorf("writing to Redis: %w", err)
	}
	return nil
}

// Quiesce leaves calls that are ready to go on to other replicas, because this
// one stops. What it holds itself is still delivered.
func (s *Store) Quiesce() { s.quiet.Store(true) }

// Close gives the lease back. What this replica still held is settled by the
// others at once.
func (s *Store) Close(ctx context.Context) error {
	if err := s.rdb.Del(ctx, s.keys.lease(s.o.Replica)).Err(); err != nil {
		return fmt.Errorf("giving the replica's lease back: %w", err)
	}
	return nil
}

// Create stores p, state pending.
func (s *Store) Create(ctx context.Context, p elicit.Pending) error {
	fields, err := s.encode(p)
	if err != nil {
		return err
	}
	args := append([]any{
		p.Deadline.UnixMilli(), int(s.o.Keep / time.Second), string(p.ID), millisOrNone(p.RemindAt), millisOrNone(p.EscalateAt),
	}, fields...)
	keys := []string{s.keys.pending(p.ID), s.keys.expiry(), s.keys.holds(p.Owner), s.keys.nudges()}
	made, err := createScript.Run(ctx, s.rdb, keys, args...).Int()
	if err != nil {
		return fmt.Errorf("storing pending %s: %w", p.ID, err)
	}
	if made == 0 {
		return fmt.Errorf("storing pending %s: the id is taken", p.ID)
	}
	return nil
}

// Placed records where the question's card was posted, unless one is recorded,
// and returns the one that is. It is zero when the id is not known.
func (s *Store) Placed(ctx context.Context, id elicit.PendingID, card elicit.MessageRef) (elicit.MessageRef, error) {
	stands, err := placedScript.Run(ctx, s.rdb, []string{s.keys.pending(id)}, card.Channel, card.TS).StringSlice()
	switch {
	case err != nil:
		return elicit.MessageRef{}, fmt.Errorf("recording the card of %s: %w", id, err)
	case len(stands) != 2:
		return elicit.MessageRef{}, nil
	}
	return elicit.MessageRef{Channel: stands[0], TS: stands[1]}, nil
}

// Load returns the record, or false when it is not, or no longer, known.
func (s *Store) Load(ctx context.Context, id elicit.PendingID) (elicit.Pending, bool, error) {
	fields, err := s.rdb.HGetAll(ctx, s.keys.pending(id)).Result()
	if err != nil {
		return elicit.Pending{}, false, fmt.Errorf("reading pending %s: %w", id, err)
	}
	if len(fields) == 0 {
		return elicit.Pending{}, false, nil
	}
	p, err := s.decode(id, fields)
	return p, err == nil, err
}

// Decide settles a pending unless it is settled already. The first writer
// wins; the loser gets what stands. A decision that comes after the deadline
// loses to the expiry.
func (s *Store) Decide(ctx context.Context, id elicit.PendingID, d elicit.Decision, answer []byte) (elicit.Settlement, bool, error) {
	return s.decide(ctx, id, d, answer, how{})
}

// Approve counts one person's accept. The one that makes as many as the pending
// needs, by distinct people, settles it. A second one by the same person
// changes nothing.
func (s *Store) Approve(ctx context.Context, id elicit.PendingID, by elicit.User) (elicit.Settlement, bool, error) {
	d := elicit.Decision{Action: elicit.Accept, Reason: elicit.ReasonSubmitted, Responder: by}
	return s.decide(ctx, id, d, nil, how{vote: true})
}

// how is what else a decision may be.
type how struct {
	onlyDue bool // it counts only if the deadline is over
	vote    bool // it is one approval of several
}

func (s *Store) decide(ctx context.Context, id elicit.PendingID, d elicit.Decision, answer []byte, how how) (elicit.Settlement, bool, error) {
	var sealed []byte
	if answer != nil {
		var err error
		if sealed, err = s.seal.seal(purposeAnswer, string(id), answer); err != nil {
			return elicit.Settlement{}, false, err
		}
	}
	p, found, err := s.Load(ctx, id) // for the owner's stream: it never changes
	if err != nil || !found {
		return elicit.Settlement{}, false, err
	}
	attempt, err := s.token()
	if err != nil {
		return elicit.Settlement{}, false, err
	}
	keys := []string{
		s.keys.pending(id), s.keys.expiry(), s.keys.owner(p.Owner), s.keys.resume(), s.keys.holds(p.Owner), s.keys.undrawn(), s.keys.nudges(),
	}
	res, err := s.confirmed(ctx, decideScript, keys, string(id), string(d.Action), string(d.Reason),
		d.Responder.Team, d.Responder.ID, string(stateAfter(d.Reason)), sealed, yesNo(how.onlyDue), attempt, s.o.Redraw.Milliseconds(), yesNo(how.vote))
	if err != nil {
		return elicit.Settlement{}, false, fmt.Errorf("deciding pending %s: %w", id, err)
	}
	found, outcome, fields, err := decided(res)
	if err != nil || !found {
		return elicit.Settlement{}, false, err
	}
	p, err = s.decode(id, fields)
	return elicit.Settlement{Won: outcome == 1, Counted: how.vote && outcome != 0, Pending: p}, err == nil, err
}

func yesNo(on bool) string {
	if on {
		return "1"
	}
	return "0"
}

// Opened records who opened the page that a pending asks for: should nobody
// say that it is done, its expiry is an accept in that person's name. It
// returns the record as it stands, which may be decided already.
func (s *Store) Opened(ctx context.Context, id elicit.PendingID, by elicit.User) (elicit.Pending, bool, error) {
	res, err := openScript.Run(ctx, s.rdb, []string{s.keys.pending(id)}, by.Team, by.ID).Slice()
	if err != nil {
		return elicit.Pending{}, false, fmt.Errorf("recording who opened the page of %s: %w", id, err)
	}
	found, _, fields, err := decided(res)
	if err != nil || !found {
		return elicit.Pending{}, false, err
	}
	p, err := s.decode(id, fields)
	return p, err == nil, err
}

// decided reads what decideScript returns.
func decided(res []any) (found bool, outcome int64, fields map[string]string, err error) {
	if len(res) != 3 {
		return false, 0, nil, fmt.Errorf("deciding: the script returned %d values", len(res))
	}
	number := func(v any) int64 { n, _ := v.(int64); return n }
	fields = map[string]string{}
	switch list := res[2].(type) {
	case []any: // RESP2
		for i := 0; i+1 < len(list); i += 2 {
			fields[fmt.Sprint(list[i])] = fmt.Sprint(list[i+1])
		}
	case map[any]any: // RESP3
		for k, v := range list {
			fields[fmt.Sprint(k)] = fmt.Sprint(v)
		}
	}
	return number(res[0]) == 1, number(res[1]), fields, nil
}

// stateAfter is the state that a decision for this reason leads to.
func stateAfter(r elicit.Reason) elicit.State {
	switch r {
	case elicit.ReasonWithdrawn:
		return elicit.StateWithdrawn
	case elicit.ReasonOwnerLost, elicit.ReasonConnectionLost:
		return elicit.StateLost
	default:
		return elicit.StateDecided
	}
}

// ErrNoAnswer says that no answer is kept: there was none, or it was
// delivered, or the record is gone.
var ErrNoAnswer = errors.New("no answer is kept")

// Answer returns what was given to Decide, until Delivered or Lost.
func (s *Store) Answer(ctx context.Context, id elicit.PendingID) ([]byte, error) {
	sealed, err := s.rdb.HGet(ctx, s.keys.pending(id), "answer").Bytes()
	if errors.Is(err, redis.Nil) {
		return nil, fmt.Errorf("reading the answer of %s: %w", id, ErrNoAnswer)
	}
	if err != nil {
		return nil, fmt.Errorf("reading the answer of %s: %w", id, err)
	}
	return s.seal.open(purposeAnswer, string(id), sealed)
}

// Delivered records that the server has the answer, and deletes it.
func (s *Store) Delivered(ctx context.Context, id elicit.PendingID) error {
	return s.finish(ctx, s.o.Replica, id, elicit.StateDelivered, "")
}

// Lost records that the decision can no longer reach the server, and deletes
// the answer.
func (s *Store) Lost(ctx context.Context, id elicit.PendingID, why elicit.Reason) error {
	return s.finish(ctx, s.o.Replica, id, elicit.StateLost, why)
}

func (s *Store) finish(ctx context.Context, owner elicit.ReplicaID, id elicit.PendingID, state elicit.State, why elicit.Reason) error {
	keys := []string{s.keys.pending(id), s.keys.holds(owner), s.keys.undrawn()}
	err := finishScript.Run(ctx, s.rdb, keys, string(state), string(why), string(id), s.o.Redraw.Milliseconds()).Err()
	if err != nil {
		return fmt.Errorf("recording that %s is %s: %w", id, state, err)
	}
	return nil
}

// token makes what tells one attempt from all others.
func (s *Store) token() (string, error) {
	var raw [12]byte
	if _, err := io.ReadFull(s.o.Rand, raw[:]); err != nil {
		return "", fmt.Errorf("making a token: %w", err)
	}
	return hex.EncodeToString(raw[:]), nil
}

// FirstTime reports whether key was not seen within ttl before, by any replica
// of this workspace.
func (s *Store) FirstTime(ctx context.Context, key string, ttl time.Duration) (bool, error) {
	first, err := s.rdb.SetNX(ctx, s.keys.seen(key), "1", ttl).Result()
	if err != nil {
		return false, fmt.Errorf("recording that a delivery was seen: %w", err)
	}
	return first, nil
}

// keyspace names the keys of one workspace.
type keyspace struct{ team string }

func (k keyspace) tag() string                        { return "{sb:" + k.team + "}:" }
func (k keyspace) pending(id elicit.PendingID) string { return k.tag() + "pending:" + string(id) }
func (k keyspace) expiry() string                     { return k.tag() + "expiry" }
func (k keyspace) owner(r elicit.ReplicaID) string    { return k.tag() + "owner:" + string(r) }
func (k keyspace) resume() string                     { return k.tag() + "resume" }
func (k keyspace) holds(r elicit.ReplicaID) string    { return k.tag() + "holds:" + string(r) }
func (k keyspace) replicas() string                   { return k.tag() + "replicas" }
func (k keyspace) lease(r elicit.ReplicaID) string    { return k.tag() + "replica:" + string(r) }
func (k keyspace) undrawn() string                    { return k.tag() + "undrawn" }
func (k keyspace) nudges() string                     { return k.tag() + "nudges" }
func (k keyspace) seen(key string) string             { return k.tag() + "seen:" + key }
func (k keyspace) canary() string                     { return k.tag() + "canary" }
func millis(t time.Time) string                       { return strconv.FormatInt(t.UnixMilli(), 10) }
