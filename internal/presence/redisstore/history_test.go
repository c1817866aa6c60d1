package redisstore

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"rollcall/internal/presence"
	"rollcall/internal/presence/memstore"
	"rollcall/internal/presence/presencetest"
	"rollcall/internal/redistest"
)

func TestHistoryModel(t *testing.T) {
	url := redistest.Shared(t).URL()
	rapid.Check(t, func(r *rapid.T) {
		clock, o := presencetest.NewClock(), presencetest.ModelOptions()
		mem := memstore.New(memstore.Options{Now: clock.Now})
		presencetest.HistoryModel(r, fixture(t, r, url, o, clock), presencetest.Fixture{Store: mem, Clock: clock, Lose: mem.Lose})
	})
}

// points are all that a store knows by the minute of the last day.
func points(t *testing.T, s *Store, clock *presencetest.Clock) []presence.OnlinePoint {
	t.Helper()
	points, err := s.OnlineHistory(t.Context(), clock.Now().Add(-24*time.Hour), clock.Now()+1, presence.ByMinute)
	require.NoError(t, err)
	return points
}

// However many nodes sample at the same time, and however often each is tried again,
// a minute has twelve samples.
func TestNodesRecordTogether(t *testing.T) {
	t.Parallel()
	clock := presencetest.NewClock()
	opts := Options{URL: redistest.Shared(t).URL(), Prefix: redistest.Prefix(t), Now: clock.Now}
	nodes := []*Store{open(t, opts), open(t, opts), open(t, opts)}
	clock.Advance(time.Minute - time.Duration(clock.Now()%60_000)*time.Millisecond)
	start := clock.Now()
	for sample := range 12 {
		var together sync.WaitGroup
		errs := make(chan error, 2*len(nodes))
		for _, node := range nodes {
			for range 2 {
				together.Go(func() { errs <- node.RecordOnline(t.Context(), sample) })
			}
		}
		together.Wait()
		close(errs)
		for err := range errs {
			require.NoError(t, err)
		}
		clock.Advance(presence.SampleEvery)
	}
	for _, node := range nodes {
		require.Equal(t, []presence.OnlinePoint{{At: start, Peak: 11, Average: 5.5}}, points(t, node, clock))
	}
}

// The time of a sample is Redis' own.
func TestHistoryHasTheServersClock(t *testing.T) {
	t.Parallel()
	s := open(t, Options{})
	begun, err := s.client.Time(t.Context()).Result()
	require.NoError(t, err)
	require.NoError(t, s.RecordOnline(t.Context(), 3))
	ended, err := s.client.Time(t.Context()).Result()
	require.NoError(t, err)
	points, err := s.OnlineHistory(t.Context(), presence.Millis(begun.UnixMilli()), 1<<53-1, presence.ByMinute)
	require.NoError(t, err)
	require.Len(t, points, 1)
	require.Equal(t, 3, points[0].Peak)
	require.False(t, points[0].At.Time().Before(begun.Truncate(time.Minute)))
	require.False(t, points[0].At.Time().After(ended.Truncate(time.Minute)))
}

// The history takes the same space from the first sample on, and goes away when it is old.
func TestHistoryIsBounded(t *testing.T) {
	t.Parallel()
	clock := presencetest.NewClock()
	s := open(t, Options{URL: redistest.Shared(t).URL(), Prefix: redistest.Prefix(t), Now: clock.Now})
	keys := newHistoryKeys(s.opts.Prefix)
	used := func() (sum int64) {
		for _, key := range []string{keys.minute, keys.hour} {
			n, err := s.client.MemoryUsage(t.Context(), key).Result()
			require.NoError(t, err)
			sum += n
			ttl, err := s.client.TTL(t.Context(), key).Result()
			require.NoError(t, err)
			require.Greater(t, ttl, presence.HistoryFor-patience, key)
			require.LessOrEqual(t, ttl, presence.HistoryFor, key)
		}
		return sum
	}
	require.NoError(t, s.RecordOnline(t.Context(), 1))
	first := used()
	t.Logf("%d bytes", first)
	require.Less(t, first, int64(1<<20))
	for range 40 { // days, so that the ring goes round
		clock.Advance(23*time.Hour + 59*time.Minute)
		require.NoError(t, s.RecordOnline(t.Context(), 1))
	}
	require.Equal(t, first, used())
}

// Resharding leaves the history as it is, and nodes go on with it.
func TestHistoryOutlivesResharding(t *testing.T) {
	t.Parallel()
	clock := presencetest.NewClock()
	opts := Options{
		URL: redistest.StartCluster(t, 3, 0).URL(), Prefix: redistest.Prefix(t), Shards: 2, Buckets: 16, LevelIndex: true, Now: clock.Now,
	}
	s := open(t, opts)
	presencetest.SignIn(t, s, 10)
	require.NoError(t, s.RecordOnline(t.Context(), 10))
	before := points(t, s, clock)
	require.Len(t, before, 1)

	opts.Shards = 8
	_, err := Reshard(t.Context(), opts, untold)
	require.NoError(t, err)
	require.Equal(t, before, points(t, s, clock))
	clock.Advance(time.Minute)
	require.NoError(t, s.RecordOnline(t.Context(), 11))
	require.Len(t, points(t, open(t, opts), clock), 2)
}

// What goes wrong with the history is no outage of a shard, in which leases would get grace.
func TestHistoryThatFailsIsNoOutage(t *testing.T) {
	t.Parallel()
	clock := presencetest.NewClock()
	s := open(t, Options{Now: clock.Now, URL: redistest.Shared(t).URL(), Prefix: redistest.Prefix(t)})
	presencetest.SignIn(t, s, 10)
	presencetest.Sweep(t.Context(), t, s)
	late, cancel := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
	defer cancel()
	err := s.RecordOnline(late, 1)
	var unavailable *presence.UnavailableError
	require.ErrorAs(t, err, &unavailable)
	require.Contains(t, unavailable.Public(), "the online history")
	for shard := range s.Shards() {
		require.False(t, s.current().outages[shard].Load())
	}
	require.NoError(t, s.RecordOnline(t.Context(), 1))
}

// A ring of another length, and what is no record, count as nothing.
func TestHistoryOfAnotherMake(t *testing.T) {
	t.Parallel()
	clock := presencetest.NewClock()
	s := open(t, Options{Now: clock.Now, URL: redistest.Shared(t).URL(), Prefix: redistest.Prefix(t)})
	keys := newHistoryKeys(s.opts.Prefix)
	for _, key := range []string{keys.minute, keys.hour} {
		require.NoError(t, s.client.Set(t.Context(), key, "something else", time.Minute).Err())
	}
	require.Empty(t, points(t, s, clock))
	require.NoError(t, s.RecordOnline(t.Context(), 4))
	require.Len(t, points(t, s, clock), 1)
}
