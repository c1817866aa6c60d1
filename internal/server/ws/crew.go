package ws

import (
	"runtime"
	"sync"
)

// crew writes what waits in the outboxes of all sockets, by few goroutines, none of which waits
// for a client or for an answer: a delivery to ten thousand sockets starts no goroutine for each.
type crew struct {
	mu      sync.Mutex
	outs    []*outbox // that have something to write, in turn; each once
	working int
}

// add has an outbox written.
func (c *crew) add(o *outbox) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.outs = append(c.outs, o)
	if c.working < runtime.GOMAXPROCS(0) {
		c.working++
		go c.work()
	}
}

func (c *crew) work() {
	w := new(writer)
	for o := c.take(); o != nil; o = c.take() {
		o.writeQuickly(w)
	}
}

// take is the next outbox; nil if there is none, and the work has ended.
func (c *crew) take() *outbox {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.outs) == 0 {
		c.outs = nil // the next one may be long in coming, and many were here
		c.working--
		return nil
	}
	o := c.outs[0]
	c.outs[0] = nil
	c.outs = c.outs[1:] // what is behind is left to append, which copies what is before it only
	return o
}
