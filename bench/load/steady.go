package load

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// Steady sends requests at a rate, whether the ones before are answered or not but
// for those of the same connection, and returns how long after its time each was
// answered, in microseconds. A request that has to wait for its connection waits on the clock, so that
// a server that stalls is not asked less for it (which is known as coordinated omission).
func (c *Clients) Steady(ctx context.Context, span time.Duration, perSecond float64) (*hdrhistogram.Histogram, error) {
	all := NewHistogram()
	var mu sync.Mutex
	began := time.Now()
	every := time.Duration(float64(len(c.conns)) / perSecond * float64(time.Second))
	err := c.each(func(i int) error {
		own := NewHistogram()
		due := began.Add(every * time.Duration(i) / time.Duration(len(c.conns)))
		for ; due.Sub(began) < span && ctx.Err() == nil; due = due.Add(every) {
			time.Sleep(time.Until(due)) // the pace itself
			ok, err := c.ask(i, due)
			if err != nil {
				return err
			}
			if took := time.Since(due).Microseconds(); ok {
				if err := own.RecordValue(took); err != nil {
					return err
				}
			}
		}
		mu.Lock()
		defer mu.Unlock()
		if dropped := all.Merge(own); dropped > 0 {
			return fmt.Errorf("%d times out of the histogram's range", dropped)
		}
		return ctx.Err()
	})
	return all, err
}

// NewHistogram takes microseconds up to a minute, with three digits.
func NewHistogram() *hdrhistogram.Histogram {
	return hdrhistogram.New(1, time.Minute.Microseconds(), 3)
}
