package correlate

import (
	"context"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

// Redis answers before its replicas have a write, and a failover forgets what
// only the dead master had. A decision acts on the world, so where there are
// replicas one of them must have it first.

// confirmWait is how long a decision waits for a replica of Redis. Should it
// wait in vain the decision counts all the same: the master has it, and a
// person is waiting.
const confirmWait = 500 * time.Millisecond

// confirmed runs a script and waits until a replica of Redis has what it wrote,
// if there are any. The script may run twice; it must bear that.
func (s *Store) confirmed(ctx context.Context, script *redis.Script, keys []string, args ...any) ([]any, error) {
	if s.replicas.Load() == 0 {
		return script.Run(ctx, s.rdb, keys, args...).Slice()
	}
	master, err := s.master(ctx)
	if err == nil {
		// WAIT counts what its own connection wrote: both go in one pipeline.
		pipe := master.Pipeline()
		ran := script.Eval(ctx, pipe, keys, args...)
		waited := pipe.Do(ctx, "WAIT", 1, confirmWait.Milliseconds())
		_, _ = pipe.Exec(ctx) // each command has its own error
		if out, err := ran.Slice(); err == nil {
			if n, err := waited.Int(); err != nil || n == 0 {
				s.o.Log.Warn("no replica of Redis has confirmed a decision: a failover now would forget it", "replicas", s.replicas.Load(), "err", err)
			}
			return out, nil
		}
	}
	// The master has moved, or is gone: the client finds the new one.
	return script.Run(ctx, s.rdb, keys, args...).Slice()
}

// master is the client of the node that holds the keys of the workspace.
func (s *Store) master(ctx context.Context) (redis.Cmdable, error) {
	if c, ok := s.rdb.(*redis.ClusterClient); ok {
		return c.MasterForKey(ctx, s.keys.expiry())
	}
	return s.rdb, nil
}

// countReplicas learns how many replicas of Redis follow the master. A server
// that does not say has none.
func (s *Store) countReplicas(ctx context.Context) {
	master, err := s.master(ctx)
	if err != nil {
		return
	}
	info, err := master.Info(ctx, "replication").Result()
	if err != nil {
		return
	}
	var n int64
	for line := range strings.Lines(info) {
		if strings.HasPrefix(line, "slave") && strings.Contains(line, "state=online") {
			n++
		}
	}
	s.replicas.Store(n)
}
