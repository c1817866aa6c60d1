package ws

import (
	"context"
	"errors"
	"runtime/debug"
	"sync"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/coder/websocket"

	"rollcall/internal/pulse"
)

// closeTimeout is how long a closing socket may take to write what is queued and to hear the client's close
// frame. With it a stalled reader is gone one second after the write timeout at the latest.
const closeTimeout = 800 * time.Millisecond

// socket is one client's connection.
type socket struct {
	cfg  *Config
	exec graphql.GraphExecutor
	conn *websocket.Conn
	raw  *frameConn // what conn runs on
	// authorization is the handshake's header, used if connection_init brings none.
	authorization string
	pulse         pulse.Pulse

	// end ends the connection's context; the first reason counts.
	end  func(why error)
	out  *outbox
	left chan struct{} // closed when serve has ended

	seats *seats

	ops     operations
	slots   chan struct{}  // one for each goroutine of an operation
	running sync.WaitGroup // operations

	// Of the reader alone:
	expiry       *time.Timer     // closes the socket when the token ends
	seated       string          // the user whose seat the socket has; "": it has none
	lastMutation <-chan struct{} // closed when the latest mutation has ended
}

func newSocket(
	cfg *Config, crew *crew, conn *websocket.Conn, raw *frameConn, exec graphql.GraphExecutor, authorization string,
) *socket {
	return &socket{
		cfg: cfg, exec: exec, conn: conn, raw: raw, authorization: authorization,
		out:   newOutbox(raw, crew, cfg),
		left:  make(chan struct{}),
		slots: make(chan struct{}, cfg.MaxOperations),
	}
}

// serve talks with the client until the socket is closed and all its goroutines have ended. ctx is the
// connection's, the one that s.end ends.
func (s *socket) serve(ctx context.Context) {
	begin := s.cfg.Now()
	closed := make(chan struct{})
	context.AfterFunc(ctx, func() {
		defer close(closed)
		s.close(why(ctx))
	})
	pings := s.startPings(ctx)
	defer func() {
		if panicked := recover(); panicked != nil {
			s.cfg.Log.ErrorContext(ctx, "panic on a websocket", "panic", panicked, "stack", string(debug.Stack()))
			s.end(errInternal)
		}
		<-closed
		pings.Stop()
		s.running.Wait()
		s.out.running.Wait()
		s.cfg.Log.DebugContext(ctx, "websocket closed",
			"code", int(why(ctx).code), "reason", why(ctx).reason, "lasted", s.cfg.Now().Sub(begin))
	}()

	if s.conn.Subprotocol() == "" {
		s.end(errSubprotocol)
	}
	s.end(s.read(ctx))
}

// close writes what is queued and the close frame, waits for the client's, and cuts the connection.
func (s *socket) close(c closing) {
	cut := time.AfterFunc(closeTimeout, func() { _ = s.raw.Close() })
	defer cut.Stop()
	setSendBuffer(s.raw, sendBufferClosing)
	s.out.close(c.drains())
	<-s.out.written
	_ = s.conn.Close(c.code, c.reason) // fails where the client has gone, and then there is nobody to tell
}

// why is the reason for the end of a connection's context.
func why(ctx context.Context) closing {
	var c closing
	if errors.As(context.Cause(ctx), &c) {
		return c
	}
	return errInternal
}
