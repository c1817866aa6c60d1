package ws

import (
	"context"
	"encoding/binary"
	"net"
	"sync"
	"time"
)

// flushAt is how many bytes of messages are gathered for one write. What waits behind a
// large message is written after it.
const flushAt = 16 << 10

// outbox is what waits to be written to a socket: messages, and subscriptions that may have
// answers to take. It has no goroutine while there is nothing to write: whoever puts something
// in starts the writing, if it isn't under way.
type outbox struct {
	conn    net.Conn
	timeout time.Duration
	end     func(why error)
	room    chan struct{} // a token for each message that waits

	running sync.WaitGroup

	mu       sync.Mutex
	messages []outgoing
	ready    []*operation // those that may have answers
	writing  bool
	closed   bool
	written  chan struct{} // closed when closed, and nothing is written any more
}

func newOutbox(conn net.Conn, cfg *Config) *outbox {
	return &outbox{
		conn: conn, timeout: cfg.WriteTimeout, room: make(chan struct{}, cfg.Queue), written: make(chan struct{}),
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
	if !o.closed {
		o.messages = append(o.messages, out)
		o.start()
	}
	return nil
}

// notify says that a subscription may have answers to take.
func (o *outbox) notify(op *operation) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.closed && !op.ready {
		op.ready = true
		o.ready = append(o.ready, op)
		o.start()
	}
}

// track runs what needs the socket open; not once it is closed.
func (o *outbox) track(do func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.closed {
		o.running.Go(do)
	}
}

// close lets nothing in any more. What waits is still written if drain says so.
func (o *outbox) close(drain bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return
	}
	o.closed, o.ready = true, nil
	if !drain {
		o.messages = nil
	}
	o.start()
}

// start needs o.mu.
func (o *outbox) start() {
	if !o.writing {
		o.writing = true
		o.running.Go(o.write)
	}
}

// next is what is to be written next; false if there is nothing, and the writing has ended.
func (o *outbox) next() (messages []outgoing, ready []*operation, more bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.messages) == 0 && len(o.ready) == 0 {
		o.writing = false
		if o.closed {
			close(o.written)
		}
		return nil, nil, false
	}
	messages, ready = o.messages, o.ready
	o.messages, o.ready = nil, nil
	for _, op := range ready {
		op.ready = false // before it is asked: who notifies from now on is heard
	}
	return messages, ready, true
}

// fail drops what waits: nothing can be written any more.
func (o *outbox) fail() {
	o.end(errLost)
	o.close(false)
}

// isClosed says whether answers are still wanted.
func (o *outbox) isClosed() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.closed
}

// write writes until there is nothing to write.
func (o *outbox) write() {
	w := writers.Get().(*writer)
	defer w.release()
	// Ends a write that takes too long. A deadline would leave half a frame behind, and no close frame
	// could follow.
	slow := time.AfterFunc(o.timeout, func() { o.end(errSlow) })
	defer slow.Stop()
	flush := func() bool {
		if len(w.buf) == 0 {
			return true
		}
		slow.Reset(o.timeout)
		_, err := o.conn.Write(w.buf)
		slow.Stop()
		w.buf = w.buf[:0]
		if err != nil {
			o.fail()
		}
		return err == nil
	}
	slow.Stop()
	for {
		messages, ready, more := o.next()
		if !more {
			return
		}
		for _, out := range messages {
			<-o.room
			w.append(out)
			if len(w.buf) >= flushAt && !flush() {
				break
			}
		}
		for _, op := range ready {
			o.take(w, op, flush)
		}
		flush()
	}
}

// take writes the answers that a subscription has now.
func (o *outbox) take(w *writer, op *operation, flush func() bool) {
	for !op.completed.Load() && !o.isClosed() {
		payload, ended := op.sub.Take()
		if payload != nil {
			w.append(outgoing{op, typeNext, payload})
		}
		if ended {
			o.finish(w, op)
		}
		if payload == nil || ended {
			return
		}
		if len(w.buf) >= flushAt {
			if flush() {
				o.notify(op) // others first
			}
			return
		}
	}
}

// finish ends a subscription that has had its last answer.
func (o *outbox) finish(w *writer, op *operation) {
	if op.finish() {
		w.append(outgoing{op: op, kind: typeComplete})
	}
	op.cancel()
}

// writer gathers messages, each in a frame of its own.
type writer struct{ buf []byte }

var writers = sync.Pool{New: func() any { return new(writer) }}

// keptBuffer is the size up to which a writer's buffer is kept for others, in bytes.
const keptBuffer = 64 << 10

func (w *writer) release() {
	if cap(w.buf) <= keptBuffer {
		w.buf = w.buf[:0]
		writers.Put(w)
	}
}

// append appends a message as a text frame, unless the client has completed its operation.
func (w *writer) append(out outgoing) {
	if out.op != nil && out.op.completed.Load() {
		return
	}
	const finalText = 0x81
	n := out.size()
	switch {
	case n < 126:
		w.buf = append(w.buf, finalText, byte(n))
	case n < 1<<16:
		w.buf = binary.BigEndian.AppendUint16(append(w.buf, finalText, 126), uint16(n))
	default:
		w.buf = binary.BigEndian.AppendUint64(append(w.buf, finalText, 127), uint64(n))
	}
	w.buf = out.appendTo(w.buf)
}
