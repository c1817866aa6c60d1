package load

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
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

// ErrRefused is an answer that says: not now. It is no answer and no error.
var ErrRefused = errors.New("refused")

// Clients are connections that are measured together.
type Clients struct {
	conns   []*Conn
	sources []Source
	refused atomic.Int64
}

// Refused is how many requests were refused.
func (c *Clients) Refused() int { return int(c.refused.Load()) }

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
	if err := c.each(func(i int) error {
		_, err := c.ask(i, time.Now())
		return err
	}); err != nil {
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

// ask sends the next request of a connection; false says that it was refused.
func (c *Clients) ask(i int, due time.Time) (answered bool, err error) {
	request, err := c.sources[i].Next(due)
	if err != nil {
		return false, err
	}
	body, err := c.conns[i].Do(request)
	if err != nil {
		return false, err
	}
	switch err := c.sources[i].Check(body); {
	case errors.Is(err, ErrRefused):
		c.refused.Add(1)
		return false, nil
	case err != nil:
		return false, fmt.Errorf("%w in %.300s", err, body)
	}
	return true, nil
}

// each runs do for each connection at the same time, and returns what went wrong.
func (c *Clients) each(do func(i int) error) error {
	errs := make([]error, len(c.conns))
	var wg sync.WaitGroup
	for i := range c.conns {
		wg.Go(func() { errs[i] = do(i) })
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err // the others' will be the same
		}
	}
	return nil
}
