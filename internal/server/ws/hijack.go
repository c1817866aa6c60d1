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

// The sizes of a socket's buffers, in bytes. The HTTP server's are several times larger.
const (
	readBuffer    = 1 << 10 // most messages are shorter, and of others it is not the bound
	controlBuffer = 256     // a control frame, all that the WebSocket library writes itself
)

// hijacker hands out the network connection in a way that lets us write frames next to those of the WebSocket
// library, and keeps hold of it.
type hijacker struct {
	http.ResponseWriter
	conn *frameConn
}

var _ http.Hijacker = (*hijacker)(nil)

func (h *hijacker) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, rw, err := http.NewResponseController(h.ResponseWriter).Hijack()
	if err != nil {
		return nil, nil, err
	}
	h.conn = newFrameConn(conn)
	read := rw.Reader
	if read.Buffered() == 0 { // else the client did not wait for the handshake's end
		read = bufio.NewReaderSize(h.conn, readBuffer)
	}
	return h.conn, bufio.NewReadWriter(read, bufio.NewWriterSize(h.conn, controlBuffer)), nil
}

// setSendBuffer sets the size of a connection's send buffer, where there is one.
func setSendBuffer(conn net.Conn, bytes int) {
	if frames, ok := conn.(*frameConn); ok {
		conn = frames.Conn
	}
	if tls, ok := conn.(interface{ NetConn() net.Conn }); ok {
		conn = tls.NetConn()
	}
	if tcp, ok := conn.(interface{ SetWriteBuffer(bytes int) error }); ok {
		_ = tcp.SetWriteBuffer(bytes) // fails only for a connection that is closed
	}
}
