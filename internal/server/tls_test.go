package server

import (
	"bufio"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"
)

// unhurried is a short deadline that leaves time for a TLS handshake, which it bounds as well.
const unhurried = time.Second

// Over TLS requests go by HTTP/2, and so do streams, which outlive its deadlines too; WebSockets, which browsers open by
// HTTP/1.1 where HTTP/2 has no room for them, go by that.
func TestHTTP2(t *testing.T) {
	f := serveTLS(t, func(s *http.Server) { s.WriteTimeout = unhurried })
	response, answer := f.post(t, `{"query":"{ who }"}`)
	require.Equal(t, 2, response.ProtoMajor)
	require.JSONEq(t, `{"data":{"who":"ann"}}`, answer)
	require.Equal(t, "max-age=31536000", response.Header.Get("Strict-Transport-Security"))

	t.Run("server-sent events", func(t *testing.T) {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, f.http.URL+"/graphql",
			strings.NewReader(`{"query":"subscription { tick }"}`))
		require.NoError(t, err)
		request.Header = http.Header{
			"Content-Type": {"application/json"}, "Accept": {"text/event-stream"}, "Authorization": {"Bearer ann"},
		}
		response, err := f.http.Client().Do(request)
		require.NoError(t, err)
		defer func() { require.NoError(t, response.Body.Close()) }()
		require.Equal(t, 2, response.ProtoMajor)
		lines := bufio.NewScanner(response.Body)
		for _, tick := range []string{"a", "b"} {
			<-time.After(2 * f.http.Config.WriteTimeout)
			f.schema.Ticks <- tick
			for lines.Scan() && !strings.HasPrefix(lines.Text(), "data:") {
			}
			require.Equal(t, `data: {"data":{"tick":"`+tick+`"}}`, lines.Text())
		}
	})
	t.Run("WebSocket", func(t *testing.T) {
		client := f.http.Client()
		transport, ok := client.Transport.(*http.Transport)
		require.True(t, ok)
		old := transport.Clone()
		old.Protocols = new(http.Protocols)
		old.Protocols.SetHTTP1(true)
		defer old.CloseIdleConnections()
		conn, _, err := websocket.Dial(t.Context(), f.http.URL+"/graphql", &websocket.DialOptions{
			HTTPClient: &http.Client{Transport: old}, Subprotocols: []string{"graphql-transport-ws"},
			HTTPHeader: http.Header{"Authorization": {"Bearer ann"}, "Origin": {f.http.URL}},
		})
		require.NoError(t, err)
		defer func() { _ = conn.CloseNow() }()
		<-time.After(2 * f.http.Config.WriteTimeout)
		for _, message := range []string{`{"type":"connection_init"}`, `{"type":"subscribe","id":"1","payload":{"query":"{ who }"}}`} {
			require.NoError(t, conn.Write(t.Context(), websocket.MessageText, []byte(message)))
		}
		_, _, err = conn.Read(t.Context())
		require.NoError(t, err)
		_, message, err := conn.Read(t.Context())
		require.NoError(t, err)
		require.JSONEq(t, `{"type":"next","id":"1","payload":{"data":{"who":"ann"}}}`, string(message))
	})
}

// A body that drips, or does not come, has no more time by HTTP/2 than it has otherwise.
func TestBodiesHaveADeadlineByHTTP2(t *testing.T) {
	f := serveTLS(t, func(s *http.Server) { s.ReadTimeout = unhurried })
	body, drip := io.Pipe()
	dripped := make(chan struct{})
	go func() {
		defer close(dripped)
		for {
			if _, err := io.WriteString(drip, " "); err != nil {
				return
			}
			<-time.After(20 * time.Millisecond)
		}
	}()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, f.http.URL+"/graphql", body)
	require.NoError(t, err)
	request.Header = http.Header{"Content-Type": {"application/json"}, "Authorization": {"Bearer ann"}}
	response, err := f.http.Client().Do(request)
	require.NoError(t, err)
	require.Equal(t, 2, response.ProtoMajor)
	require.Equal(t, http.StatusRequestTimeout, response.StatusCode)
	require.NoError(t, response.Body.Close())
	require.NoError(t, body.Close())
	<-dripped
}

// A client that does not even begin to shake hands is cut off.
func TestTLSHandshakesHaveADeadline(t *testing.T) {
	require.Positive(t, New("", nil, slog.New(slog.DiscardHandler)).ReadHeaderTimeout)
	f := serveTLS(t, func(s *http.Server) { s.ReadHeaderTimeout = 200 * time.Millisecond })
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", f.http.Listener.Addr().String())
	require.NoError(t, err)
	defer func() { _ = conn.Close() }()
	require.NoError(t, conn.SetDeadline(time.Now().Add(patience)))
	_, err = io.ReadAll(conn)
	require.NoError(t, err)
	require.Eventually(t, func() bool { return strings.Contains(f.log.String(), "TLS handshake error") }, patience, time.Millisecond)
	require.Zero(t, f.log.Count(slog.LevelWarn), "it is anybody's doing")
}

// HTTP/2 is for TLS alone: browsers know no other, and proxies have HTTP/1.1, by which WebSockets go.
func TestNoHTTP2WithoutTLS(t *testing.T) {
	f := serve(t)
	transport := &http.Transport{Protocols: new(http.Protocols)}
	transport.Protocols.SetUnencryptedHTTP2(true)
	defer transport.CloseIdleConnections()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, f.http.URL+"/healthz", nil)
	require.NoError(t, err)
	response, err := (&http.Client{Transport: transport}).Do(request)
	if err == nil {
		require.NoError(t, response.Body.Close())
	}
	require.Error(t, err)
}
