package redisstore

import (
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"rollcall/internal/presence/presencetest"
)

// A read that waits for events holds a connection, so those reads have a client of their own,
// with one for each shard; nothing else waits behind them.
func TestReadsThatWaitHaveTheirOwnConnections(t *testing.T) {
	t.Parallel()
	const shards = 64 // more than the other client has connections to a server, on few cores
	s := open(t, Options{Shards: shards, Buckets: shards, LevelIndex: true})
	common, waiting := &commandNames{}, &commandNames{}
	s.client.AddHook(onSend(common.add))
	s.blocked.AddHook(onSend(waiting.add))
	tail, err := s.Tail(t.Context())
	require.NoError(t, err)

	var wg sync.WaitGroup
	ends := make([]error, shards)
	for shard, after := range tail {
		wg.Go(func() { _, _, ends[shard] = s.Follow(t.Context(), shard, after, patience) })
	}
	// All of them wait at the same time, and nobody else does.
	require.Eventually(t, func() bool { return s.blocked.PoolStats().TotalConns >= shards }, patience, time.Millisecond)
	for call, run := range calls(s) {
		require.NoError(t, run(t.Context()), call)
	}
	presencetest.SignIn(t, s, 1000) // some in each shard
	wg.Wait()
	for _, err := range ends {
		require.NoError(t, err)
	}
	require.Equal(t, map[string]bool{"xread": true}, waiting.seen())
	require.NotContains(t, common.seen(), "xread")
	require.Contains(t, common.seen(), "xrange")
	require.Zero(t, s.blocked.PoolStats().Timeouts)
}

// commandNames sees which commands a client sends, but those that open a connection.
type commandNames struct {
	mu    sync.Mutex
	names map[string]bool
}

func (c *commandNames) seen() map[string]bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.names
}

func (c *commandNames) add(cmds ...redis.Cmder) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, cmd := range cmds {
		switch name := cmd.Name(); name {
		case "hello", "client", "pipeline":
		default:
			if c.names == nil {
				c.names = make(map[string]bool)
			}
			c.names[name] = true
		}
	}
}
