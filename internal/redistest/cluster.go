package redistest

import (
	"context"
	"net"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"
)

// Cluster is a Redis Cluster of three masters with a replica each.
type Cluster struct {
	URL string // redis-cluster://host:port,…

	tb    testing.TB
	nodes []*Server
}

const clusterMasters = 3

// clusterSlots is how many hash slots Redis has.
const clusterSlots = 16384

// StartCluster runs it until the test ends. It returns when every node says
// that all is well and every replica follows its master.
func StartCluster(tb testing.TB) *Cluster {
	tb.Helper()
	const n = 2 * clusterMasters
	addrs := freeAddresses(tb, 2*n)
	c := &Cluster{tb: tb, URL: "redis-cluster://" + strings.Join(addrs[:n], ",")}
	buses := make([]string, n)
	for i, addr := range addrs[:n] {
		buses[i] = portOf(tb, addrs[n+i])
		args := append([]string{
			"--cluster-enabled", "yes", "--cluster-port", buses[i], "--cluster-node-timeout", "1500",
			"--cluster-replica-validity-factor", "0", "--cluster-allow-replica-migration", "no",
		}, quickReplication...)
		c.nodes = append(c.nodes, start(tb, addr, args...))
	}
	c.join(buses)
	c.awaitHealth()
	for _, master := range c.nodes[:clusterMasters] {
		awaitReplicas(tb, master, 1)
	}
	return c
}

// join makes one cluster of the nodes: the first three are masters, the others
// their replicas.
func (c *Cluster) join(buses []string) {
	c.tb.Helper()
	for i, node := range c.nodes { // before they have met, or they refuse
		node.Do("CLUSTER", "SET-CONFIG-EPOCH", i+1)
	}
	for i, node := range c.nodes {
		if i < clusterMasters {
			node.Do("CLUSTER", "ADDSLOTSRANGE", i*clusterSlots/clusterMasters, (i+1)*clusterSlots/clusterMasters-1)
		}
		for j, other := range c.nodes { // all of them, since gossip alone takes its time
			if j != i {
				node.Do("CLUSTER", "MEET", "127.0.0.1", portOf(c.tb, other.Addr), buses[j])
			}
		}
	}
	for _, node := range c.nodes {
		await(c.tb, node.Addr+" knows the others", func(ctx context.Context) bool {
			return c.state(ctx, node, "cluster_known_nodes") == "6" && c.state(ctx, node, "cluster_size") == "3"
		})
	}
	for i, replica := range c.nodes[clusterMasters:] {
		master := c.nodes[i]
		replica.Do("CLUSTER", "REPLICATE", master.Do("CLUSTER", "MYID"))
	}
}

// state returns one field of CLUSTER INFO as a node sees it.
func (c *Cluster) state(ctx context.Context, node *Server, field string) string {
	var text string
	if node.ask(ctx, func(r *redis.Client) (err error) { text, err = r.ClusterInfo(ctx).Result(); return err }) != nil {
		return ""
	}
	return fieldOf(text, field)
}

// awaitHealth waits until all running nodes say that the cluster works and all
// running replicas follow.
func (c *Cluster) awaitHealth() {
	c.tb.Helper()
	for _, node := range c.nodes {
		if !node.running() {
			continue
		}
		await(c.tb, node.Addr+" says that the cluster works", func(ctx context.Context) bool {
			return c.state(ctx, node, "cluster_state") == "ok" &&
				(node.info(ctx, "role") == "master" || node.info(ctx, "master_link_status") == "up")
		})
	}
}

// MasterOf returns the node that holds the slot of key.
func (c *Cluster) MasterOf(key string) *Server {
	c.tb.Helper()
	var found *Server
	await(c.tb, "some node names the master of "+key, func(ctx context.Context) bool {
		found = c.master(ctx, key)
		return found != nil
	})
	return found
}

// master returns the node on which all running nodes agree; nil when they do
// not.
func (c *Cluster) master(ctx context.Context, key string) *Server {
	agreed := ""
	for _, node := range c.nodes {
		if !node.running() {
			continue
		}
		addr, err := masterSeenBy(ctx, node, key)
		if err != nil || addr == "" || agreed != "" && agreed != addr {
			return nil
		}
		agreed = addr
	}
	for _, node := range c.nodes {
		if node.Addr == agreed {
			return node
		}
	}
	return nil
}

func masterSeenBy(ctx context.Context, node *Server, key string) (addr string, err error) {
	err = node.ask(ctx, func(r *redis.Client) error {
		slot, err := r.ClusterKeySlot(ctx, key).Result()
		if err != nil {
			return err
		}
		ranges, err := r.ClusterSlots(ctx).Result()
		for _, s := range ranges {
			if s.Start <= int(slot) && int(slot) <= s.End && len(s.Nodes) > 0 {
				addr = s.Nodes[0].Addr
			}
		}
		return err
	})
	return addr, err
}

// ReplicaOf returns the running node that follows the master of key, if one
// does.
func (c *Cluster) ReplicaOf(key string) *Server {
	c.tb.Helper()
	port := portOf(c.tb, c.MasterOf(key).Addr)
	var found *Server
	await(c.tb, "a replica holds "+key, func(ctx context.Context) bool {
		for _, node := range c.nodes {
			if node.running() && node.info(ctx, "master_port") == port {
				found = node
			}
		}
		return found != nil
	})
	return found
}

// WaitReplicated returns when the replica of key's master has all that the
// master has now.
func (c *Cluster) WaitReplicated(key string) {
	c.tb.Helper()
	waitReplicated(c.tb, c.MasterOf(key), []*Server{c.ReplicaOf(key)})
}

// KillMasterOf kills the master of key, as a crash would, and returns it.
func (c *Cluster) KillMasterOf(key string) *Server {
	c.tb.Helper()
	m := c.MasterOf(key)
	m.Stop()
	return m
}

// WaitPromoted returns the master of key that follows old, when all running
// nodes know it and the cluster works again.
func (c *Cluster) WaitPromoted(key string, old *Server) *Server {
	c.tb.Helper()
	var found *Server
	await(c.tb, "another master follows "+old.Addr, func(ctx context.Context) bool {
		found = c.master(ctx, key)
		return found != nil && found != old && found.info(ctx, "role") == "master"
	})
	c.awaitHealth()
	return found
}

func portOf(tb testing.TB, addr string) string {
	tb.Helper()
	_, port, err := net.SplitHostPort(addr)
	if err != nil {
		tb.Fatal(err)
	}
	return port
}
