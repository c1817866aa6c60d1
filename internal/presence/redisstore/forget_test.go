package redisstore

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"rollcall/internal/presence"
	"rollcall/internal/presence/presencetest"
	"rollcall/internal/redistest"
)

// Users offline for long are forgotten bucket by bucket, so that no script has more to do
// than a bucket holds, and nothing is left.
func TestForgettingIsInSmallSteps(t *testing.T) {
	t.Parallel()
	const users, buckets = 50_000, 1024 // about 49 in each
	s, clock := offline(t, redistest.Start(t).URL(), users, buckets)
	trips := &tripCounter{}
	s.client.AddHook(trips)
	clock.Advance(presence.SeenFor)

	forgotten, fullest := 0, 0
	for shard := range s.Shards() {
		for more := true; more; {
			trips.reset()
			r, err := s.Sweep(t.Context(), shard)
			require.NoError(t, err)
			require.LessOrEqual(t, len(trips.taken()), 3, "sweep, settle and forget, once each")
			forgotten += r.Forgotten
			fullest = max(fullest, r.Forgotten)
			more = r.More
		}
	}
	require.Equal(t, users, forgotten)
	require.Less(t, fullest, 3*users/buckets, "one bucket at a time")
	left, err := s.client.Keys(t.Context(), "*:seen:*").Result()
	require.NoError(t, err)
	require.Empty(t, left)
}

// BenchmarkForget measures how long one step of forgetting holds up Redis, at most and by
// its own clock, while everybody who was ever online is forgotten.
func BenchmarkForget(b *testing.B) {
	for _, users := range []int{50_000, 1_000_000} {
		b.Run(fmt.Sprintf("offline=%d", users), func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				s, clock := offline(b, redistest.Start(b).URL(), users, DefaultBuckets)
				clock.Advance(presence.SeenFor)
				slowLog(b, s)
				b.StartTimer()
				require.Equal(b, users, presencetest.Sweep(b.Context(), b, s).Forgotten)
				longest, calls, mean := heldUp(b, s)
				b.ReportMetric(float64(longest.Microseconds()), "µs/longest")
				b.ReportMetric(mean, "µs/mean")
				b.ReportMetric(float64(calls), "scripts")
			}
		})
	}
}

// offline is a store on a server of its own that remembers users who have gone.
func offline(t testing.TB, url string, users, buckets int) (*Store, *presencetest.Clock) {
	t.Helper()
	clock := presencetest.NewClock()
	o := presencetest.BenchmarkOptions()
	s := open(t, Options{URL: url, Prefix: "p", Shards: o.Shards, Buckets: buckets, LevelIndex: true, Rules: presence.DefaultRules(), Now: clock.Now})
	presencetest.SignIn(t, s, users)
	expired := 0
	for step := s.opts.Rules.Gap(); expired < users; clock.Advance(step) { // the grace of a new store, then the leases
		expired += presencetest.Sweep(t.Context(), t, s).Expired
	}
	return s, clock
}

// slowLog makes Redis note from now on each script that takes longer than 100 µs.
func slowLog(t testing.TB, s *Store) {
	t.Helper()
	ctx := context.Background()
	require.NoError(t, s.client.ConfigSet(ctx, "slowlog-log-slower-than", "100").Err())
	require.NoError(t, s.client.ConfigSet(ctx, "slowlog-max-len", "1000000").Err())
	require.NoError(t, s.client.Do(ctx, "SLOWLOG", "RESET").Err())
	require.NoError(t, s.client.ConfigResetStat(ctx).Err())
}

// heldUp is the longest time that a script has taken since slowLog, how many there were,
// and the mean of their times in µs.
func heldUp(t testing.TB, s *Store) (longest time.Duration, calls int, mean float64) {
	t.Helper()
	slow, err := s.client.SlowLogGet(context.Background(), -1).Result()
	require.NoError(t, err)
	for _, entry := range slow {
		if strings.HasPrefix(strings.ToUpper(entry.Args[0]), "EVAL") {
			longest = max(longest, entry.Duration)
		}
	}
	stats, err := s.client.InfoMap(context.Background(), "commandstats").Result()
	require.NoError(t, err)
	_, err = fmt.Sscanf(stats["Commandstats"]["cmdstat_evalsha"], "calls=%d,", &calls)
	require.NoError(t, err)
	_, perCall, _ := strings.Cut(stats["Commandstats"]["cmdstat_evalsha"], "usec_per_call=")
	perCall, _, _ = strings.Cut(perCall, ",")
	mean, err = strconv.ParseFloat(perCall, 64)
	require.NoError(t, err)
	return longest, calls, mean
}
