package scale

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"rollcall/internal/presence"
)

// blocks is how many turns each population gets of a measure.
const blocks = 10

// interval is how often a user beats; see presence.Rules.NextBeat.
const interval = presence.DefaultTTL * 4 / 10

// measureBeats takes the rates at which both populations' stores accept
// heartbeats of random users, from as many callers as a node has requests.
func measureBeats(t *testing.T, report *table, small, large *population) {
	t.Helper()
	for _, c := range []struct {
		callers, each int
		name          string
	}{
		{512, 1, "512 callers with one each"},
		{50, 64, "50 callers with 64 each"},
	} {
		var few, many []float64
		for range blocks {
			few = append(few, small.beatRate(t, c.callers, c.each))
			many = append(many, large.beatRate(t, c.callers, c.each))
		}
		rate, at := median(many), thousands(len(large.beats))
		needed := float64(len(large.beats)) / interval.Seconds()
		report.add(fmt.Sprintf("heartbeats at %s online, %s", at, c.name),
			fmt.Sprintf("%s/s (%s)", thousands(int(rate)), extent(many, "%.0f")),
			fmt.Sprintf("≥ %s, what they send", thousands(int(needed))), rate >= needed)
		report.note(fmt.Sprintf("the same over that at %s", thousands(len(small.beats))),
			fmt.Sprintf("%.2f", rate/median(few)))
	}
	small.requireTotal(t, len(small.beats))
	large.requireTotal(t, len(large.beats))
}

// measureNaturalLoad lets both populations beat as often as their users do, and
// takes what that costs each heartbeat of the many. Afterwards their lists have
// the order that users make, and not that of batches which fill up under more load
// than there would be: many of one shard who share a millisecond.
func measureNaturalLoad(t *testing.T, report *table, small, large *population) {
	t.Helper()
	const each = 50 // as a gateway gathers them
	few := startLoad(t, small, small.beats, interval, 1)
	many := startLoad(t, large, large.beats, interval, each)
	began := time.Now()
	sleepUntil(t, began.Add(min(interval, 2*large.plan.span)))
	many.end(t)
	few.end(t)
	took := many.between(began, time.Now())
	report.note(fmt.Sprintf("heartbeats at the rate of %s users, %s/s, %d in a call", thousands(len(large.beats)),
		thousands(int(float64(len(large.beats))/interval.Seconds())), each),
		fmt.Sprintf("p50 %s, p99 %s", inMs(percentile(took, 50)), inMs(percentile(took, 99))))
}

// beatRate is how many heartbeats a second are accepted in one block.
func (p *population) beatRate(t *testing.T, callers, each int) float64 {
	t.Helper()
	var wg sync.WaitGroup
	var accepted atomic.Int64
	var failed atomic.Pointer[error]
	began := time.Now()
	for caller := range callers {
		wg.Go(func() {
			random := rand.New(rand.NewPCG(uint64(caller), 1))
			beats := make([]presence.Beat, each)
			for time.Since(began) < p.plan.span/blocks && failed.Load() == nil {
				for i := range beats {
					beats[i] = p.beats[random.IntN(len(p.beats))]
				}
				switch err := p.refresh(t.Context(), beats); {
				case err == nil:
					accepted.Add(int64(each))
				case !refused(err):
					failed.Store(&err)
				}
			}
		})
	}
	wg.Wait()
	took := time.Since(began)
	if err := failed.Load(); err != nil {
		require.NoError(t, *err)
	}
	return float64(accepted.Load()) / took.Seconds()
}

// refresh sends heartbeats that have nothing to do but extend their sessions.
func (p *population) refresh(ctx context.Context, beats []presence.Beat) error {
	results, err := p.store.Beat(ctx, beats)
	if err != nil {
		return err
	}
	for i, r := range results {
		if r.Err != nil || r.Outcome != presence.Refreshed {
			return fmt.Errorf("beat of %s: outcome %q, error %w", beats[i].UserID, r.Outcome, r.Err)
		}
	}
	return nil
}
