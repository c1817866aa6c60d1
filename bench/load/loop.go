package load

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// Source is where one connection's requests come from.
type Source interface {
	// Next is the next request, which is to be sent now but was due then. It stays as it is
	// until it is answered.
	Next(due time.Time) ([]byte, error)
	// Check says what is wrong with its answer's body; ErrRefused if the server was too busy
	// to answer, as it may be.
	Check(body []byte) error
}

// ErrRefused is an answer that says: not now. It counts as none, and no more than one in
// a hundred may be.
var ErrRefused = errors.New("refused")

// Clients are connections that are measured together.
type Clients struct {
	conns   []*Conn
	sources []Source
}

// Connect makes so many connections, of which the i-th sends what source(i) gives. Each
// sends one request at once, since servers close those that send nothing.
func Connect(ctx context.Context, addr string, n int, source func(i int) Source) (*Clients, error) {
	c := &Clients{}
	for i := range n {
		conn, err := Dial(ctx, addr)
		if err != nil {
			c.Close()
			return nil, err
		}
		c.conns, c.sources = append(c.conns, conn), append(c.sources, source(i))
	}
	if err := c.each(func(i int) error { return c.ask(i, time.Now()) }); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

// Close disconnects.
func (c *Clients) Close() {
	for _, conn := range c.conns {
		conn.Close()
	}
}

// Fastest sends requests as fast as they are answered, one at a time on each
// connection, and returns how many were answered.
func (c *Clients) Fastest(ctx context.Context, span time.Duration) (answered int, err error) {
	counts, refused := make([]int, len(c.conns)), make([]int, len(c.conns))
	began := time.Now()
	err = c.each(func(i int) error {
		for time.Since(began) < span && ctx.Err() == nil {
			switch err := c.ask(i, time.Now()); {
			case err == nil:
				counts[i]++
			case errors.Is(err, ErrRefused):
				refused[i]++
			default:
				return err
			}
		}
		return ctx.Err()
	})
	all := 0
	for i, n := range counts {
		answered, all = answered+n, all+n+refused[i]
	}
	if err == nil && (all-answered)*100 > all {
		err = fmt.Errorf("%d of %d were %w", all-answered, all, ErrRefused)
	}
	return answered, err
}

// Steady sends requests at a rate, whether the ones before are answered or not but
// for those of the same connection, and returns how long after its time each was
// answered, in microseconds. Of a request that had to wait for its connection the wait counts.
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
			if err := c.ask(i, due); err != nil {
				return err
			}
			if err := own.RecordValue(time.Since(due).Microseconds()); err != nil {
				return err
			}
		}
		mu.Lock()
		defer mu.Unlock()
		if dropped := all.Merge(own); dropped > 0 {
			return errors.New("values out of the histogram's range")
		}
		return ctx.Err()
	})
	return all, err
}

// NewHistogram takes microseconds up to a minute, with three digits.
func NewHistogram() *hdrhistogram.Histogram {
	return hdrhistogram.New(1, time.Minute.Microseconds(), 3)
}

func (c *Clients) ask(i int, due time.Time) error {
	request, err := c.sources[i].Next(due)
	if err != nil {
		return err
	}
	body, err := c.conns[i].Do(request)
	if err != nil {
		return err
	}
	if err := c.sources[i].Check(body); err != nil {
		return fmt.Errorf("%w in %.300s", err, body)
	}
	return nil
}

// each runs do for each connection at the same time, and returns the errors.
func (c *Clients) each(do func(i int) error) error {
	errs := make([]error, len(c.conns))
	var wg sync.WaitGroup
	for i := range c.conns {
		wg.Go(func() { errs[i] = do(i) })
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
