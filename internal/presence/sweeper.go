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

const (
	// maxStorming bounds the shards that are swept again at once when many leases end
	// together, since the heartbeats of a server wait for the sweeps of all its shards.
	maxStorming = 2
	// stormPatience is how long a shard waits for its turn: one that hangs holds the
	// others up no longer.
	stormPatience = time.Second
)

// Sweeper keeps sweeping all shards of a store, each on its own, so that one
// that can't be reached delays no other. Every node runs one; the
// store keeps the nodes out of each other's way.
type Sweeper struct {
	store Store
	log   *slog.Logger
	rates [MaxShards]rate // by shard
	// storming holds a token for each shard that is being swept again at once.
	storming chan struct{}
	// failing is how many shards can't be swept.
	failing atomic.Int32

	stop context.CancelFunc
	wg   sync.WaitGroup
}

// NewSweeper is a sweeper of store, not yet started.
func NewSweeper(store Store, log *slog.Logger) *Sweeper {
	return &Sweeper{store: store, log: log, storming: make(chan struct{}, maxStorming)}
}

// Start begins to sweep.
func (s *Sweeper) Start() {
	ctx, stop := context.WithCancel(context.Background())
	s.stop = stop
	s.wg.Go(func() { s.run(ctx) })
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
	for shard := range s.store.Shards() {
		sum += s.rates[shard].perSecond()
	}
	return sum
}

// run sweeps until ctx ends, however often the number of shards changes.
func (s *Sweeper) run(ctx context.Context) {
	tick := time.NewTicker(SweepEvery)
	defer tick.Stop()
	for ctx.Err() == nil {
		shards := s.store.Shards()
		these, stop := context.WithCancel(ctx)
		for shard := range shards {
			s.wg.Go(func() {
				if failing := s.sweep(these, shard); failing {
					s.recovered(ctx) // or there is no such shard any more
				}
			})
		}
		for ctx.Err() == nil && s.store.Shards() == shards {
			select {
			case <-tick.C:
			case <-ctx.Done():
			}
		}
		stop()
	}
}

// recovered counts one shard less that can't be swept.
func (s *Sweeper) recovered(ctx context.Context) {
	if s.failing.Add(-1) == 0 && ctx.Err() == nil {
		s.log.InfoContext(ctx, "the store is swept again")
	}
}

// sweep sweeps one shard until ctx ends, and tells whether it could not in the end.
func (s *Sweeper) sweep(ctx context.Context, shard int) (failing bool) {
	tick := time.NewTicker(SweepEvery)
	defer tick.Stop()
	turn := false
	for {
		report, err := s.store.Sweep(ctx, shard)
		if turn {
			<-s.storming
			turn = false
		}
		switch {
		case ctx.Err() != nil:
			return failing
		case err != nil && !failing:
			if s.failing.Add(1) == 1 { // one line an outage, not one a shard
				s.log.Warn("the store can't be swept; trying on", "shard", shard, "err", err)
			}
		case err == nil && failing:
			s.recovered(ctx)
		}
		failing = err != nil
		if err == nil {
			s.rates[shard].sample(report.Now, report.Beats)
			if report.More {
				turn = s.takeTurn(ctx)
				continue
			}
		}
		select {
		case <-ctx.Done():
			return failing
		case <-tick.C:
		}
	}
}

// takeTurn waits until few enough shards are swept again at once; false if it takes too long.
func (s *Sweeper) takeTurn(ctx context.Context) bool {
	patience := time.NewTimer(stormPatience)
	defer patience.Stop()
	select {
	case s.storming <- struct{}{}:
		return true
	case <-patience.C:
	case <-ctx.Done():
	}
	return false
}
