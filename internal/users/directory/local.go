package directory

import (
	"time"

	"github.com/maypok86/otter/v2"
)

// localCache is the tier in the process. Its BulkGet runs one load per id at a
// time, and repeats a load whose id was invalidated meanwhile.
type localCache = otter.Cache[string, Entry]

func newLocal(size int, now func() time.Time) (*localCache, error) {
	return otter.New(&otter.Options[string, Entry]{
		MaximumSize: size,
		ExpiryCalculator: otter.ExpiryWritingFunc(func(e otter.Entry[string, Entry]) time.Duration {
			return e.Value.TTL
		}),
		Clock: &clock{now: now, start: now()},
	})
}

// clock is the cache's time. It has no ticks, so the cache needs no goroutine:
// expired entries are found when read, and give way to new ones.
type clock struct {
	now   func() time.Time
	start time.Time
}

var _ otter.Clock = (*clock)(nil)

func (c *clock) NowNano() int64 { return c.now().Sub(c.start).Nanoseconds() }

func (c *clock) Tick(time.Duration) <-chan time.Time { return nil }

// drop forgets ids in this process, and keeps loads in flight from bringing
// the old details back.
func (d *Directory) drop(ids []string) {
	local := d.local.Load()
	for _, id := range ids {
		local.Invalidate(id)
	}
}

// dropAll forgets everything in this process.
func (d *Directory) dropAll() {
	fresh, err := newLocal(d.opt.LocalSize, d.opt.Now)
	if err != nil { // the same options worked in New
		d.opt.Logger.Error("user directory: new local cache", "err", err)
		d.local.Load().InvalidateAll()
		return
	}
	d.local.Store(fresh)
}
