package memstore_test

import (
	"testing"

	"rollcall/internal/presence"
	"rollcall/internal/presence/memstore"
	"rollcall/internal/presence/presencetest"
)

func BenchmarkStore(b *testing.B) {
	presencetest.Benchmark(b, func(*testing.B) presence.Store {
		o := presencetest.BenchmarkOptions()
		return memstore.New(memstore.Options{Shards: o.Shards, Rules: o.Rules, LevelIndex: o.LevelIndex, EventLog: o.EventLog})
	})
}
