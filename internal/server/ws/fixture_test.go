package ws

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/99designs/gqlgen/graphql/handler"
	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"rollcall/internal/server/servertest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patience is how long a test waits for something that should happen at once.
const patience = 10 * time.Second

// fixture is a server with one transport.
type fixture struct {
	*Transport
	schema *servertest.Schema
	http   *httptest.Server
}

func serve(t *testing.T, cfg Config) *fixture {
	t.Helper()
	if cfg.Authenticator == nil {
		cfg.Authenticator = servertest.Authenticator{}
	}
	f := &fixture{Transport: New(cfg), schema: servertest.NewSchema()}
	h := handler.New(f.schema)
	h.AddTransport(f.Transport)
	h.SetErrorPresenter(servertest.Present)
	h.SetRecoverFunc(servertest.Recover)
	f.http = httptest.NewServer(h)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		require.NoError(t, f.Shutdown(ctx))
		require.Eventually(t, func() bool { return f.schema.Streaming() == 0 }, patience, time.Millisecond)
		f.http.Close()
	})
	return f
}

// client is one client's socket.
type client struct {
	t    *testing.T
	conn *websocket.Conn
	raw  net.Conn
}

// dial opens a socket.
func (f *fixture) dial(t *testing.T, header http.Header) *client {
	t.Helper()
	return f.dialProtocol(t, header, subprotocol)
}

func (f *fixture) dialProtocol(t *testing.T, header http.Header, protocols ...string) *client {
	t.Helper()
	c := &client{t: t}
	transport := &http.Transport{DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
		conn, err := new(net.Dialer).DialContext(ctx, network, addr)
		c.raw = conn
		return conn, err
	}}
	t.Cleanup(transport.CloseIdleConnections)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	conn, _, err := websocket.Dial(ctx, f.http.URL, &websocket.DialOptions{
		HTTPClient: &http.Client{Transport: transport}, HTTPHeader: header, Subprotocols: protocols,
	})
	require.NoError(t, err)
	conn.SetReadLimit(-1)
	c.conn = conn
	t.Cleanup(func() { _ = conn.CloseNow() })
	return c
}

// connect opens a socket as a caller and gets it acknowledged.
func (f *fixture) connect(t *testing.T, name string) *client {
	t.Helper()
	c := f.dial(t, nil)
	c.send(`{"type":"connection_init","payload":{"Authorization":"Bearer ` + name + `"}}`)
	c.expect(`{"type":"connection_ack"}`)
	return c
}

func (c *client) send(message string) {
	c.t.Helper()
	c.sendKind(websocket.MessageText, []byte(message))
}

func (c *client) sendKind(kind websocket.MessageType, message []byte) {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(c.t.Context(), patience)
	defer cancel()
	require.NoError(c.t, c.conn.Write(ctx, kind, message))
}

func (c *client) subscribe(id, query string) {
	c.t.Helper()
	c.send(fmt.Sprintf(`{"id":%q,"type":"subscribe","payload":{"query":%q}}`, id, query))
}

func (c *client) complete(id string) {
	c.t.Helper()
	c.send(fmt.Sprintf(`{"id":%q,"type":"complete"}`, id))
}

func (c *client) read() ([]byte, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	_, data, err := c.conn.Read(ctx)
	return data, err
}

// expect reads one message and compares it as JSON.
func (c *client) expect(message string) {
	c.t.Helper()
	data, err := c.read()
	require.NoError(c.t, err)
	require.JSONEq(c.t, message, string(data))
}

func (c *client) expectNext(id, payload string) {
	c.t.Helper()
	c.expect(fmt.Sprintf(`{"id":%q,"type":"next","payload":%s}`, id, payload))
}

func (c *client) expectComplete(id string) {
	c.t.Helper()
	c.expect(fmt.Sprintf(`{"id":%q,"type":"complete"}`, id))
}

// expectErrors reads an error message of an operation and gives the errors' codes.
func (c *client) expectErrors(id string) (codes []string) {
	c.t.Helper()
	data, err := c.read()
	require.NoError(c.t, err)
	var m struct {
		ID, Type string
		Payload  []struct{ Extensions struct{ Code string } }
	}
	require.NoError(c.t, json.Unmarshal(data, &m), "%s", data)
	require.Equal(c.t, []string{id, "error"}, []string{m.ID, m.Type}, "%s", data)
	for _, e := range m.Payload {
		codes = append(codes, e.Extensions.Code)
	}
	return codes
}

// expectClose reads until the socket is closed, skips what comes before, and checks the close code.
func (c *client) expectClose(code websocket.StatusCode) {
	c.t.Helper()
	for {
		if _, err := c.read(); err != nil {
			require.Equal(c.t, code, websocket.CloseStatus(err), "%v", err)
			return
		}
	}
}

// expectGone waits until the server has neither sockets nor subscriptions.
func (f *fixture) expectGone(t *testing.T, within time.Duration) {
	t.Helper()
	require.Eventually(t, func() bool { return f.Sockets() == 0 && f.schema.Streaming() == 0 }, within, 5*time.Millisecond)
}
