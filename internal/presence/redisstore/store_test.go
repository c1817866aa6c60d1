package redisstore

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"rollcall/internal/presence/memstore"
	"rollcall/internal/presence/presencetest"
	"rollcall/internal/redistest"
)

// fixture is a store under a prefix of its own, with few buckets, so that users share them.
func fixture(tb testing.TB, t scope, url string, o presencetest.Options, clock *presencetest.Clock) presencetest.Fixture {
	s := open(t, Options{
		URL: url, Prefix: redistest.Prefix(tb),
		Shards: o.Shards, Buckets: 2 * o.Shards, Rules: o.Rules, LevelIndex: o.LevelIndex, EventLog: o.EventLog, Now: clock.Now,
	})
	return presencetest.Fixture{Store: s, Clock: clock, Lose: func() { lose(t, s) }}
}

// lose deletes all keys of the store, each shard's at once.
func lose(t scope, s *Store) {
	history := newHistoryKeys(s.opts.Prefix)
	require.NoError(t, s.client.Del(context.Background(), history.minute, history.hour).Err())
	for _, k := range s.current().keys {
		require.NoError(t, s.client.Del(context.Background(), k.writeKeys(s.current().allBuckets())...).Err())
	}
}

// One shard, the global index, gives the same answers as several.
func TestConformanceOfOneShard(t *testing.T) {
	t.Parallel()
	presencetest.Run(t, func(t *testing.T, o presencetest.Options) presencetest.Fixture {
		o.Shards = 1
		return fixture(t, t, redistest.Shared(t).URL(), o, presencetest.NewClock())
	})
}

// Every layout of Redis gives the same answers.
func TestConformance(t *testing.T) {
	for layout, url := range map[string]func(t *testing.T) string{
		"one server": func(t *testing.T) string { return redistest.Shared(t).URL() },
		"cluster":    func(t *testing.T) string { return redistest.StartCluster(t, 3, 0).URL() },
		"sentinel":   func(t *testing.T) string { return redistest.StartSentinel(t, 1, 1).URL() },
		"ring":       func(t *testing.T) string { return redistest.StartRing(t, 4).URL() },
	} {
		t.Run(layout, func(t *testing.T) {
			t.Parallel()
			url := url(t)
			presencetest.Run(t, func(t *testing.T, o presencetest.Options) presencetest.Fixture {
				return fixture(t, t, url, o, presencetest.NewClock())
			})
		})
	}
}

// model compares the store with memstore.
func model(tb testing.TB, seen *presencetest.Coverage) func(*rapid.T) {
	return func(t *rapid.T) {
		clock, o := presencetest.NewClock(), presencetest.ModelOptions()
		mem := memstore.New(memstore.Options{Shards: o.Shards, Rules: o.Rules, LevelIndex: o.LevelIndex, EventLog: o.EventLog, Now: clock.Now})
		presencetest.Model(t, fixture(tb, t, redistest.Shared(tb).URL(), o, clock), presencetest.Fixture{Store: mem, Clock: clock, Lose: mem.Lose}, seen)
	}
}

func TestModel(t *testing.T) {
	seen := presencetest.NewCoverage()
	rapid.Check(t, model(t, seen))
	seen.Require(t)
}

func FuzzModel(f *testing.F) {
	f.Fuzz(func(t *testing.T, data []byte) { rapid.MakeFuzz(model(t, presencetest.NewCoverage()))(t, data) })
}
