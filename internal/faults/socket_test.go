package faults

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/coder/websocket"
	"github.com/coder/websocket/wsjson"
)

// socket is a graphql-transport-ws connection with one operation.
type socket struct{ conn *websocket.Conn }

// message is one message of the protocol.
type message struct {
	ID      string          `json:"id,omitempty"`
	Type    string          `json:"type"`
	Payload json.RawMessage `json:"payload,omitempty"`
}

// errComplete is the end of an operation that the server completed.
var errComplete = errors.New("complete")

// subscribe opens a socket and starts an operation on it.
func subscribe(ctx context.Context, client *http.Client, url, token, query string, vars variables) (*socket, error) {
	// The socket outlives the client's time-out, which is for requests.
	dialer := &http.Client{Transport: client.Transport}
	conn, res, err := websocket.Dial(ctx, strings.Replace(url, "http", "ws", 1)+"/graphql", &websocket.DialOptions{
		Subprotocols: []string{"graphql-transport-ws"}, HTTPClient: dialer,
	})
	if err != nil {
		return nil, err
	}
	if res.Body != nil {
		_ = res.Body.Close()
	}
	conn.SetReadLimit(-1) // a delta may be large
	s := &socket{conn}
	if err := s.open(ctx, token, request{query, vars}); err != nil {
		s.drop()
		return nil, err
	}
	return s, nil
}

func (s *socket) open(ctx context.Context, token string, operation request) error {
	if err := s.write(ctx, message{Type: "connection_init"}, map[string]string{"Authorization": "Bearer " + token}); err != nil {
		return err
	}
	m, err := s.read(ctx)
	if err != nil {
		return err
	}
	if m.Type != "connection_ack" {
		return fmt.Errorf("%s instead of connection_ack", m.Type)
	}
	return s.write(ctx, message{ID: "1", Type: "subscribe"}, operation)
}

// next decodes the operation's next answer. The error is a [*refusal] if the answer
// has one, and errComplete at the end.
func (s *socket) next(ctx context.Context, data any) error {
	m, err := s.read(ctx)
	if err != nil {
		return err
	}
	var a answer
	switch m.Type {
	case "next":
		err = json.Unmarshal(m.Payload, &a)
	case "error":
		err = json.Unmarshal(m.Payload, &a.Errors)
	case "complete":
		return errComplete
	default:
		return fmt.Errorf("unexpected message %s", m.Type)
	}
	if err != nil {
		return err
	}
	return a.into(data)
}

// closeCode waits until the server has closed the socket, and returns the code with which; -1
// without one.
func (s *socket) closeCode(ctx context.Context) websocket.StatusCode {
	for {
		if _, err := s.read(ctx); err != nil {
			return websocket.CloseStatus(err)
		}
	}
}

// drop ends the socket without a close frame, as a lost network does that is noticed.
func (s *socket) drop() { _ = s.conn.CloseNow() }

func (s *socket) write(ctx context.Context, m message, payload any) error {
	var err error
	if m.Payload, err = json.Marshal(payload); err != nil {
		return err
	}
	return wsjson.Write(ctx, s.conn, m)
}

func (s *socket) read(ctx context.Context) (message, error) {
	for {
		var m message
		if err := wsjson.Read(ctx, s.conn, &m); err != nil {
			return m, err
		}
		if m.Type != "ping" {
			return m, nil
		}
		if err := wsjson.Write(ctx, s.conn, message{Type: "pong"}); err != nil {
			return m, err
		}
	}
}
