package directory

import (
	"sync/atomic"
	"time"
)

// rest is a short time during which something that failed is left alone.
type rest struct{ until atomic.Int64 } // Unix nanoseconds

// on reports whether the rest lasts.
func (r *rest) on(now time.Time) bool { return now.UnixNano() < r.until.Load() }

// begin starts a rest, or makes the one that lasts longer.
func (r *rest) begin(now time.Time, length time.Duration) { r.until.Store(now.Add(length).UnixNano()) }
