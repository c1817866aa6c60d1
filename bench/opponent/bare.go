// Package opponent is the servers that Rollcall is compared with: one that does
// nothing but what any must do, and stock gqlgen over the same store.
package opponent

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/coder/websocket"
	"github.com/go-chi/chi/v5"
)

// Heartbeat is what the bare server answers to any POST: as many bytes as Rollcall
// answers to a heartbeat.
const Heartbeat = `{"data":{"heartbeat":{"outcome":"REFRESHED","session":"AQAAAZrAEjRWeKq7zN3u_xE","serverTime":"2026-01-01T00:00:00.000Z","expiresAt":"2026-01-01T00:01:00.000Z","nextHeartbeatInMs":24000}}}`

// ServeBare serves until ctx ends: POST /graphql reads the body and answers Heartbeat,
// a WebSocket there is told whatever is posted to /frame, in a frame made once.
func ServeBare(ctx context.Context, addr string) error {
	b := newBroadcast()
	defer b.stop()
	r := chi.NewRouter()
	r.Get("/readyz", func(http.ResponseWriter, *http.Request) {})
	r.Post("/graphql", func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.ReadAll(r.Body); err != nil {
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, Heartbeat) // a client that has gone misses nothing
	})
	r.Get("/graphql", b.serve)
	r.Post("/frame", func(w http.ResponseWriter, r *http.Request) {
		payload, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		b.tell(frame(next(payload)))
		w.WriteHeader(http.StatusOK)
	})
	return serve(ctx, addr, r)
}

func serve(ctx context.Context, addr string, h http.Handler) error {
	s := &http.Server{
		Addr: addr, Handler: h, ReadHeaderTimeout: time.Minute,
		BaseContext: func(net.Listener) context.Context { return ctx },
	}
	stop := context.AfterFunc(ctx, func() { _ = s.Close() })
	defer stop()
	if err := s.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// serve takes in a subscriber by the same messages as any server of the protocol,
// without a look at what they say.
func (b *broadcast) serve(w http.ResponseWriter, r *http.Request) {
	h := &hijacker{ResponseWriter: w}
	conn, err := websocket.Accept(h, r, &websocket.AcceptOptions{Subprotocols: []string{"graphql-transport-ws"}})
	if err != nil {
		return // the client has been told by the library
	}
	defer func() { _ = conn.CloseNow() }()
	if _, _, err := conn.Read(r.Context()); err != nil { // connection_init
		return
	}
	if err := conn.Write(r.Context(), websocket.MessageText, []byte(`{"type":"connection_ack"}`)); err != nil {
		return
	}
	if _, _, err := conn.Read(r.Context()); err != nil { // subscribe
		return
	}
	b.join(h.conn) // before the client may count on it
	defer b.leave(h.conn)
	if err := conn.Write(r.Context(), websocket.MessageText, next([]byte(`{"data":null}`))); err != nil {
		return
	}
	_, _, _ = conn.Read(r.Context()) // until the client goes
}
