package redistest_test

import (
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"rollcall/internal/redistest"
)

func TestClusterServesAllSlots(t *testing.T) {
	t.Parallel()
	c := redistest.StartCluster(t, 3, 1)
	client := c.Client(t)
	for _, key := range []string{"a", "b", "c", "d", "e", "f"} {
		require.NoError(t, client.Set(t.Context(), key, key, 0).Err())
	}
	shards, err := client.ClusterShards(t.Context()).Result()
	require.NoError(t, err)
	require.Len(t, shards, 3)
	for _, s := range shards {
		require.Len(t, s.Nodes, 2)
	}
}

func TestSentinelPromotesAReplica(t *testing.T) {
	t.Parallel()
	s := redistest.StartSentinel(t, 2, 3)
	client := redis.NewFailoverClient(&redis.FailoverOptions{
		MasterName: "rollcall", SentinelAddrs: []string{s.Sentinels[0].Addr, s.Sentinels[1].Addr},
	})
	defer func() { require.NoError(t, client.Close()) }()
	require.NoError(t, client.Set(t.Context(), "a", 1, 0).Err())
	s.Primary.Stop()
	require.Eventually(t, func() bool { return client.Set(t.Context(), "a", 2, 0).Err() == nil }, patience, tick)
}

const (
	patience = 30 * time.Second
	tick     = 100 * time.Millisecond
)
