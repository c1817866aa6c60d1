package main

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/coder/websocket/wsjson"
	"github.com/stretchr/testify/require"
)

// patience is how long a test waits for what should take a moment.
const patience = 20 * time.Second

// answer is a GraphQL response.
type answer struct {
	Data   json.RawMessage
	Errors []struct {
		Message    string
		Extensions struct {
			Code         string
			RetryAfterMs int
		}
	}
}

// into decodes the data of an answer without errors.
func (a answer) into(t testing.TB, data any) {
	t.Helper()
	require.Empty(t, a.Errors)
	require.NoError(t, json.Unmarshal(a.Data, data))
}

// code is the code of an answer's only error; empty if there is none.
func (a answer) code() string {
	if len(a.Errors) == 0 {
		return ""
	}
	return a.Errors[0].Extensions.Code
}

// post asks over HTTP as the bearer of token.
func post(t testing.TB, url, token, query string) answer {
	t.Helper()
	return postBody(t, url, token, encoded(t, map[string]string{"query": query}))
}

// postBody is post of a whole request; without a token it is anonymous.
func postBody(t testing.TB, url, token string, body []byte) answer {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"graphql", bytes.NewReader(body))
	require.NoError(t, err)
	req.Header.Set("Content-Type", "application/json")
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	res, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer func() { require.NoError(t, res.Body.Close()) }()
	var a answer
	require.NoError(t, json.NewDecoder(res.Body).Decode(&a))
	return a
}

// socket is a graphql-transport-ws connection.
type socket struct {
	t    *testing.T
	conn *websocket.Conn
}

// message is one message of the graphql-transport-ws protocol.
type message struct {
	ID      string          `json:"id,omitempty"`
	Type    string          `json:"type"`
	Payload json.RawMessage `json:"payload,omitempty"`
}

// connect opens a socket as the bearer of token.
func connect(t *testing.T, url, token string) *socket {
	t.Helper()
	s := open(t, url, token)
	require.Equal(t, "connection_ack", s.read().Type)
	return s
}

// open opens a socket with a token that may be refused.
func open(t *testing.T, url, token string) *socket {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	conn, res, err := websocket.Dial(ctx, strings.Replace(url, "http", "ws", 1)+"graphql", &websocket.DialOptions{
		Subprotocols: []string{"graphql-transport-ws"},
	})
	require.NoError(t, err)
	if res.Body != nil {
		require.NoError(t, res.Body.Close())
	}
	t.Cleanup(func() { _ = conn.CloseNow() })
	s := &socket{t, conn}
	s.write(message{Type: "connection_init", Payload: encoded(t, map[string]string{"Authorization": "Bearer " + token})})
	return s
}

// subscribe starts an operation.
func (s *socket) subscribe(id, query string) {
	s.t.Helper()
	s.write(message{ID: id, Type: "subscribe", Payload: encoded(s.t, map[string]string{"query": query})})
}

// next decodes the data of the next message, which must be an operation's answer.
func (s *socket) next(data any) {
	s.t.Helper()
	m := s.read()
	require.Equal(s.t, "next", m.Type, string(m.Payload))
	var a answer
	require.NoError(s.t, json.Unmarshal(m.Payload, &a))
	a.into(s.t, data)
}

// closed waits for the end of the socket and returns its code.
func (s *socket) closed() websocket.StatusCode {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), patience)
	defer cancel()
	for {
		if _, _, err := s.conn.Read(ctx); err != nil {
			return websocket.CloseStatus(err)
		}
	}
}

func (s *socket) write(m message) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), patience)
	defer cancel()
	require.NoError(s.t, wsjson.Write(ctx, s.conn, m))
}

func (s *socket) read() message {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), patience)
	defer cancel()
	for {
		var m message
		require.NoError(s.t, wsjson.Read(ctx, s.conn, &m))
		if m.Type != "ping" {
			return m
		}
		s.write(message{Type: "pong"})
	}
}

func encoded(t testing.TB, v any) json.RawMessage {
	t.Helper()
	b, err := json.Marshal(v)
	require.NoError(t, err)
	return b
}
