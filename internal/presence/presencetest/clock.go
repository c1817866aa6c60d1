package presencetest

import (
	"sync/atomic"
	"time"

	"rollcall/internal/presence"
)

// Clock is a store's clock that stands still until it is told to go on.
type Clock struct{ now atomic.Int64 }

// NewClock is a clock that shows some time of the year 2026.
func NewClock() *Clock {
	c := &Clock{}
	c.now.Store(time.Date(2026, 3, 14, 15, 9, 26, 535e6, time.UTC).UnixMilli())
	return c
}

// Now is what the clock shows.
func (c *Clock) Now() presence.Millis { return presence.Millis(c.now.Load()) }

// Advance moves the clock on by d, in whole milliseconds; back if d is negative.
func (c *Clock) Advance(d time.Duration) { c.now.Add(d.Milliseconds()) }
