package faults

import (
	"regexp"
	"strconv"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"rollcall/internal/redistest"
)

// What subscribers cost Redis is one node's reading, however many they are.
func TestSubscribersShareTheReadingOfTheLog(t *testing.T) {
	t.Parallel()
	redis := redistest.Start(t)
	client := redis.Client()
	s := newService(t, redis.URL(), time.Minute)
	node := s.start()
	recorders := []*recorder{s.record(node.only)}
	const gang, turns, subscribers = 20, 20, 50
	c := s.newChurn(gang)
	told := 0
	reads := func() int {
		before := logReads(t, client)
		for range turns {
			c.turn(node.url, 0, gang)
			told += gang
			recorders[0].await(back, "the moves are told", func() bool { return len(recorders[0].events) == told })
		}
		return logReads(t, client) - before
	}
	alone := reads()
	require.Positive(t, alone)
	for len(recorders) < subscribers {
		recorders = append(recorders, s.record(node.only))
	}
	require.Less(t, reads(), 3*alone) // 50 times as many, if each read for themselves
	recorders[0].requireHistory(c.happened)
}

// logReads is how often event logs have been read.
func logReads(t *testing.T, client *redis.Client) (calls int) {
	t.Helper()
	stats, err := client.Info(t.Context(), "commandstats").Result()
	require.NoError(t, err)
	for _, found := range regexp.MustCompile(`cmdstat_(?:xread|xrange):calls=(\d+)`).FindAllStringSubmatch(stats, -1) {
		n, err := strconv.Atoi(found[1])
		require.NoError(t, err)
		calls += n
	}
	return calls
}
