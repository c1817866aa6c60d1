package presence

import (
	"context"
	"time"
)

// The times by which nodes know of each other's subscribers.
const (
	// RosterEvery is how often a node says how many subscribers it has.
	RosterEvery = 2 * time.Second
	// RosterKept is how long what a node has said counts: two may get lost.
	RosterKept = 3 * RosterEvery
)

// RunRoster says how many subscribers this node has until ctx ends, and then that it has none.
// A store that can't be reached is told again the next time: whoever asks sees the error.
func RunRoster(ctx context.Context, store Store, subscribers func() int) {
	tick := time.NewTicker(RosterEvery)
	defer tick.Stop()
	for {
		_, _ = store.Subscribers(ctx, subscribers())
		select {
		case <-tick.C:
		case <-ctx.Done():
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
			defer cancel()
			_, _ = store.Subscribers(ctx, 0)
			return
		}
	}
}
