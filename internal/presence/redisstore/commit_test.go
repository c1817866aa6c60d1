package redisstore

import (
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"rollcall/internal/presence"
	"rollcall/internal/presence/presencetest"
	"rollcall/internal/redistest"
)

// Beats that come while a batch is in flight travel together.
func TestGroupCommit(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	s := open(t, Options{URL: server.URL(), Prefix: "p", Shards: 1})
	beats := presencetest.SignIn(t, s, 500)
	require.NoError(t, server.Client().ConfigResetStat(t.Context()).Err())

	server.Pause() // until all have come: one batch is in flight, the others wait
	var wg sync.WaitGroup
	results := make([][]presence.BeatResult, len(beats))
	errs := make([]error, len(beats))
	for i, b := range beats {
		wg.Go(func() { results[i], errs[i] = s.Beat(t.Context(), []presence.Beat{b}) })
	}
	require.Eventually(t, func() bool {
		s.commits[0].mu.Lock()
		defer s.commits[0].mu.Unlock()
		n := 0
		for _, b := range s.commits[0].waiting {
			n += len(b.beats)
		}
		return n > len(beats)/2
	}, patience, 1)
	server.Resume()
	wg.Wait()

	for i, b := range beats {
		require.NoError(t, errs[i])
		require.Equal(t, b.Epoch, results[i][0].Epoch, "everybody gets their own answer")
		require.Equal(t, presence.Refreshed, results[i][0].Outcome)
	}
	stats, err := server.Client().InfoMap(t.Context(), "commandstats").Result()
	require.NoError(t, err)
	require.Contains(t, stats["Commandstats"]["cmdstat_evalsha"], "calls=")
	require.Less(t, callsOf(t, stats["Commandstats"]["cmdstat_evalsha"]), len(beats)/2)
}

// A request larger than a batch is split, and answered in its order.
func TestMoreThanABatch(t *testing.T) {
	t.Parallel()
	s := open(t, Options{Shards: 1, Buckets: 16})
	beats := presencetest.SignIn(t, s, 2*maxBatch+500)
	results, err := s.Beat(t.Context(), beats)
	require.NoError(t, err)
	require.Len(t, results, len(beats))
	for i, r := range results {
		require.Equal(t, beats[i].Epoch, r.Epoch)
	}
}

// One node at a time sweeps; another goes on when it falls silent.
func TestSweepingIsTakenOver(t *testing.T) {
	t.Parallel()
	clock := presencetest.NewClock()
	o := Options{URL: redistest.Shared(t).URL(), Prefix: redistest.Prefix(t), Shards: 1, Buckets: 8, Now: clock.Now}
	a, b := open(t, o), open(t, o)
	sweeps := func(s *Store) bool {
		r, err := s.Sweep(t.Context(), 0)
		require.NoError(t, err)
		return !r.Elsewhere
	}
	require.True(t, sweeps(a))
	require.False(t, sweeps(b))
	clock.Advance(presence.SweepEvery)
	require.True(t, sweeps(a))
	clock.Advance(sweepHold - 1)
	require.False(t, sweeps(b))
	clock.Advance(2 * presence.SweepEvery)
	require.True(t, sweeps(b))
	require.False(t, sweeps(a))

	// What happened while the other one swept is not missed.
	_, err := a.Beat(t.Context(), []presence.Beat{{UserID: "ann", DeviceID: "phone"}})
	require.NoError(t, err)
	for range 100 {
		clock.Advance(presence.SweepEvery * 5)
		sweeps(b)
	}
	clock.Advance(sweepHold)
	require.True(t, sweeps(a))
	ps, err := a.Presences(t.Context(), []string{"ann"})
	require.NoError(t, err)
	require.Equal(t, presence.Offline, ps[0].Status)
}

// callsOf reads "calls=12,usec=…".
func callsOf(t *testing.T, stat string) int {
	t.Helper()
	var n int
	_, err := fmt.Sscanf(stat, "calls=%d,", &n)
	require.NoError(t, err)
	return n
}
