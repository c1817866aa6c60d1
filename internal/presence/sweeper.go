package presence

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"
)

// SweepEvery is how often a node asks each shard for what time has changed.
const SweepEvery = 200 * time.Millisecond

// What a node sweeps without a pause when many leases end together: so many shards at a
// time, since the heartbeats of a server wait for the sweeps of all its shards. One that
// hangs holds the others up for so long at the most.
const (
	maxStorming   = 2
	stormPatience = time.Second
)

// Sweeper keeps sweeping all shards of a store, each on its own, so that one
// that can't be reached delays no other. Every node runs one; the
// store keeps the nodes out of each other's way.
type Sweeper struct {
	store Store
	log   *slog.Logger
	rates []rate // by shard
	// storm holds a token for each shard that goes on at once since a sweep was not
	// enough. Heartbeats of a server wait for the sweeps of all of its shards.
	storm chan struct{}
	// failing is how many shards can't be swept.
	failing atomic.Int32

	stop context.CancelFunc
	wg   sync.WaitGroup
}

// NewSweeper is a sweeper of store, not yet started.
func NewSweeper(store Store, log *slog.Logger) *Sweeper {
	return &Sweeper{store: store, log: log, rates: make([]rate, store.Shards()), storm: make(chan struct{}, maxStorming)}
}

// Start begins to sweep.
func (s *Sweeper) Start() {
	ctx, stop := context.WithCancel(context.Background())
	s.stop = stop
	for shard := range s.store.Shards() {
		s.wg.Go(func() { s.run(ctx, shard) })
	}
}

// Stop ends the sweeping, if it was started; it waits for the sweeps under way,
// which end at once.
func (s *Sweeper) Stop() {
	if s.stop == nil {
		return
	}
	s.stop()
	s.wg.Wait()
}

// BeatsPerSecond is the rate of accepted heartbeats over the last seconds, on
// all nodes together.
func (s *Sweeper) BeatsPerSecond() float64 {
	var sum float64
	for i := range s.rates {
		sum += s.rates[i].perSecond()
	}
	return sum
}

func (s *Sweeper) run(ctx context.Context, shard int) {
	tick := time.NewTicker(SweepEvery)
	defer tick.Stop()
	failing, more := false, false
	for {
		if more {
			select {
			case s.storm <- struct{}{}:
			case <-time.After(stormPatience):
				more = false
			case <-ctx.Done():
				return
			}
		}
		report, err := s.store.Sweep(ctx, shard)
		if more {
			<-s.storm
		}
		switch {
		case ctx.Err() != nil:
			return
		case err != nil && !failing:
			if s.failing.Add(1) == 1 { // one line an outage, not one a shard
				s.log.Warn("the store can't be swept; trying on", "shard", shard, "err", err)
			}
		case err == nil && failing:
			if s.failing.Add(-1) == 0 {
				s.log.Info("the store is swept again")
			}
		}
		failing = err != nil
		if err == nil {
			s.rates[shard].sample(report.Now, report.Beats)
		}
		if more = err == nil && report.More; more {
			continue
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}
