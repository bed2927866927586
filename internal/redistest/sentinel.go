package redistest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"
)

// masterName is what the sentinels call the master that they watch.
const masterName = "mymaster"

// Sentinel is a master with two replicas, watched by three sentinels.
type Sentinel struct {
	URL string // redis-sentinel://host:port,host:port,host:port/mymaster

	tb        testing.TB
	nodes     []*Server // the first one was the master at the start
	sentinels []*Server
}

// quickReplication has a replica synchronise at once and notice soon that its
// master is gone. By way of the disk, since a master holds back what it writes
// from a replica that came over the network until that one has spoken first.
var quickReplication = []string{"--repl-diskless-sync", "no", "--repl-ping-replica-period", "1", "--repl-timeout", "5"}

// StartSentinel runs them until the test ends. It returns when all replicas
// follow and all sentinels know of each other.
func StartSentinel(tb testing.TB) *Sentinel {
	tb.Helper()
	addrs := freeAddresses(tb, 6)
	s := &Sentinel{tb: tb}
	master := start(tb, addrs[0], quickReplication...)
	s.nodes = []*Server{master}
	follow := append([]string{"--replicaof", strings.ReplaceAll(master.Addr, ":", " ")}, quickReplication...)
	for _, addr := range addrs[1:3] {
		s.nodes = append(s.nodes, start(tb, addr, follow...))
	}
	for _, replica := range s.nodes[1:] {
		await(tb, "replica "+replica.Addr+" follows", func(ctx context.Context) bool {
			return replica.info(ctx, "master_link_status") == "up"
		})
	}
	awaitReplicas(tb, master, 2)
	for _, addr := range addrs[3:] {
		s.sentinels = append(s.sentinels, startSentinel(tb, addr, master.Addr))
	}
	for _, w := range s.sentinels {
		await(tb, "sentinel "+w.Addr+" knows the others", func(ctx context.Context) bool {
			state, err := s.watched(ctx, w)
			return err == nil && state["num-slaves"] == "2" && state["num-other-sentinels"] == "2" && state["flags"] == "master"
		})
	}
	s.URL = "redis-sentinel://" + strings.Join(addrs[3:], ",") + "/" + masterName
	return s
}

// awaitReplicas waits until a master counts so many replicas as online, which is
// a moment after they do so themselves.
func awaitReplicas(tb testing.TB, master *Server, n int) {
	tb.Helper()
	await(tb, master.Addr+" counts its replicas", func(ctx context.Context) bool {
		for i := range n {
			if !strings.Contains(master.info(ctx, "slave"+strconv.Itoa(i)), "state=online") {
				return false
			}
		}
		return true
	})
}

func startSentinel(tb testing.TB, addr, master string) *Server {
	tb.Helper()
	dir := tb.TempDir()
	conf := filepath.Join(dir, "sentinel.conf") // a sentinel keeps its state there
	text := fmt.Sprintf("sentinel monitor %[1]s %[2]s 2\nsentinel down-after-milliseconds %[1]s 1500\nsentinel failover-timeout %[1]s 3000\n",
		masterName, strings.ReplaceAll(master, ":", " "))
	if err := os.WriteFile(conf, []byte(text), 0o600); err != nil {
		tb.Fatal(err)
	}
	w := launch(tb, addr, dir, []string{conf, "--sentinel"})
	// Sentinels look around every few seconds, which is a long time for a test.
	// A Redis before 7 cannot be told otherwise, and is waited for.
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	_ = w.ask(ctx, func(c *redis.Client) error {
		return c.Do(ctx, "SENTINEL", "DEBUG", "info-period", "200", "publish-period", "200", "ping-period", "400", "ask-period", "100").Err()
	})
	return w
}

// watched is what one sentinel says of the master.
func (s *Sentinel) watched(ctx context.Context, w *Server) (map[string]string, error) {
	c := redis.NewSentinelClient(&redis.Options{Addr: w.Addr, MaxRetries: -1, ContextTimeoutEnabled: true})
	defer c.Close()
	return c.Master(ctx, masterName).Result()
}

// Master returns the node that the sentinels call the master now.
func (s *Sentinel) Master() *Server {
	s.tb.Helper()
	var found *Server
	await(s.tb, "the sentinels name a master", func(ctx context.Context) bool {
		found = s.named(ctx)
		return found != nil
	})
	return found
}

// named returns the node on which all sentinels agree; nil when they do not.
func (s *Sentinel) named(ctx context.Context) *Server {
	agreed := ""
	for _, w := range s.sentinels {
		state, err := s.watched(ctx, w)
		addr := state["ip"] + ":" + state["port"]
		if err != nil || agreed != "" && addr != agreed {
			return nil
		}
		agreed = addr
	}
	for _, n := range s.nodes {
		if n.Addr == agreed {
			return n
		}
	}
	return nil
}

// Replicas returns the running nodes that are not the master.
func (s *Sentinel) Replicas() []*Server {
	s.tb.Helper()
	master := s.Master()
	var out []*Server
	for _, n := range s.nodes {
		if n != master && n.running() {
			out = append(out, n)
		}
	}
	return out
}

// KillMaster kills the master, as a crash would, and returns it.
func (s *Sentinel) KillMaster() *Server {
	s.tb.Helper()
	m := s.Master()
	m.Stop()
	return m
}

// WaitPromoted returns the master that follows old, when it takes writes and
// all sentinels name it.
func (s *Sentinel) WaitPromoted(old *Server) *Server {
	s.tb.Helper()
	var found *Server
	await(s.tb, "another master follows "+old.Addr, func(ctx context.Context) bool {
		found = s.named(ctx)
		return found != nil && found != old && found.info(ctx, "role") == "master"
	})
	return found
}

// WaitReplicated returns when the replicas have all that the master has now.
func (s *Sentinel) WaitReplicated() {
	s.tb.Helper()
	waitReplicated(s.tb, s.Master(), s.Replicas())
}

func waitReplicated(tb testing.TB, master *Server, replicas []*Server) {
	tb.Helper()
	number := func(ctx context.Context, n *Server, field string) int {
		v, err := strconv.Atoi(n.info(ctx, field))
		if err != nil {
			return -1 // not known now
		}
		return v
	}
	goal := number(context.Background(), master, "master_repl_offset")
	for _, r := range replicas {
		await(tb, r.Addr+" has what its master has", func(ctx context.Context) bool {
			return number(ctx, r, "slave_repl_offset") >= goal
		})
	}
}
