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

// crowd is how many outboxes may wait for each of those who work before another one joins them: about 12 ms
// of work. Several who write the same few answers only compete with the clients' side, or whatever else the processors have
// to do: with 1,000 sockets one alone takes a sixth less processor time for each.
const crowd = 2048

// add has an outbox written.
func (c *crew) add(o *outbox) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.outs = append(c.outs, o)
	if len(c.outs) > c.working*crowd && c.working < runtime.GOMAXPROCS(0) {
		c.working++
		go c.work()
	}
}

func (c *crew) work() {
	w := new(writer)
	var run [run]*outbox
	for n := c.take(run[:]); n > 0; n = c.take(run[:]) {
		for _, o := range run[:n] {
			o.writeQuickly(w)
		}
	}
}

// run is how many outboxes one takes at a time, at most.
const run = 16

// take takes the next outboxes, and returns how many; none if there are none, and the work has ended.
func (c *crew) take(into []*outbox) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.outs) == 0 {
		c.outs = nil // the next one may be long in coming, and many were here
		c.working--
		return 0
	}
	// Of few, some are left for the others.
	n := copy(into, c.outs[:(len(c.outs)+c.working-1)/c.working])
	clear(c.outs[:n])
	c.outs = c.outs[n:] // what is behind is left to append, which copies what is before it only
	return n
}
