package faults

import (
	"bytes"
	"errors"
	"io"
	"net"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// proxy is a network between whoever dials it and one server, that can be broken.
type proxy struct {
	addr   string
	target string
	carry  func(near, far net.Conn) // what passes between a client and the server, until one ends

	mu     sync.Mutex
	open   chan struct{} // closed while bytes pass
	cut    bool
	conns  map[net.Conn]bool
	held   int // connections that the server has not ended
	closed bool
	wg     sync.WaitGroup
}

// startProxy starts a proxy to target, a host:port.
func startProxy(t *testing.T, target string) *proxy {
	t.Helper()
	p := &proxy{target: target}
	p.carry = p.passBoth
	p.start(t)
	return p
}

func (p *proxy) start(t *testing.T) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	p.addr, p.open, p.conns = listener.Addr().String(), make(chan struct{}), map[net.Conn]bool{}
	close(p.open)
	p.wg.Go(func() { p.accept(listener) })
	t.Cleanup(func() {
		_ = listener.Close()
		p.mu.Lock()
		p.closed = true
		p.mu.Unlock()
		p.heal()
		p.drop()
		p.wg.Wait()
	})
}

// blackhole lets no byte pass, and no FIN, in either direction; nobody is told. What
// is under way arrives after heal, as TCP's retransmissions would.
func (p *proxy) blackhole() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.open = make(chan struct{})
}

// sever resets all connections, and new ones at once.
func (p *proxy) sever() {
	p.mu.Lock()
	p.cut = true
	p.mu.Unlock()
	p.drop()
}

// heal ends a blackhole or a sever.
func (p *proxy) heal() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cut = false
	select {
	case <-p.open:
	default:
		close(p.open)
	}
}

// drop resets all connections.
func (p *proxy) drop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for conn := range p.conns {
		reset(conn)
	}
}

func reset(conn net.Conn) {
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = conn.Close()
}

func (p *proxy) accept(listener net.Listener) {
	for {
		near, err := listener.Accept()
		if err != nil {
			return // closed
		}
		p.wg.Go(func() { p.serve(near) })
	}
}

// keep remembers a connection for drop, unless it must not be.
func (p *proxy) keep(conn net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cut || p.closed {
		reset(conn)
		return false
	}
	p.conns[conn] = true
	return true
}

func (p *proxy) lose(conn net.Conn) {
	_ = conn.Close()
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.conns, conn)
}

func (p *proxy) serve(near net.Conn) {
	if !p.keep(near) {
		return
	}
	defer p.lose(near)
	p.await()
	far, err := net.Dial("tcp", p.target)
	if err != nil {
		return
	}
	if !p.keep(far) {
		return
	}
	defer p.lose(far)
	p.carry(near, far)
}

func (p *proxy) passBoth(near, far net.Conn) {
	p.count(1)
	var both sync.WaitGroup
	both.Go(func() { p.pass(far, near, func() {}) })
	p.pass(near, far, func() { p.count(-1) })
	both.Wait()
}

func (p *proxy) count(by int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.held += by
}

// heldByServer is how many connections the server has not ended, of those that have reached
// it; whether or not the other side was told.
func (p *proxy) heldByServer() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.held
}

// pass passes bytes from one to the other, and its end, of which ended is told at once.
// What can't pass is held.
func (p *proxy) pass(to, from net.Conn, ended func()) {
	held := make(chan []byte, 1<<10) // more than anybody sends without an answer
	var writing sync.WaitGroup
	writing.Go(func() {
		for chunk := range held {
			p.await()
			if _, err := to.Write(chunk); err != nil {
				_ = from.Close() // the reader ends, and with it the rest of what is held
			}
		}
	})
	buffer := make([]byte, 32<<10)
	var end error
	for end == nil {
		n, err := from.Read(buffer)
		if n > 0 {
			held <- bytes.Clone(buffer[:n])
		}
		end = err
	}
	ended()
	close(held)
	writing.Wait()
	p.await()
	if tcp, ok := to.(*net.TCPConn); ok && errors.Is(end, io.EOF) {
		_ = tcp.CloseWrite()
		return
	}
	_ = to.Close()
}

// await waits while nothing passes.
func (p *proxy) await() {
	p.mu.Lock()
	open := p.open
	p.mu.Unlock()
	<-open
}
