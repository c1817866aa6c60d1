package feed

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"rollcall/internal/backoff"
)

// The waits of a reader between its attempts.
const (
	minBackOff = 200 * time.Millisecond
	maxBackOff = time.Second
)

// retry is the attempts of one reader.
type retry struct {
	hub     *Hub
	backoff backoff.Backoff
	failing bool
}

func (h *Hub) newRetry() *retry {
	return &retry{hub: h, backoff: backoff.Backoff{Least: minBackOff, Most: maxBackOff}}
}

// failed waits until it is time for the next attempt; false means that ctx ended.
func (r *retry) failed(ctx context.Context, err error) bool {
	if ctx.Err() != nil {
		return false
	}
	if !r.failing {
		r.failing = true
		r.hub.outage.begin(ctx, err)
	}
	return r.backoff.Wait(ctx)
}

// end says that the reader no longer fails, or no longer tries.
func (r *retry) end() {
	if r.failing {
		r.failing = false
		r.backoff.Reset()
		r.hub.outage.end(r.hub.stopped())
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

func (o *outage) end(stopped bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.readers--
	if o.readers == 0 && !stopped {
		o.log.Info("the event log is read again")
	}
}
