package ws

import (
	"encoding/binary"
	"time"
)

// What is written at once, in bytes: messages are gathered up to flushAt, and after turn bytes
// it is the others' turn.
const (
	flushAt = 16 << 10
	turn    = 256 << 10
)

// writeQuickly writes what waits, as far as the connection takes it without waiting. The rest, and what
// comes meanwhile, is left to a goroutine that waits.
func (o *outbox) writeQuickly(w *writer) {
	for written := 0; written < turn; {
		o.fill(w)
		if len(w.buf) == 0 {
			if o.rest() {
				return
			}
			continue
		}
		n := o.conn.tryWrite(w.buf)
		if n < len(w.buf) {
			go o.writeSlowly(append([]byte(nil), w.buf[n:]...), n > 0)
			w.reset()
			return
		}
		written += n
		w.reset()
	}
	o.crew.add(o)
}

// writeSlowly writes what waits, beginning with what is left, however long the client takes up to the time-out.
// begun says that what is left is the end of a write that was tried.
func (o *outbox) writeSlowly(left []byte, begun bool) {
	w := &writer{buf: left}
	// The timer ends a write that takes too long. A deadline would leave half a frame behind, and no close
	// frame could follow.
	slow := time.AfterFunc(o.timeout, func() { o.end(errSlow) })
	defer slow.Stop()
	for {
		if len(w.buf) == 0 {
			o.fill(w)
		}
		if len(w.buf) == 0 {
			if o.rest() {
				return
			}
			continue
		}
		slow.Reset(o.timeout)
		write := o.conn.Write
		if begun {
			write, begun = o.conn.finishWrite, false
		}
		_, err := write(w.buf)
		slow.Stop()
		w.reset()
		if err != nil {
			o.fail()
		}
	}
}

// fill gathers what waits, up to flushAt.
func (o *outbox) fill(w *writer) {
	for len(w.buf) < flushAt {
		out, op, some := o.next()
		switch {
		case !some:
			return
		case op != nil:
			o.take(w, op)
		default:
			w.append(out)
		}
	}
}

// take gathers the answers that a subscription has now.
func (o *outbox) take(w *writer, op *operation) {
	for !op.completed.Load() && !o.closed.Load() {
		payload, ended := op.sub.Take()
		if payload != nil {
			w.append(outgoing{op, typeNext, payload})
		}
		if ended {
			if op.finish() {
				w.append(outgoing{op: op, kind: typeComplete})
			}
			op.cancel()
		}
		if payload == nil || ended {
			return
		}
		if len(w.buf) >= flushAt {
			o.notify(op) // others first
			return
		}
	}
}

// writer gathers messages, each in a frame of its own.
type writer struct{ buf []byte }

// keptBuffer is the size up to which a writer's buffer is kept, in bytes.
const keptBuffer = 64 << 10

func (w *writer) reset() {
	w.buf = w.buf[:0]
	if cap(w.buf) > keptBuffer {
		w.buf = nil
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
