package load

import (
	"context"
	"sync/atomic"
	"time"
)

// Fastest sends requests as fast as they are answered, one at a time on each
// connection, and returns how many were answered.
func (c *Clients) Fastest(ctx context.Context, span time.Duration) (int, error) {
	var answered atomic.Int64
	began := time.Now()
	err := c.each(func(i int) error {
		own := 0
		defer func() { answered.Add(int64(own)) }()
		for time.Since(began) < span && ctx.Err() == nil {
			ok, err := c.ask(i, time.Now())
			if err != nil {
				return err
			}
			if ok {
				own++
			}
		}
		return ctx.Err()
	})
	return int(answered.Load()), err
}
