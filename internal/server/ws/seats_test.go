package ws

import (
	"net/http"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"
)

func TestAUserHasOnlySoManySockets(t *testing.T) {
	f := serve(t, Config{MaxUserSockets: 2})
	first := f.connect(t, "ann")
	f.connect(t, "ann")
	f.connect(t, "bob")
	third := f.dial(t, nil)
	third.send(`{"type":"connection_init","payload":{"Authorization":"Bearer ann"}}`)
	third.expectClose(websocket.StatusTryAgainLater)

	require.NoError(t, first.conn.Close(websocket.StatusNormalClosure, ""))
	require.Eventually(t, func() bool { return f.Sockets() == 2 }, patience, time.Millisecond)
	f.connect(t, "ann")
	require.Len(t, f.seats.byUser, 2)
}

func TestSeatsAreForgotten(t *testing.T) {
	f := serve(t, Config{MaxUserSockets: 1})
	for range 10 {
		c := f.connect(t, "ann")
		require.NoError(t, c.conn.CloseNow())
		f.expectGone(t, patience)
	}
	require.Empty(t, f.seats.byUser)
}

func TestAServerHasOnlySoManySockets(t *testing.T) {
	f := serve(t, Config{MaxSockets: 1})
	only := f.connect(t, "ann")
	_, response, err := websocket.Dial(t.Context(), f.http.URL, &websocket.DialOptions{
		HTTPClient: f.http.Client(), Subprotocols: []string{subprotocol},
	})
	require.Error(t, err)
	require.Equal(t, http.StatusServiceUnavailable, response.StatusCode)
	require.Equal(t, "5", response.Header.Get("Retry-After"))
	require.NoError(t, response.Body.Close())

	require.NoError(t, only.conn.CloseNow())
	f.expectGone(t, patience)
	f.connect(t, "bob")
}
