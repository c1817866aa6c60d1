package ws

import (
	"bufio"
	"net"
	"net/http"
)

// The kernel's send buffer of a socket, in bytes. Left to itself it grows to several MiB for a client that does
// not read; and once it is full no close frame can follow, so it is widened when the socket closes, which lets
// the write that waits and the close frame through.
const (
	sendBuffer        = 64 << 10
	sendBufferClosing = 200 << 10
)

// hijacker keeps hold of the network connection that it hands out, which the WebSocket library does not show.
type hijacker struct {
	http.ResponseWriter
	conn net.Conn
}

var _ http.Hijacker = (*hijacker)(nil)

func (h *hijacker) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, rw, err := http.NewResponseController(h.ResponseWriter).Hijack()
	h.conn = conn
	return conn, rw, err
}

// setSendBuffer sets the size of a connection's send buffer, where there is one.
func setSendBuffer(conn net.Conn, bytes int) {
	if tls, ok := conn.(interface{ NetConn() net.Conn }); ok {
		conn = tls.NetConn()
	}
	if tcp, ok := conn.(interface{ SetWriteBuffer(bytes int) error }); ok {
		_ = tcp.SetWriteBuffer(bytes) // fails only for a connection that is closed
	}
}
