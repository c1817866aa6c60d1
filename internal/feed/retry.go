package feed

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"sync"
	"time"
)

// Back-off of a reader: the wait doubles up to maxBackOff, and is anything
// from a half of that to the whole, so that nodes and shards spread out.
const (
	minBackOff = 200 * time.Millisecond
	maxBackOff = time.Second
)

// retry is the back-off of one reader.
type retry struct {
	outage   *outage
	failures int
}

// failed waits until it is time for the next attempt; false means that ctx ended.
func (r *retry) failed(ctx context.Context, err error) bool {
	if ctx.Err() != nil {
		return false
	}
	if r.failures == 0 {
		r.outage.begin(ctx, err)
	}
	wait := min(minBackOff<<min(r.failures, 10), maxBackOff)
	r.failures++
	return sleep(ctx, wait/2+rand.N(wait/2))
}

func (r *retry) succeeded() {
	if r.failures > 0 {
		r.failures = 0
		r.outage.end()
	}
}

// outage makes one line in the log of all readers that fail at the same time.
type outage struct {
	log *slog.Logger

	mu      sync.Mutex
	readers int // that fail now
}

func (o *outage) begin(ctx context.Context, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.readers == 0 {
		o.log.WarnContext(ctx, "the event log can't be read; trying on", "err", err)
	}
	o.readers++
}

func (o *outage) end() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.readers--
	if o.readers == 0 {
		o.log.Info("the event log is read again")
	}
}

func sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}
