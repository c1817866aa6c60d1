package redisstore

import (
	"context"
	"fmt"
	"strconv"
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
	s.client.AddHook(onSend(trips.add))
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

// BenchmarkForget measures what one step holds up Redis for while everybody who was ever
// online is forgotten: by the processor time of its main thread, since a busy
// machine may take the processor from it in the middle of a script.
func BenchmarkForget(b *testing.B) {
	for _, users := range []int{50_000, 1_000_000} {
		b.Run(fmt.Sprintf("offline=%d", users), func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				s, clock := offline(b, redistest.Start(b).URL(), users, DefaultBuckets)
				clock.Advance(presence.SeenFor)
				b.StartTimer()
				forgotten, steps := 0, 0
				var longest, all time.Duration
				for shard := range s.Shards() {
					before := processorTime(b, s)
					for more := true; more; {
						r, err := s.Sweep(b.Context(), shard)
						require.NoError(b, err)
						after := processorTime(b, s)
						longest, all = max(longest, after-before), all+after-before
						before, more = after, r.More
						forgotten += r.Forgotten
						steps++
					}
				}
				require.Equal(b, users, forgotten)
				b.ReportMetric(float64(longest.Microseconds()), "µs/longest")
				b.ReportMetric(float64(all.Microseconds())/float64(steps), "µs/step")
				b.ReportMetric(float64(steps), "steps")
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

// processorTime is what the main thread of the one server has used so far.
func processorTime(t testing.TB, s *Store) time.Duration {
	t.Helper()
	info, err := s.client.InfoMap(context.Background(), "cpu").Result()
	require.NoError(t, err)
	var sum float64
	for _, part := range []string{"used_cpu_user_main_thread", "used_cpu_sys_main_thread"} {
		seconds, err := strconv.ParseFloat(info["CPU"][part], 64)
		require.NoError(t, err)
		sum += seconds
	}
	return time.Duration(sum * float64(time.Second))
}
