package ws

import (
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	"rollcall/internal/auth"
	"rollcall/internal/server/origin"
	"rollcall/internal/server/servertest"
)

func TestSubprotocol(t *testing.T) {
	f := serve(t, Config{})
	for _, protocols := range [][]string{nil, {"graphql-ws"}} {
		f.dialProtocol(t, nil, protocols...).expectClose(4406)
	}
	c := f.dialProtocol(t, nil, "graphql-ws", subprotocol)
	require.Equal(t, subprotocol, c.conn.Subprotocol())
}

// Case 27 (docs/cases.md): an evil page must not open a socket in the name of its reader.
func TestOrigin(t *testing.T) {
	origins, err := origin.Parse([]string{"https://app.example.com"})
	require.NoError(t, err)
	f := serve(t, Config{Origins: origins})
	own := f.http.Listener.Addr().String()
	for _, tt := range []struct {
		origin  string
		allowed bool
	}{
		{"", true},
		{"http://" + own, true},
		{"https://app.example.com", true},
		{"https://a.app.example.com", false},
		{"http://app.example.com", false},
		{"https://app.example.com.evil.test", false},
		{"https://evil.test", false},
		{"https://evil.test#" + own, false},
		{"null", false},
		{"file://", false},
	} {
		t.Run(tt.origin, func(t *testing.T) {
			header := http.Header{}
			if tt.origin != "" {
				header.Set("Origin", tt.origin)
			}
			conn, response, err := websocket.Dial(t.Context(), f.http.URL, &websocket.DialOptions{
				HTTPClient: f.http.Client(), HTTPHeader: header, Subprotocols: []string{subprotocol},
			})
			if tt.allowed {
				require.NoError(t, err)
				require.NoError(t, conn.CloseNow())
				return
			}
			require.Error(t, err)
			require.Equal(t, http.StatusForbidden, response.StatusCode)
			require.NoError(t, response.Body.Close())
		})
	}
}

func TestInitNamesTheCaller(t *testing.T) {
	f := serve(t, Config{})
	handshake := http.Header{"Authorization": {"Bearer hal"}}
	for _, tt := range []struct {
		name, payload string
		header        http.Header
		who           string
	}{
		{"payload", `{"Authorization":"Bearer ann"}`, nil, `"ann"`},
		{"payload, key in another case", `{"authorization":"Bearer ann"}`, nil, `"ann"`},
		{"payload, token alone", `{"Authorization":"ann"}`, nil, `"ann"`},
		{"handshake", `{}`, handshake, `"hal"`},
		{"handshake, payload null", `null`, handshake, `"hal"`},
		{"payload goes first", `{"Authorization":"Bearer ann"}`, handshake, `"ann"`},
		{"anonymous", `{"Authorization":null,"other":[1]}`, nil, `null`},
		{"anonymous, empty", `{"Authorization":""}`, nil, `null`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := f.dial(t, tt.header)
			c.send(`{"type":"connection_init","payload":` + tt.payload + `}`)
			c.expect(`{"type":"connection_ack"}`)
			c.subscribe("1", `{ who }`)
			c.expectNext("1", `{"data":{"who":`+tt.who+`}}`)
			c.expectComplete("1")
		})
	}
}

// Whatever a server takes over HTTP it takes in connection_init, and the token alone as well.
func TestInitTakesTokensOfEachMode(t *testing.T) {
	dev, err := auth.New(auth.Config{Mode: auth.Dev}, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	signing := auth.Config{Mode: auth.JWT, Secret: []byte(strings.Repeat("s", auth.MinSecretBytes))}
	signed, err := auth.New(signing, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	token, err := auth.Mint(signing, auth.Caller{ID: "ann", Role: auth.User, ExpiresAt: time.Now().Add(time.Hour)})
	require.NoError(t, err)

	for token, authenticator := range map[string]auth.Authenticator{"dev:ann": dev, token: signed} {
		f := serve(t, Config{Authenticator: authenticator})
		for _, scheme := range []string{"Bearer ", "bearer ", "BEARER ", ""} {
			c := f.dial(t, nil)
			c.send(`{"type":"connection_init","payload":{"Authorization":"` + scheme + token + `"}}`)
			c.expect(`{"type":"connection_ack"}`)
			c.subscribe("1", `{ who }`)
			c.expectNext("1", `{"data":{"who":"ann"}}`)
		}
		for _, refused := range []string{"Basic " + token, "Bearer", "Bearer ", " " + token, token + `\u0000`} {
			c := f.dial(t, nil)
			c.send(`{"type":"connection_init","payload":{"Authorization":"` + refused + `"}}`)
			c.expectClose(4403)
		}
		c := f.dial(t, http.Header{"Authorization": {token}}) // over HTTP the scheme is required
		c.send(`{"type":"connection_init"}`)
		c.expectClose(4403)
	}
}

func TestInitWithBadToken(t *testing.T) {
	f := serve(t, Config{})
	c := f.dial(t, nil)
	c.send(`{"type":"connection_init","payload":{"Authorization":"Bearer bad"}}`)
	c.expectClose(4403)

	c = f.dial(t, http.Header{"Authorization": {"nonsense"}})
	c.send(`{"type":"connection_init"}`)
	c.expectClose(4403)
}

// Clients take 4403 for a token that they should not bring again, which nobody can say here.
func TestInitWithATokenThatCannotBeChecked(t *testing.T) {
	f := serve(t, Config{})
	c := f.dial(t, nil)
	c.send(`{"type":"connection_init","payload":{"Authorization":"Bearer unchecked"}}`)
	c.expectClose(1013)
}

func TestInitOrder(t *testing.T) {
	f := serve(t, Config{})
	c := f.dial(t, nil)
	c.subscribe("1", `{ who }`)
	c.expectClose(4401)

	c = f.connect(t, "ann")
	c.send(`{"type":"connection_init"}`)
	c.expectClose(4429)

	c = f.dial(t, nil)
	c.send(`{"type":"ping","payload":{"n":1}}`)
	c.expect(`{"type":"pong","payload":{"n":1}}`)
	c.send(`{"type":"connection_init"}`)
	c.send(`{"type":"connection_init"}`)
	c.expect(`{"type":"connection_ack"}`) // what was queued before the close is still sent
	c.expectClose(4429)
}

func TestInitTimeout(t *testing.T) {
	f := serve(t, Config{InitTimeout: 50 * time.Millisecond})
	f.dial(t, nil).expectClose(4408)

	c := f.connect(t, "ann")
	c.subscribe("1", `subscription { tick }`)
	f.schema.Ticks <- "a"
	c.expectNext("1", `{"data":{"tick":"a"}}`)
	require.Never(t, func() bool { return f.Sockets() == 0 }, 150*time.Millisecond, 10*time.Millisecond)
}

// Within the authenticator's leeway too: a client that was acknowledged would forget that it fails.
func TestExpiredTokenIsNotAcknowledged(t *testing.T) {
	now := time.Now()
	f := serve(t, Config{
		Authenticator: servertest.Authenticator{ExpiresAt: now},
		Now:           func() time.Time { return now },
	})
	c := f.dial(t, nil)
	c.send(`{"type":"connection_init","payload":{"Authorization":"Bearer ann"}}`)
	c.expectClose(4403)
}

func TestExpiredTokenClosesTheSocket(t *testing.T) {
	now := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	f := serve(t, Config{
		Now:           func() time.Time { return now },
		Authenticator: servertest.Authenticator{ExpiresAt: now.Add(100 * time.Millisecond)},
	})
	c := f.connect(t, "ann")
	c.subscribe("1", `subscription { tick }`)
	begin := time.Now()
	c.expectClose(4403)
	require.Less(t, time.Since(begin), time.Second)
	f.expectGone(t, patience)
}
