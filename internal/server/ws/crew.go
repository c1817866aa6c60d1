package ws

import (
	"runtime"
	"sync"
)

// crew writes what waits in the outboxes of all sockets, by few goroutines, none of which waits
// for a client or for an answer: a delivery to ten thousand sockets starts no goroutine for each.
type crew struct {
	mu      sync.Mutex
	outs    []*outbox // that have something to write, in turn
	next    int
	working int
}

// most is how many work at a time.
func (c *crew) most() int { return runtime.GOMAXPROCS(0) }

// add has an outbox written.
func (c *crew) add(o *outbox) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.outs = append(c.outs, o)
	if c.working < c.most() {
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
	if c.next == len(c.outs) {
		c.outs, c.next = c.outs[:0], 0
		if cap(c.outs) > keptOuts {
			c.outs = nil
		}
		c.working--
		return nil
	}
	o := c.outs[c.next]
	c.outs[c.next] = nil
	c.next++
	return o
}

// keptOuts is the length up to which the list is kept.
const keptOuts = 1 << 14
