package presence_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"rollcall/internal/presence"
	"rollcall/internal/presence/memstore"
)

func TestSweeperStartStop(t *testing.T) {
	store := memstore.New(memstore.Options{Shards: 16})
	for range 200 {
		s := presence.NewSweeper(store, quiet())
		s.Start()
		s.Stop()
		s.Stop() // harmless
	}
}

// Several nodes may sweep; users expire once, soon after their lease.
func TestSweepersExpireOnce(t *testing.T) {
	rules := presence.Rules{TTL: 200 * time.Millisecond, BackgroundTTL: 200 * time.Millisecond, AwayAfter: time.Minute}
	store := memstore.New(memstore.Options{Shards: 2, Rules: rules})
	start, err := store.Tail(t.Context())
	require.NoError(t, err)
	for range 3 {
		s := presence.NewSweeper(store, quiet())
		s.Start()
		t.Cleanup(s.Stop)
	}
	results, err := store.Beat(t.Context(), []presence.Beat{{UserID: "ann", DeviceID: "phone"}, {UserID: "bob", DeviceID: "phone"}})
	require.NoError(t, err)
	leaseEnd := results[0].LeaseEnd

	var offline []presence.Event
	require.Eventually(t, func() bool {
		offline = nil
		for shard, id := range start {
			events, _, err := store.Range(t.Context(), shard, id)
			require.NoError(t, err)
			for _, e := range events {
				if e.Type == presence.EventOffline {
					offline = append(offline, e)
				}
			}
		}
		return len(offline) >= 2
	}, 10*time.Second, 10*time.Millisecond)
	require.Len(t, offline, 2)
	for _, e := range offline {
		require.Equal(t, presence.Expired, e.Reason)
		require.GreaterOrEqual(t, e.At, leaseEnd)
	}
}

// scripted is a store whose sweeps are the test's.
type scripted struct {
	presence.Store
	shards *atomic.Int64 // nil: two
	sweep  func(ctx context.Context, shard int) (presence.SweepReport, error)
}

func (s scripted) Shards() int {
	if s.shards != nil {
		return int(s.shards.Load())
	}
	return 2
}

func (s scripted) Sweep(ctx context.Context, shard int) (presence.SweepReport, error) {
	return s.sweep(ctx, shard)
}

func started(t *testing.T, sweep func(ctx context.Context, shard int) (presence.SweepReport, error)) *presence.Sweeper {
	t.Helper()
	s := presence.NewSweeper(scripted{sweep: sweep}, quiet())
	s.Start()
	t.Cleanup(s.Stop)
	return s
}

func TestSweeperGoesOnAtOnceWhileThereIsMore(t *testing.T) {
	var sweeps atomic.Int64
	begun := time.Now()
	started(t, func(context.Context, int) (presence.SweepReport, error) {
		return presence.SweepReport{More: sweeps.Add(1) < 1000}, nil
	})
	require.Eventually(t, func() bool { return sweeps.Load() >= 1000 }, 10*time.Second, time.Millisecond)
	require.Less(t, time.Since(begun), 100*presence.SweepEvery)
}

// A shard that hangs delays no other, and stopping ends its sweep.
func TestSweeperShardsAreApart(t *testing.T) {
	var other atomic.Int64
	hanging := make(chan struct{}, 1)
	started(t, func(ctx context.Context, shard int) (presence.SweepReport, error) {
		if shard == 0 {
			hanging <- struct{}{}
			<-ctx.Done()
			return presence.SweepReport{}, ctx.Err()
		}
		other.Add(1)
		return presence.SweepReport{}, nil
	})
	<-hanging
	require.Eventually(t, func() bool { return other.Load() >= 3 }, 10*time.Second, time.Millisecond)
}

func TestSweeperFollowsTheNumberOfShards(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var shards atomic.Int64
		var sweeps [8]atomic.Int64
		shards.Store(2)
		s := presence.NewSweeper(scripted{shards: &shards, sweep: func(_ context.Context, shard int) (presence.SweepReport, error) {
			sweeps[shard].Add(1)
			return presence.SweepReport{}, nil
		}}, quiet())
		s.Start()
		defer s.Stop()
		for _, n := range []int{2, 8, 1} {
			shards.Store(int64(n))
			time.Sleep(time.Second)
			for shard := range sweeps {
				sweeps[shard].Store(0)
			}
			time.Sleep(time.Second)
			for shard := range sweeps {
				require.Equal(t, shard < n, sweeps[shard].Load() > 0, "%d of %d", shard, n)
			}
		}
	})
}

func TestSweeperTriesOnAfterErrors(t *testing.T) {
	var sweeps atomic.Int64
	started(t, func(context.Context, int) (presence.SweepReport, error) {
		if sweeps.Add(1) < 4 {
			return presence.SweepReport{}, errors.New("unreachable")
		}
		return presence.SweepReport{}, nil
	})
	require.Eventually(t, func() bool { return sweeps.Load() >= 6 }, 10*time.Second, time.Millisecond)
}

func TestSweeperBeatsPerSecond(t *testing.T) {
	var sweeps [2]atomic.Int64
	s := started(t, func(_ context.Context, shard int) (presence.SweepReport, error) {
		n := sweeps[shard].Add(1)
		return presence.SweepReport{Now: presence.Millis(1000 * n), Beats: 100 * n, More: n < 50}, nil
	})
	require.Eventually(t, func() bool {
		rate := s.BeatsPerSecond()
		return 199 < rate && rate < 201 // 100 in each shard
	}, 10*time.Second, time.Millisecond)
}
