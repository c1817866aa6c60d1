package faults

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"rollcall/internal/redistest"
)

// Whoever stays away for longer than the log reaches back is told so, once, and nobody else
// is: neither who comes back in time nor who never went.
func TestAResetMeansThatTheLogWasTrimmed(t *testing.T) {
	t.Parallel()
	redis := redistest.Start(t)
	s := newService(t, redis.URL(), time.Minute)
	const logged, gang = 100, 20
	s.env = append(s.env, fmt.Sprintf("ROLLCALL_EVENT_LOG=%d", logged), "ROLLCALL_SHARDS=1")
	node := s.start()
	network := startProxy(t, strings.TrimPrefix(node.url, "http://"))
	steady := s.record(node.only)
	leaver := s.record(func() []string { return []string{"http://" + network.addr} })
	log := eventLog(t, redis.Client())
	c := s.newChurn(5 * gang)
	resets, moves := 0, 0
	var latest time.Duration
	for round := range sized(12, 100) {
		before, place := moves, log.added()
		network.sever()
		most := []int{logged, 5 * logged}[round%2] // every other time it is back in time
		for range rand.IntN(most / gang) {
			c.turn(node.url, moves%len(c.users), gang)
			moves += gang
			// In step with what is told, since the node must not lose its own place.
			steady.await(back, "the moves are told", func() bool { return len(steady.events) == moves })
		}
		trimmed := !log.holds(place)
		if trimmed {
			resets++
		}
		mark, connects := leaver.mark(), leaver.connections()
		came := time.Now()
		network.heal()
		leaver.await(back, "it is back", func() bool { return leaver.connects > connects })
		c.turn(node.url, moves%len(c.users), gang)
		moves += gang
		missed := moves - before
		if !trimmed {
			leaver.await(back, "it is told what it missed", func() bool { return len(leaver.events) >= mark+missed })
		}
		leaver.await(back, "it knows who is online", func() bool {
			return leaver.resets == resets && leaver.holdsForOnline(c.happened.online())
		})
		latest = max(latest, time.Since(came))
		if !trimmed {
			require.Equal(t, mark+missed, leaver.mark(), "it is told nothing twice")
		}
	}
	c.end()
	a := steady.requireHistory(c.happened)
	leaver.requireView(nil)
	require.Equal(t, resets, leaver.resetsSoFar(), "no reset without a reason")
	require.Positive(t, resets, "nobody was away for long enough")
	suite.table.add(row{
		"23", fmt.Sprintf("a subscriber is away %d times, %d of them for longer than the log reaches back", sized(12, 100), resets),
		fmt.Sprintf("%d moves", c.moves), latest, "it knew who is online, at most", a,
	})
}

// holdsForOnline tells whether it believes that these users are online and nobody else. It
// must be locked.
func (r *recorder) holdsForOnline(users []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(users)), slices.Sorted(maps.Keys(r.online)))
}

// trimmedLog is the event log of a service with one shard.
type trimmedLog struct {
	t     *testing.T
	redis *redis.Client
	key   string
}

func eventLog(t *testing.T, client *redis.Client) trimmedLog {
	t.Helper()
	keys, _, err := client.ScanType(t.Context(), 0, "*", 1000, "stream").Result()
	require.NoError(t, err)
	require.Len(t, keys, 1)
	return trimmedLog{t, client, keys[0]}
}

// added is how many entries it has had.
func (l trimmedLog) added() int64 {
	l.t.Helper()
	info, err := l.redis.XInfoStream(l.t.Context(), l.key).Result()
	require.NoError(l.t, err)
	return info.EntriesAdded
}

// holds tells whether it still has its n-th entry.
func (l trimmedLog) holds(n int64) bool {
	l.t.Helper()
	info, err := l.redis.XInfoStream(l.t.Context(), l.key).Result()
	require.NoError(l.t, err)
	return info.EntriesAdded-info.Length < n
}
