package redisstore

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/redis/go-redis/v9"

	"rollcall/internal/presence"
)

// maxBatch bounds the beats of one script call, which holds up everybody else
// for as long as it runs.
const maxBatch = 1000

// lanes is how many committers the shards of one server share: while the answers of one are read, Redis works on
// the batches of the other.
const lanes = 2

// committer is the group commit of some shards: beats that arrive while others
// are in flight travel in the next flight, which is one round trip; an idle committer adds no delay.
type committer struct {
	store      *Store
	generation *generation

	mu      sync.Mutex
	flying  bool
	waiting []*batch // oldest first
}

// newCommitters are the committers of each shard. Shards that may be on different servers have each their own, since
// one of these that can't be reached must not hold up the others.
func newCommitters(s *Store, g *generation) []*committer {
	n := g.shards
	if _, one := s.client.(*redis.Client); one {
		n = min(n, lanes)
	}
	all := make([]*committer, g.shards)
	for shard := range all {
		if shard < n {
			all[shard] = &committer{store: s, generation: g}
		} else {
			all[shard] = all[shard-n]
		}
	}
	return all
}

// batch is the beats of one script call. Its answers are there when done is closed.
type batch struct {
	shard   int
	beats   []presence.Beat
	results []presence.BeatResult
	err     error
	done    chan struct{}
}

// submit puts beats (at most maxBatch) of a shard into its next batch, in which they are
// from position from on.
func (c *committer) submit(shard int, beats ...presence.Beat) (b *batch, from int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	b = c.last(shard)
	if b == nil || len(b.beats)+len(beats) > maxBatch {
		b = &batch{shard: shard, done: make(chan struct{})}
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

// last is the newest of a shard's batches that are waiting; nil if there is none.
func (c *committer) last(shard int) *batch {
	for _, b := range slices.Backward(c.waiting) {
		if b.shard == shard {
			return b
		}
	}
	return nil
}

// fly sends batches until none is waiting.
func (c *committer) fly() {
	for flight := c.next(); len(flight) > 0; flight = c.next() {
		// No caller's context: a batch is several callers'.
		c.store.commit(context.Background(), c.generation, flight)
		for _, b := range flight {
			close(b.done)
		}
		c.fail(flight)
	}
}

// next takes the batches that have waited longest, and are enough for a flight; none is the end of flying.
func (c *committer) next() []*batch {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := 0
	for beats := 0; n < len(c.waiting) && beats < maxBatch; n++ {
		beats += len(c.waiting[n].beats)
	}
	c.flying = n > 0
	flight := c.waiting[:n:n]
	c.waiting = c.waiting[n:]
	return flight
}

// fail answers those who waited while a flight learnt that Redis is gone, or can't serve their shard. They would
// otherwise wait for the same once more, on top of what they have waited.
func (c *committer) fail(flight []*batch) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, b := range flight {
		var gone *presence.UnavailableError
		if !errors.As(b.err, &gone) {
			continue
		}
		var reply redis.Error
		replied := errors.As(gone.Cause, &reply)
		c.waiting = slices.DeleteFunc(c.waiting, func(w *batch) bool {
			if replied && w.shard != b.shard {
				return false
			}
			w.err = missing(c.generation, w.shard, &presence.UnavailableError{RetryAfter: gone.RetryAfter, Cause: gone.Cause})
			close(w.done)
			return true
		})
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
