package ws

import (
	"net"
	"sync"
	"syscall"
)

// frameConn is a connection of which each Write is whole frames, ours or the WebSocket library's.
type frameConn struct {
	net.Conn
	mu  sync.Mutex
	raw syscall.RawConn // nil where a write can't be tried, as under TLS

	// Of the write that is being tried, which mu guards:
	trying []byte
	taken  int
	try    func(fd uintptr)
}

func newFrameConn(conn net.Conn) *frameConn {
	c := &frameConn{Conn: conn}
	if tcp, ok := conn.(*net.TCPConn); ok {
		if raw, err := tcp.SyscallConn(); err == nil {
			c.raw = raw
		}
	}
	c.try = func(fd uintptr) {
		if n := writeOnce(fd, c.trying); n > 0 {
			c.taken = n
		}
	}
	return c
}

func (c *frameConn) Write(frames []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.Conn.Write(frames)
}

// tryWrite writes what the connection takes without waiting, and returns how much that is. If that is a part, no other
// write comes between it and the finishWrite that must follow; if nothing, a Write says what was wrong.
func (c *frameConn) tryWrite(frames []byte) int {
	if c.raw == nil || !c.mu.TryLock() {
		return 0
	}
	c.trying, c.taken = frames, 0
	_ = c.raw.Control(c.try) // which does not wait, as Write might, and fails if the connection is closed, as the write after it will
	c.trying = nil
	if c.taken == 0 || c.taken == len(frames) {
		c.mu.Unlock()
	}
	return c.taken
}

// finishWrite writes what a tryWrite has left.
func (c *frameConn) finishWrite(rest []byte) (int, error) {
	defer c.mu.Unlock()
	return c.Conn.Write(rest)
}
