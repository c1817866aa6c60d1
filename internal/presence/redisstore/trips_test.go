package redisstore

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"rollcall/internal/presence"
)

var orders = []presence.Order{presence.LastActiveDesc, presence.LastActiveAsc, presence.LevelDesc, presence.LevelAsc}

// A page over many shards is one round trip, but for one in twenty at the most.
func TestAPageIsOneRoundTrip(t *testing.T) {
	t.Parallel()
	const shards, users, pages = 16, 4000, 200
	w := newTwins(t, shards)
	ids := make([]string, users)
	for i := range ids {
		ids[i] = fmt.Sprintf("user-%d", i)
	}
	w.signIn(t, ids)
	trips := &tripCounter{}
	w.store.client.AddHook(onSend(trips.add))
	w.page(t, presence.PageRequest{Order: presence.LastActiveDesc, First: 1}) // Redis learns the script

	random := rand.New(rand.NewPCG(1, 2))
	for _, first := range []int{10, 50, presence.MaxFirst} {
		once := 0
		for range pages {
			req := presence.PageRequest{Order: orders[random.IntN(len(orders))], First: first}
			if start := random.IntN(users); start > 0 {
				before, err := w.mem.Page(t.Context(), presence.PageRequest{Order: req.Order, First: start})
				require.NoError(t, err)
				req.After = before.End
			}
			trips.reset()
			w.page(t, req)
			taken := trips.taken()
			require.Len(t, taken[0], shards, "all shards are asked together")
			for _, again := range taken[1:] {
				require.Less(t, len(again), shards/4, "only shards that ran dry are asked again")
			}
			if len(taken) == 1 {
				once++
			}
		}
		t.Logf("pages of %d: %d of %d in one round trip", first, once, pages)
		require.GreaterOrEqual(t, once, pages*95/100, "pages of %d", first)
	}
}

// Where all of a page is in one shard, that one alone is asked again.
func TestAPageOfOneShard(t *testing.T) {
	t.Parallel()
	const shards, shard, first = 16, 5, 50
	w := newTwins(t, shards)
	var crowd, others []string
	for i := 0; len(crowd) < 3*first; i++ {
		id := fmt.Sprintf("user-%d", i)
		if presence.Shard(id, shards) == shard {
			crowd = append(crowd, id)
		} else {
			others = append(others, id)
		}
	}
	w.signIn(t, others)
	w.signIn(t, crowd)
	trips := &tripCounter{}
	w.store.client.AddHook(onSend(trips.add))
	w.page(t, presence.PageRequest{Order: presence.LastActiveDesc, First: 1})

	trips.reset()
	page := w.page(t, presence.PageRequest{Order: presence.LastActiveDesc, First: first})
	require.Equal(t, len(others)+len(crowd), page.Total)
	taken := trips.taken()
	require.Len(t, taken[0], shards)
	share := shardShare(first, shards)
	require.Len(t, taken, (first+share-1)/share)
	for _, again := range taken[1:] {
		require.Equal(t, []string{w.store.current().keys[shard].meta}, again)
	}

	// And the store learns to ask for more, for as long as it needs to.
	for range 5 {
		w.page(t, presence.PageRequest{Order: presence.LastActiveDesc, First: first})
	}
	trips.reset()
	w.page(t, presence.PageRequest{Order: presence.LastActiveDesc, First: first})
	require.Len(t, trips.taken(), 1)
	learnt := w.store.current().margin.more()
	for range 10 { // a count, and a page of one, say nothing of it
		_, err := w.store.Page(t.Context(), presence.PageRequest{Order: presence.LastActiveDesc})
		require.NoError(t, err)
		w.page(t, presence.PageRequest{Order: presence.LastActiveDesc, First: 1})
	}
	require.Equal(t, learnt, w.store.current().margin.more())
	for range 10 { // the others are in all shards
		w.page(t, presence.PageRequest{Order: presence.LastActiveAsc, First: first})
	}
	require.Less(t, w.store.current().margin.more(), learnt)
}

// tripCounter sees what is sent together: for each round trip its commands' first keys.
type tripCounter struct {
	mu    sync.Mutex
	trips [][]string
}

func (c *tripCounter) reset() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.trips = nil
}

func (c *tripCounter) taken() [][]string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.trips
}

func (c *tripCounter) add(cmds ...redis.Cmder) {
	var keys []string
	for _, cmd := range cmds {
		at := 1
		if cmd.Name() == "evalsha" {
			at = 3
		}
		keys = append(keys, fmt.Sprint(cmd.Args()[at]))
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.trips = append(c.trips, keys)
}
