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
		results, err := s.beatShard(b.Context(), s.current(), presence.Shard(beat.UserID, s.Shards()), []presence.Beat{beat})
		if err == nil && results[0].Outcome != presence.Refreshed {
			err = fmt.Errorf("outcome %v", results[0].Outcome)
		}
		return err
	})
}

// benchStore has a server to itself.
func benchStore(b *testing.B) *Store {
	o := presencetest.BenchmarkOptions()
	url := fmt.Sprintf("%s?pool_size=%d", redistest.Start(b).URL(), presencetest.Callers)
	return open(b, Options{URL: url, Prefix: "rollcall", Shards: o.Shards, LevelIndex: o.LevelIndex, Rules: o.Rules})
}
