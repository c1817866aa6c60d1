package redistest

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

// slots is the number of slots of a Redis Cluster.
const slots = 16384

// Cluster is a Redis Cluster of servers that belong to one test.
type Cluster struct {
	// Nodes are the primaries in the order of their slots, then the replicas: the
	// i-th replica is that of the i-th primary.
	Nodes     []*Server
	Primaries int

	guard Guard
}

// StartCluster makes a Redis Cluster of so many primaries with as many replicas
// each. All slots are served, and all replicas in step, when it returns.
func StartCluster(t testing.TB, primaries, replicas int) *Cluster {
	t.Helper()
	return Guard{}.StartCluster(t, primaries, replicas)
}

// StartCluster is the function StartCluster for servers that demand what g says, of
// each other as well.
func (g Guard) StartCluster(t testing.TB, primaries, replicas int) *Cluster {
	t.Helper()
	c := &Cluster{Primaries: primaries, guard: g}
	args := append(g.replication(), "--cluster-enabled", "yes", "--cluster-node-timeout", "2000",
		"--repl-diskless-sync-delay", "0", "--cluster-allow-replica-migration", "no")
	for range primaries * (1 + replicas) {
		c.Nodes = append(c.Nodes, g.Start(t, args...))
	}
	ctx, cancel := context.WithTimeout(context.Background(), startDeadline)
	defer cancel()
	if err := c.join(ctx); err != nil {
		t.Fatalf("redistest: cluster: %v", err)
	}
	return c
}

// URL is the cluster's redis+cluster:// URL, which names all nodes.
func (c *Cluster) URL() string { return c.URLAs(c.guard) }

// URLAs is the URL with what g demands, whatever the servers do.
func (c *Cluster) URLAs(g Guard) string { return g.url("redis+cluster", addrs(c.Nodes), url.Values{}) }

// Client returns a new client of the cluster, closed when the test ends.
func (c *Cluster) Client(t testing.TB) *redis.ClusterClient {
	t.Helper()
	o := c.guard.options("")
	client := redis.NewClusterClient(&redis.ClusterOptions{
		Addrs: strings.Split(addrs(c.Nodes), ","), Username: o.Username, Password: o.Password, TLSConfig: o.TLSConfig, ContextTimeoutEnabled: true,
	})
	t.Cleanup(func() { _ = client.Close() })
	return client
}

func (c *Cluster) join(ctx context.Context) error {
	host, port, err := net.SplitHostPort(c.Nodes[0].Addr)
	if err != nil {
		return err
	}
	for i, node := range c.Nodes {
		client := node.Client()
		if i < c.Primaries {
			first, last := i*slots/c.Primaries, (i+1)*slots/c.Primaries-1
			if err := client.ClusterAddSlotsRange(ctx, first, last).Err(); err != nil {
				return err
			}
			// Otherwise two nodes may begin with the same epoch, and settle it later.
			if err := client.Do(ctx, "CLUSTER", "SET-CONFIG-EPOCH", i+1).Err(); err != nil {
				return err
			}
		}
		if i > 0 {
			if err := client.ClusterMeet(ctx, host, port).Err(); err != nil {
				return err
			}
		}
	}
	for i, node := range c.Nodes[c.Primaries:] {
		id, err := c.Nodes[i%c.Primaries].Client().ClusterMyID(ctx).Result()
		if err != nil {
			return err
		}
		follow := func() error { return node.Client().ClusterReplicate(ctx, id).Err() }
		if err := until(ctx, follow); err != nil { // it has to hear of the primary first
			return err
		}
	}
	for i, node := range c.Nodes {
		if err := until(ctx, func() error { return c.ready(ctx, node.Client(), i >= c.Primaries) }); err != nil {
			return err
		}
	}
	return nil
}

// ready tells whether a node knows all others, and which of them are replicas; and is in
// step if it is one itself.
func (c *Cluster) ready(ctx context.Context, client *redis.Client, replica bool) error {
	info, err := client.ClusterInfo(ctx).Result()
	if err != nil {
		return err
	}
	nodes, err := client.ClusterNodes(ctx).Result()
	if err != nil {
		return err
	}
	known, replicas := strings.Count(nodes, "\n"), strings.Count(nodes, "slave ")
	if !strings.Contains(info, "cluster_state:ok") || known != len(c.Nodes) || replicas != len(c.Nodes)-c.Primaries {
		return fmt.Errorf("not joined: %s%s", info, nodes)
	}
	if replica {
		return inStep(ctx, client)
	}
	return nil
}

// inStep tells whether a replica has its primary's data.
func inStep(ctx context.Context, client *redis.Client) error {
	info, err := client.Info(ctx, "replication").Result()
	if err == nil && !strings.Contains(info, "master_link_status:up") {
		err = fmt.Errorf("not in step: %s", info)
	}
	return err
}

// until tries again until there is no error, or returns the last one when ctx ends.
func until(ctx context.Context, try func() error) error {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		err := try()
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return err
		case <-tick.C:
		}
	}
}

func addrs(servers []*Server) string {
	list := make([]string, len(servers))
	for i, s := range servers {
		list[i] = s.Addr
	}
	return strings.Join(list, ",")
}
