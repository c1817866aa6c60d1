// Package backoff waits between the attempts at something that fails.
package backoff

import (
	"context"
	"math/rand/v2"
	"time"
)

// Backoff is the wait between attempts: it doubles from Least to Most, and each is
// anything from a half of that to the whole, so that many who failed together
// don't come back together. It is for one goroutine.
type Backoff struct {
	Least, Most time.Duration

	failures int
}

// Wait waits until it is time for the next attempt; false means that ctx has ended.
func (b *Backoff) Wait(ctx context.Context) bool {
	wait := min(b.Least<<min(b.failures, 16), b.Most)
	b.failures++
	return Sleep(ctx, wait/2+rand.N(wait/2+1))
}

// Reset makes the next wait the least again: an attempt has succeeded.
func (b *Backoff) Reset() { b.failures = 0 }

// Sleep waits for d; false means that ctx ended before.
func Sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
