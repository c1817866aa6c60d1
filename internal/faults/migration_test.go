package faults

import (
	"context"
	"fmt"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"rollcall/internal/redistest"
)

func TestSlotsMigrate(t *testing.T) {
	t.Parallel()
	cluster := redistest.StartCluster(t, 3, 0)
	u := startUnderLoadOn(t, cluster.URL())
	slots := slotsOf(t, cluster.Nodes[0])
	require.NotEmpty(t, slots)
	for _, slot := range slots {
		migrate(t, cluster, slot, cluster.Nodes[0], cluster.Nodes[1])
	}
	done := time.Now()
	require.Empty(t, slotsOf(t, cluster.Nodes[0]))
	u.awaitGrace(done)
	u.beats.requireAlive()
	u.sockets.requireAlive()
	for _, f := range slices.Concat(u.beats.complaints(), u.sockets.complaints()) {
		require.Equal(t, "UNAVAILABLE", f.code)
		for _, redirection := range []string{"MOVED", "ASK", "CROSSSLOT", "TRYAGAIN"} {
			require.NotContains(t, f.text, redirection)
		}
	}
	r := row{
		number: "15", fault: fmt.Sprintf("%d slots migrate to another primary", len(slots)), load: u.size,
		recovered: u.beats.lastFailure(done), until: "the last beat that failed",
	}
	for _, recorder := range u.recorders {
		r.account = recorder.requireHistory(u.online())
	}
	suite.table.add(r)
}

// slotsOf are the slots in which a node has keys.
func slotsOf(t *testing.T, node *redistest.Server) []int64 {
	t.Helper()
	client := node.Client()
	var slots []int64
	for keys := client.Scan(t.Context(), 0, "", 1000).Iterator(); keys.Next(t.Context()); {
		slot, err := client.ClusterKeySlot(t.Context(), keys.Val()).Result()
		require.NoError(t, err)
		slots = append(slots, slot)
	}
	slices.Sort(slots)
	return slices.Compact(slots)
}

// migrate moves a slot as redis-cli's reshard does.
func migrate(t *testing.T, cluster *redistest.Cluster, slot int64, from, to *redistest.Server) {
	t.Helper()
	ctx := t.Context()
	source, target := from.Client(), to.Client()
	sourceID, targetID := id(ctx, t, source), id(ctx, t, target)
	require.NoError(t, target.Do(ctx, "CLUSTER", "SETSLOT", slot, "IMPORTING", sourceID).Err())
	require.NoError(t, source.Do(ctx, "CLUSTER", "SETSLOT", slot, "MIGRATING", targetID).Err())
	host, port, err := net.SplitHostPort(to.Addr)
	require.NoError(t, err)
	for {
		keys, err := source.ClusterGetKeysInSlot(ctx, int(slot), 100).Result()
		require.NoError(t, err)
		if len(keys) == 0 {
			break
		}
		command := []any{"MIGRATE", host, port, "", 0, 5000, "KEYS"}
		for _, key := range keys {
			command = append(command, key)
		}
		moved, err := source.Do(ctx, command...).Text()
		require.NoError(t, err)
		require.True(t, strings.HasPrefix(moved, "OK") || moved == "NOKEY", moved)
	}
	require.NoError(t, target.Do(ctx, "CLUSTER", "SETSLOT", slot, "NODE", targetID).Err())
	require.NoError(t, source.Do(ctx, "CLUSTER", "SETSLOT", slot, "NODE", targetID).Err())
	for _, node := range cluster.Nodes {
		if node != from && node != to {
			require.NoError(t, node.Client().Do(ctx, "CLUSTER", "SETSLOT", slot, "NODE", targetID).Err())
		}
	}
}

func id(ctx context.Context, t *testing.T, client *redis.Client) string {
	t.Helper()
	id, err := client.ClusterMyID(ctx).Result()
	require.NoError(t, err)
	return id
}
