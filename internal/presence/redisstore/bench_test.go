package redisstore

import (
	"fmt"
	"testing"

	"rollcall/internal/presence"
	"rollcall/internal/presence/presencetest"
	"rollcall/internal/redistest"
)

func BenchmarkStore(b *testing.B) {
	presencetest.Benchmark(b, func(b *testing.B) presence.Store { return benchStore(b) })
}

// BenchmarkOneCallABeat is what group commit is measured against: each beat is a
// script call of its own, over as many connections as there are callers.
func BenchmarkOneCallABeat(b *testing.B) {
	s := benchStore(b)
	beats := presencetest.SignIn(b, s, 50_000)
	presencetest.EachCaller(b, 1, func(i int) error {
		beat := beats[i%len(beats)]
		alone := &batch{shard: presence.Shard(beat.UserID, s.Shards()), beats: []presence.Beat{beat}}
		s.commit(b.Context(), s.current(), []*batch{alone})
		if alone.err == nil && alone.results[0].Outcome != presence.Refreshed {
			return fmt.Errorf("outcome %v", alone.results[0].Outcome)
		}
		return alone.err
	})
}

// benchStore has a server to itself.
func benchStore(b *testing.B) *Store {
	o := presencetest.BenchmarkOptions()
	url := fmt.Sprintf("%s?pool_size=%d", redistest.Start(b).URL(), presencetest.Callers)
	return open(b, Options{URL: url, Prefix: "rollcall", Shards: o.Shards, LevelIndex: o.LevelIndex, Rules: o.Rules})
}
