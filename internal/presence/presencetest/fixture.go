package presencetest

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"rollcall/internal/presence"
)

// Options of the store that a test wants.
type Options struct {
	Shards     int
	Rules      presence.Rules
	LevelIndex bool
	EventLog   int // entries that each shard's log keeps, more or less
}

// Fixture is a store under test, empty, and the hands on it.
type Fixture struct {
	Store presence.Store
	Clock *Clock // the store's
	// Lose drops all of the store's data, as a crash without persistence would.
	Lose func()
}

// Make makes a store for one test. Tests run in parallel.
type Make func(t *testing.T, o Options) Fixture

func defaults() Options {
	return Options{Shards: 4, Rules: presence.DefaultRules(), LevelIndex: true, EventLog: 10_000}
}

// sweepBound is more calls than a sweep of these tests takes.
const sweepBound = 10_000

// Sweep sweeps each shard of a store until nothing is due, and sums up the reports.
func Sweep(ctx context.Context, t require.TestingT, s presence.Store) presence.SweepReport {
	var sum presence.SweepReport
	for shard := range s.Shards() {
		for calls := 0; ; calls++ {
			require.Less(t, calls, sweepBound, "a sweep comes to an end")
			r, err := s.Sweep(ctx, shard)
			require.NoError(t, err)
			require.False(t, r.Elsewhere, "no other node sweeps")
			sum.Expired += r.Expired
			sum.Away += r.Away
			sum.Forgotten += r.Forgotten
			sum.Now = r.Now
			if !r.More {
				sum.Beats += r.Beats
				break
			}
		}
	}
	return sum
}

// pass lets time go by as it does where a sweeper runs: no two sweeps are
// further apart than the gap from which an outage is presumed. What became due
// in the last stretch is not swept.
func pass(ctx context.Context, t require.TestingT, f Fixture, rules presence.Rules, d time.Duration) {
	for d > 0 {
		Sweep(ctx, t, f.Store)
		step := min(d, rules.Gap())
		f.Clock.Advance(step)
		d -= step
	}
}
