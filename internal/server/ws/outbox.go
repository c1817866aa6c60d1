package ws

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"rollcall/internal/server/execution"
)

// outbox is what waits to be written to a socket: messages, and subscriptions that may have
// answers to take. It has no goroutine: whoever puts something in has it written by the crew, if it isn't
// being written.
type outbox struct {
	conn    *frameConn
	crew    *crew
	timeout time.Duration
	end     func(why error)
	room    chan struct{} // a token for each message that waits
	running sync.WaitGroup

	mu       sync.Mutex
	messages []outgoing
	ready    readyList // the subscriptions that may have answers
	writing  bool
	closed   atomic.Bool   // mu guards its change
	written  chan struct{} // closed when closed, and nothing is written any more
}

func newOutbox(conn *frameConn, crew *crew, cfg *Config) *outbox {
	return &outbox{
		conn: conn, crew: crew, timeout: cfg.WriteTimeout,
		room: make(chan struct{}, cfg.Queue), written: make(chan struct{}),
	}
}

// put queues a message. While too many wait, it waits too. The error is the reason for the end of ctx.
func (o *outbox) put(ctx context.Context, out outgoing) error {
	select {
	case o.room <- struct{}{}:
	case <-ctx.Done():
		return why(ctx)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.closed.Load() {
		o.messages = append(o.messages, out)
		o.start()
	}
	return nil
}

// begin takes in a subscription.
func (o *outbox) begin(op *operation, sub *execution.Subscription) {
	o.mu.Lock()
	op.sub = sub
	o.mu.Unlock()
	o.notify(op)
}

// notify says that a subscription may have answers to take; nothing, before it has begun.
func (o *outbox) notify(op *operation) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if op.sub != nil && !op.ready && !o.closed.Load() {
		o.ready.push(op)
		o.start()
	}
}

// track runs what needs the socket open; not once it is closed.
func (o *outbox) track(do func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.closed.Load() {
		o.running.Go(do)
	}
}

// close lets nothing in any more. What waits is still written if drain says so.
func (o *outbox) close(drain bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed.Load() {
		return
	}
	o.closed.Store(true)
	o.ready = readyList{}
	if !drain {
		o.messages = nil
	}
	o.start()
}

// start needs o.mu.
func (o *outbox) start() {
	if !o.writing {
		o.writing = true
		o.crew.add(o)
	}
}

// next takes what is to be written next: a message, or a subscription that may have answers.
func (o *outbox) next() (out outgoing, op *operation, some bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.messages) > 0 {
		out, o.messages = o.messages[0], o.messages[1:]
		if len(o.messages) == 0 {
			o.messages = nil
		}
		<-o.room
		return out, nil, true
	}
	op = o.ready.pop() // before it is asked: who notifies from now on is heard
	return out, op, op != nil
}

// rest ends the writing if nothing waits.
func (o *outbox) rest() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.messages) > 0 || o.ready.first != nil {
		return false
	}
	o.writing = false
	if o.closed.Load() {
		close(o.written)
	}
	return true
}

// fail drops what waits: nothing can be written any more.
func (o *outbox) fail() {
	o.end(errLost)
	o.close(false)
}
