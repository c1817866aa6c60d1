package server

import (
	"bufio"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	"rollcall/internal/server/limit"
)

// hasty gives plain answers little time.
func hasty(s *http.Server) { s.WriteTimeout = 200 * time.Millisecond }

func TestAnswersHaveADeadline(t *testing.T) {
	require.Positive(t, New("", nil, slog.New(slog.DiscardHandler)).WriteTimeout)
}

// A client that does not read its answers, or a byte now and then, does not keep its connection.
func TestUnreadAnswersEndTheConnection(t *testing.T) {
	for name, every := range map[string]time.Duration{"never": time.Hour, "slowly": 10 * time.Millisecond} {
		t.Run(name, func(t *testing.T) { testUnreadAnswers(t, every) })
	}
}

// testUnreadAnswers reads a byte of the answers every so often.
func testUnreadAnswers(t *testing.T, every time.Duration) {
	closed := make(chan struct{})
	f := serveBy(t, func(s *http.Server) {
		hasty(s)
		s.ConnState = func(_ net.Conn, state http.ConnState) {
			if state == http.StateClosed {
				close(closed)
			}
		}
	})
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", f.http.Listener.Addr().String())
	require.NoError(t, err)
	body := fmt.Sprintf(`{"query":"mutation($t: String!) { record(text: $t) }","variables":{"t":%q}}`, strings.Repeat("x", limit.Request-1000))
	done, read := make(chan struct{}), time.NewTicker(every)
	defer read.Stop()
	go func() {
		for {
			select {
			case <-done:
				return
			case <-read.C:
				_, _ = conn.Read(make([]byte, 1)) // fails when it has been cut off
			}
		}
	}()
	go func() {
		defer close(done)
		for { // until the buffers between here and there are full, and the server has hung up
			if _, err := fmt.Fprintf(conn, "POST /graphql HTTP/1.1\r\nHost: rollcall\r\nAuthorization: Bearer ann\r\n"+
				"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(body), body); err != nil {
				return
			}
		}
	}()
	select {
	case <-closed:
	case <-time.After(patience):
		t.Error("the server still waits for its client")
	}
	require.NoError(t, conn.Close())
	<-done
}

// A client that sends its body too slowly is told so.
func TestBodiesHaveADeadline(t *testing.T) {
	require.Positive(t, New("", nil, slog.New(slog.DiscardHandler)).ReadTimeout)
	f := serveBy(t, func(s *http.Server) { s.ReadTimeout = 200 * time.Millisecond })
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", f.http.Listener.Addr().String())
	require.NoError(t, err)
	defer func() { require.NoError(t, conn.Close()) }()
	_, err = fmt.Fprint(conn, "POST /graphql HTTP/1.1\r\nHost: rollcall\r\nAuthorization: Bearer ann\r\n"+
		"Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{")
	require.NoError(t, err)
	answer, err := io.ReadAll(conn)
	require.NoError(t, err)
	require.Contains(t, string(answer), "HTTP/1.1 408")
	require.Contains(t, string(answer), "BAD_USER_INPUT")
}

// A client that goes on sending or reading, a byte at a time, gains nothing by it: what it has is one deadline, not one for
// each byte.
func TestDrippingClientsAreCutOff(t *testing.T) {
	const short, drip = 300 * time.Millisecond, 20 * time.Millisecond
	body := `{"query":"{ who }"}`
	header := fmt.Sprintf("POST /graphql HTTP/1.1\r\nHost: rollcall\r\nAuthorization: Bearer ann\r\n"+
		"Content-Type: application/json\r\nContent-Length: %d\r\n", len(body)+10_000)
	for name, tt := range map[string]struct {
		configure func(*http.Server)
		at, byBit string
	}{
		"header": {func(s *http.Server) { s.ReadHeaderTimeout = short }, header, strings.Repeat("X-A: b\r\n", 10_000)},
		"body":   {func(s *http.Server) { s.ReadTimeout = short }, header + "\r\n" + body, strings.Repeat(" ", 10_000)},
		"idle":   {func(s *http.Server) { s.IdleTimeout = short }, "GET /healthz HTTP/1.1\r\nHost: rollcall\r\n\r\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			f := serveBy(t, tt.configure)
			conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", f.http.Listener.Addr().String())
			require.NoError(t, err)
			defer func() { _ = conn.Close() }()
			_, err = io.WriteString(conn, tt.at)
			require.NoError(t, err)
			cut := make(chan struct{})
			go func() {
				defer close(cut)
				_, _ = io.Copy(io.Discard, conn)
			}()
			begin, ticker := time.Now(), time.NewTicker(drip)
			defer ticker.Stop()
			for open := true; open; {
				select {
				case <-cut:
					open = false
				case <-ticker.C:
					require.Less(t, time.Since(begin), patience, "it is still served")
					if len(tt.byBit) > 0 {
						_, _ = io.WriteString(conn, tt.byBit[:1]) // fails when it has been cut off
						tt.byBit = tt.byBit[1:]
					}
				}
			}
		})
	}
}

// Streams have deadlines of their own, and may take as long as they like between two events.
func TestStreamsOutliveTheDeadlineOfAnswers(t *testing.T) {
	f := serveBy(t, hasty)
	t.Run("server-sent events", func(t *testing.T) {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, f.http.URL+"/graphql",
			strings.NewReader(`{"query":"subscription { tick }"}`))
		require.NoError(t, err)
		for name, value := range map[string]string{
			"Content-Type": "application/json", "Accept": "text/event-stream", "Authorization": "Bearer ann",
		} {
			request.Header.Set(name, value)
		}
		response, err := f.http.Client().Do(request)
		require.NoError(t, err)
		defer func() { require.NoError(t, response.Body.Close()) }()
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
		conn, _, err := websocket.Dial(t.Context(), f.http.URL+"/graphql", &websocket.DialOptions{
			HTTPClient: f.http.Client(), Subprotocols: []string{"graphql-transport-ws"},
			HTTPHeader: http.Header{"Authorization": {"Bearer ann"}},
		})
		require.NoError(t, err)
		defer func() { _ = conn.CloseNow() }()
		<-time.After(2 * f.http.Config.WriteTimeout)
		require.NoError(t, conn.Write(t.Context(), websocket.MessageText, []byte(`{"type":"connection_init"}`)))
		_, message, err := conn.Read(t.Context())
		require.NoError(t, err)
		require.JSONEq(t, `{"type":"connection_ack"}`, string(message))
	})
}
