package faults

import (
	"context"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	"rollcall/internal/auth"
	"rollcall/internal/redistest"
)

// badToken is the close code for a token that is not valid, or not any more.
const badToken websocket.StatusCode = 4403

// Sockets end with the token that opened them, on every node.
func TestATokenExpires(t *testing.T) {
	t.Parallel()
	tokens := auth.Config{Mode: auth.JWT, Secret: []byte("a secret of 32 bytes at the least")}
	s := newService(t, redistest.Start(t).URL(), 10*time.Second)
	s.env = append(s.env, "ROLLCALL_AUTH=jwt", "ROLLCALL_JWT_SECRET="+string(tokens.Secret))
	a, b := s.start(), s.start()
	expires := time.Now().Add(5 * time.Second).Truncate(time.Second) // as precise as a token is
	mint := func(expires time.Time) string {
		token, err := auth.Mint(tokens, auth.Caller{ID: "ann", Role: auth.User, ExpiresAt: expires})
		require.NoError(t, err)
		return token
	}
	token := mint(expires)
	queries := []string{
		`subscription { presenceChanged { cursor } }`,
		`subscription { session(input: {deviceId: "phone"}) { type } }`,
	}
	type end struct {
		code  websocket.StatusCode
		after time.Duration
	}
	ends := make(chan end, 2*len(queries))
	ctx, cancel := context.WithTimeout(t.Context(), startWithin)
	defer cancel()
	sockets := 0
	for _, n := range []*node{a, b} {
		for _, query := range queries {
			socket, err := subscribe(ctx, s.client, n.url, token, query, nil)
			require.NoError(t, err)
			defer socket.drop()
			var first any
			require.NoError(t, socket.next(ctx, &first))
			sockets++
			go func() {
				code := socket.closeCode(ctx)
				ends <- end{code, time.Since(expires)}
			}()
		}
	}
	var latest time.Duration
	for range sockets {
		end := <-ends
		require.Equal(t, badToken, end.code)
		require.Positive(t, end.after, "a socket ended before its token")
		latest = max(latest, end.after)
	}
	require.Less(t, latest, elsewhere)

	long := mint(time.Now().Add(-auth.Leeway - time.Second)) // nodes' clocks may differ by the leeway
	for _, n := range []*node{a, b} {
		var data any
		require.Equal(t, "UNAUTHENTICATED", code(s.post(t.Context(), n.url, long, `{ onlineCount }`, nil, &data)))
		for _, expired := range []string{token, long} {
			require.Equal(t, badToken, s.refusal(n, expired, queries[0]))
		}
	}
	suite.table.add(row{
		"24", "a token expires", "4 sockets on 2 nodes", latest, "the last socket was closed with 4403", account{},
	})
}

// refusal is the code with which a node closes a socket that is opened with a token.
func (s *service) refusal(n *node, token, query string) websocket.StatusCode {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), startWithin)
	defer cancel()
	socket, err := subscribe(ctx, s.client, n.url, token, query, nil)
	if err != nil {
		return websocket.CloseStatus(err)
	}
	defer socket.drop()
	return socket.closeCode(ctx)
}
