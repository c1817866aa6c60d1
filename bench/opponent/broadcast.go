package opponent

import (
	"bufio"
	"encoding/binary"
	"net"
	"net/http"
	"runtime"
	"sync"
)

// broadcast writes frames to all connections, from as many goroutines as there are processors.
type broadcast struct {
	writers []*writer

	mu     sync.Mutex
	joined int
}

// writer has a part of the connections.
type writer struct {
	frames chan []byte

	mu    sync.Mutex
	conns map[net.Conn]struct{}
}

// waiting is how many frames wait for a writer before who posts them has to.
const waiting = 64

func newBroadcast() *broadcast {
	b := &broadcast{}
	for range runtime.GOMAXPROCS(0) {
		w := &writer{frames: make(chan []byte, waiting), conns: make(map[net.Conn]struct{})}
		b.writers = append(b.writers, w)
		go w.write()
	}
	return b
}

func (b *broadcast) stop() {
	for _, w := range b.writers {
		close(w.frames)
	}
}

func (b *broadcast) tell(frame []byte) {
	for _, w := range b.writers {
		w.frames <- frame
	}
}

func (b *broadcast) join(conn net.Conn) {
	b.mu.Lock()
	w := b.writers[b.joined%len(b.writers)]
	b.joined++
	b.mu.Unlock()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.conns[conn] = struct{}{}
}

func (b *broadcast) leave(conn net.Conn) {
	for _, w := range b.writers {
		w.mu.Lock()
		delete(w.conns, conn)
		w.mu.Unlock()
	}
}

func (w *writer) write() {
	for frame := range w.frames {
		w.mu.Lock()
		for conn := range w.conns {
			_, _ = conn.Write(frame) // its reader sees that it has gone
		}
		w.mu.Unlock()
	}
}

// next is the message of an answer.
func next(payload []byte) []byte {
	return append(append([]byte(`{"id":"1","type":"next","payload":`), payload...), '}')
}

// frame is a message in a frame of WebSocket.
func frame(message []byte) []byte {
	const finalText = 0x81
	if len(message) < 126 {
		return append([]byte{finalText, byte(len(message))}, message...)
	}
	return append(binary.BigEndian.AppendUint16([]byte{finalText, 126}, uint16(len(message))), message...)
}

// hijacker keeps hold of the network connection.
type hijacker struct {
	http.ResponseWriter
	conn net.Conn
}

func (h *hijacker) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, rw, err := http.NewResponseController(h.ResponseWriter).Hijack()
	h.conn = conn
	return conn, rw, err
}
