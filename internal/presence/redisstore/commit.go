package redisstore

import (
	"context"
	"errors"
	"sync"

	"rollcall/internal/presence"
)

// maxBatch bounds the beats of one script call, which holds up everybody else
// for as long as it runs.
const maxBatch = 1000

// committer is the group commit of one shard: beats that arrive while a batch
// is in flight travel in the next one; an idle shard adds no delay.
type committer struct {
	store      *Store
	generation *generation
	shard      int

	mu      sync.Mutex
	flying  bool
	waiting []*batch // oldest first
}

// batch is the beats of one script call. Its answers are there when done is closed.
type batch struct {
	beats   []presence.Beat
	results []presence.BeatResult
	err     error
	done    chan struct{}
}

// submit puts beats (at most maxBatch) into the next batch, in which they are
// from position from on.
func (c *committer) submit(beats ...presence.Beat) (b *batch, from int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if n := len(c.waiting); n > 0 && len(c.waiting[n-1].beats)+len(beats) <= maxBatch {
		b = c.waiting[n-1]
	} else {
		b = &batch{done: make(chan struct{})}
		c.waiting = append(c.waiting, b)
	}
	from = len(b.beats)
	b.beats = append(b.beats, beats...)
	if !c.flying {
		c.flying = true
		c.store.flights.Go(c.fly)
	}
	return b, from
}

// fly sends batches until none is waiting.
func (c *committer) fly() {
	for {
		c.mu.Lock()
		if len(c.waiting) == 0 {
			c.flying = false
			c.mu.Unlock()
			return
		}
		b := c.waiting[0]
		c.waiting = c.waiting[1:]
		c.mu.Unlock()

		// No caller's context: a batch is several callers'.
		b.results, b.err = c.store.beatShard(context.Background(), c.generation, c.shard, b.beats)
		close(b.done)

		var gone *presence.UnavailableError
		if errors.As(b.err, &gone) {
			c.fail(gone)
		}
	}
}

// fail answers all that waited while a batch learnt that Redis is gone. Each
// would otherwise wait for the same once more, on top of what it has waited.
func (c *committer) fail(err error) {
	c.mu.Lock()
	failed := c.waiting
	c.waiting = nil
	c.mu.Unlock()
	for _, b := range failed {
		b.err = err
		close(b.done)
	}
}

// wait is the results of n beats of the batch from position from on.
func (b *batch) wait(ctx context.Context, from, n int) ([]presence.BeatResult, error) {
	select {
	case <-b.done:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if b.err != nil {
		return nil, b.err
	}
	return b.results[from : from+n], nil
}
