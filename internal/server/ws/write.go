package ws

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/coder/websocket"
)

// keptBuffer is the size up to which the writer keeps its buffer between messages, in bytes: most sockets are
// idle most of the time, and a large page should not stay in the memory of each.
const keptBuffer = 4 << 10

// enqueue hands a message to the writer. While the queue is full it waits. The error is the reason for the end
// of ctx.
func (s *socket) enqueue(ctx context.Context, out outgoing) error {
	select {
	case s.queue <- out:
		return nil
	case <-ctx.Done():
		return why(ctx)
	}
}

// write writes the queued messages, and pings the client, until ctx ends.
func (s *socket) write(ctx context.Context) {
	defer close(s.written)
	w := &writer{conn: s.conn, timeout: s.cfg.WriteTimeout}
	w.slow = time.AfterFunc(w.timeout, func() { s.end(errSlow) })
	defer w.slow.Stop()
	w.slow.Stop()
	ping := time.NewTimer(s.untilPing())
	defer ping.Stop()
	for {
		select {
		case <-ctx.Done():
			if why(ctx).drains() {
				s.drain(w)
			}
			return
		case out := <-s.queue:
			if w.write(out) != nil {
				s.end(errLost)
				return
			}
		case <-ping.C:
			s.running.Go(func() { s.ping(ctx) })
			ping.Reset(s.untilPing())
		}
	}
}

// drain writes what is queued.
func (s *socket) drain(w *writer) {
	for {
		select {
		case out := <-s.queue:
			if w.write(out) != nil {
				return
			}
		default:
			return
		}
	}
}

// writer writes messages to a connection.
type writer struct {
	conn    *websocket.Conn
	timeout time.Duration
	slow    *time.Timer // runs while a message is being written
	buf     []byte
}

func (w *writer) write(out outgoing) error {
	if out.op != nil && out.op.completed.Load() {
		return nil
	}
	w.buf = out.appendTo(w.buf[:0])
	w.slow.Reset(w.timeout)
	// The timer ends a write that takes too long rather than a context, since then the library would cut the
	// connection and no close frame could follow.
	err := w.conn.Write(context.Background(), websocket.MessageText, w.buf)
	w.slow.Stop()
	if cap(w.buf) > keptBuffer {
		w.buf = nil
	}
	return err
}

// ping pings the client and waits for its answer, which is the connection's pulse. A client that does not
// answer is closed.
func (s *socket) ping(ctx context.Context) {
	wait, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.cfg.PongTimeout)
	defer cancel()
	if err := s.conn.Ping(wait); err != nil {
		if wait.Err() != nil {
			s.end(errNoPong)
		} else {
			s.end(errLost)
		}
		return
	}
	s.pulse.Beat()
}

// untilPing is the time until the next ping, varied so that sockets opened together are not pinged together.
func (s *socket) untilPing() time.Duration {
	return time.Duration(float64(s.cfg.PingInterval) * (0.9 + 0.2*rand.Float64()))
}
