package faults

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"rollcall/internal/presence"
	"rollcall/internal/presence/redisstore"
	"rollcall/internal/redistest"
)

// As after a network of their own has failed them, many users' leases end at about the
// same moment.
func TestManyLeasesEndAtOnce(t *testing.T) {
	t.Parallel()
	n := sized(2000, 50_000)
	redis := redistest.Start(t)
	s := newService(t, redis.URL(), sized(2*time.Second, 20*time.Second))
	s.env = append(s.env, "ROLLCALL_EVENT_LOG=100000")
	s.start()
	s.start()
	r := s.record(s.urls)
	s.settle()
	users := make([]string, n)
	for i := range users {
		users[i] = fmt.Sprintf("storm-%d", i)
	}
	ends := s.leases(redis.URL(), users)
	first, last := ends[users[0]], ends[users[0]]
	for _, end := range ends {
		first, last = min(first, end), max(last, end)
	}
	gone := r.awaitEvents(s.ttl+startWithin, 0, expired, users)
	var latest time.Duration
	for user, e := range gone {
		late := e.At.Sub(ends[user].Time())
		require.GreaterOrEqual(t, late, time.Duration(0), user)
		latest = max(latest, e.arrived.Sub(last.Time()))
	}
	want := history{}
	want.happened(users, cameOnline, expired)
	suite.table.add(row{
		"25", "many leases end at about the same moment",
		fmt.Sprintf("%d leases that end within %.1f s", n, last.Time().Sub(first.Time()).Seconds()),
		latest, "the last was told after the last lease's end", r.requireHistory(want),
	})
}

// leases signs users in, and lets all of them beat once more within the shortest possible time: by
// a store of its own, which takes much less than requests would.
func (s *service) leases(url string, users []string) map[string]presence.Millis {
	s.t.Helper()
	store, err := redisstore.Open(redisstore.Options{
		URL: url, Prefix: s.setting("ROLLCALL_KEY_PREFIX"), Shards: 16, LevelIndex: true, EventLog: 100_000,
		Rules: presence.Rules{TTL: s.ttl, BackgroundTTL: backgroundOf(s.ttl), AwayAfter: time.Hour},
	})
	require.NoError(s.t, err)
	defer func() { require.NoError(s.t, store.Close()) }()
	beats := make([]presence.Beat, len(users))
	for i, user := range users {
		beats[i] = presence.Beat{UserID: user, DeviceID: "phone"}
	}
	ends := map[string]presence.Millis{}
	const atOnce = 5000 // what is done in far less than a call may take
	for range 2 {
		for some := range slices.Chunk(beats, atOnce) {
			var results []presence.BeatResult
			awaitQuietly(back, func() bool { // a busy machine may need another attempt
				results, err = store.Beat(context.Background(), some)
				return err == nil
			})
			require.NoError(s.t, err)
			for i, r := range results {
				require.NoError(s.t, r.Err)
				some[i].Epoch, ends[some[i].UserID] = r.Epoch, r.LeaseEnd
			}
		}
	}
	return ends
}
