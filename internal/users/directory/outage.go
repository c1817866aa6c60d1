package directory

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// outageOver is how long nothing may have failed before an outage counts as over:
// a part that answers every other call is in one outage, not in many.
const outageOver = 5 * time.Second

// outage makes two lines in the log of all calls to a part of the directory that
// fail for some time.
type outage struct {
	part string
	log  *slog.Logger

	mu      sync.Mutex
	failing bool
	last    time.Time // when a call failed last
}

func (o *outage) failed(ctx context.Context, now time.Time, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.last = now
	if !o.failing {
		o.failing = true
		o.log.WarnContext(ctx, "a part of the user directory fails; trying on", "part", o.part, "err", err)
	}
}

func (o *outage) succeeded(now time.Time) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.failing && now.Sub(o.last) >= outageOver {
		o.failing = false
		o.log.Info("a part of the user directory works again", "part", o.part)
	}
}
