package feed

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"rollcall/internal/presence"
	"rollcall/internal/presence/redisstore"
	"rollcall/internal/redistest"
)

// What a node reads of Redis goes by its shards and the events, not by its subscribers.
func TestLoadOfRedisIsNotBySubscriber(t *testing.T) {
	const shards, events = 4, 60
	server := redistest.Start(t)
	reads := make(map[int]map[string]int)
	most := 0
	for _, subscribers := range []int{1, 1000} {
		store := &slowest{Store: redisStore(t, server, fmt.Sprintf("p%d", subscribers), shards)}
		hub := startHub(t, store, Config{})
		subs := make([]*Subscription, subscribers)
		for i := range subs {
			o := Options{}
			if i%2 == 1 { // narrowed, to all who come
				o.Users = ids(events)
			}
			subs[i] = subscribe(t, hub, o)
			require.Empty(t, await(t, subs[i]).Events)
		}
		require.NoError(t, server.Client().ConfigResetStat(t.Context()).Err())
		began := time.Now()
		for _, id := range ids(events) { // one at a time, so that none is read together with another
			signIn(t, store, id)
			for _, s := range subs {
				require.Equal(t, []string{id}, users(await(t, s).Events))
			}
		}
		stats, err := server.Client().Info(t.Context(), "commandstats").Result()
		require.NoError(t, err)
		// Besides the reads that have events there are those that waited in vain, and one
		// under way in each shard at either end.
		idle := shards * (int(time.Since(began)/followWait) + 2)
		reads[subscribers] = map[string]int{}
		for _, command := range []string{"xread", "xrange"} {
			n := callsOf(t, stats, command)
			reads[subscribers][command] = n
			require.GreaterOrEqual(t, n, events-shards, command)
			require.LessOrEqual(t, n, events+idle, "%s with %d subscribers", command, subscribers)
		}
		most = max(most, idle)
		hub.Stop()
		require.LessOrEqual(t, store.longest, 2*time.Second, "no read waits longer")
	}
	t.Logf("reads by subscribers: %v", reads)
	for _, command := range []string{"xread", "xrange"} {
		require.InDelta(t, reads[1][command], reads[1000][command], float64(most), command)
	}
}

func redisStore(t *testing.T, server *redistest.Server, prefix string, shards int) *redisstore.Store {
	t.Helper()
	store, err := redisstore.Open(redisstore.Options{
		URL: server.URL(), Prefix: prefix, Shards: shards, Buckets: 16, Rules: presence.DefaultRules(),
	})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, store.Close()) })
	return store
}

// slowest notes how long a read was told to wait at most.
type slowest struct {
	*redisstore.Store

	mu      sync.Mutex
	longest time.Duration
}

func (s *slowest) Follow(ctx context.Context, shard int, after presence.EventID, wait time.Duration) ([]presence.Event, presence.EventID, error) {
	s.mu.Lock()
	s.longest = max(s.longest, wait)
	s.mu.Unlock()
	return s.Store.Follow(ctx, shard, after, wait)
}

func ids(n int) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf("user-%d", i)
	}
	return list
}

// await is next with the patience that a slow machine needs.
func await(t *testing.T, s *Subscription) *Delta {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	d, err := s.Next(ctx)
	require.NoError(t, err)
	return d
}

// callsOf is how often a command was called, by INFO commandstats.
func callsOf(t *testing.T, stats, command string) int {
	t.Helper()
	_, line, _ := strings.Cut(stats, "cmdstat_"+command+":")
	var n int
	_, err := fmt.Sscanf(line, "calls=%d,", &n)
	require.NoError(t, err, stats)
	return n
}
