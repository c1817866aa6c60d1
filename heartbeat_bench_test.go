package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/stretchr/testify/require"

	"rollcall/internal/config"
	"rollcall/internal/redistest"
	"rollcall/internal/server"
)

// beatDocument is what clients send every few seconds.
const beatDocument = `mutation Heartbeat($input: HeartbeatInput!) {
  heartbeat(input: $input) { outcome session serverTime expiresAt nextHeartbeatInMs }
}`

// clients is how many connections beat at the same time.
const clients = 64

// BenchmarkHeartbeat sends heartbeats over HTTP, and in turns with them the same bodies to a handler that
// answers the same and does nothing. of-bare is the share of its requests a second. A request of the batch
// carries 500 heartbeats; its x-single is how many users it serves in the time of one single heartbeat.
func BenchmarkHeartbeat(b *testing.B) {
	for name, change := range map[string]func(b *testing.B) func(*config.Config){
		"memory": func(*testing.B) func(*config.Config) { return func(*config.Config) {} },
		"redis": func(b *testing.B) func(*config.Config) {
			url := redistest.Start(b).URL() + "?pool_size=32"
			return func(cfg *config.Config) { cfg.Store.RedisURL = url }
		},
	} {
		b.Run(name, func(b *testing.B) {
			s := startWith(b, slog.New(slog.NewTextHandler(io.Discard, nil)), func(cfg *config.Config) {
				cfg.Store.TTL, cfg.Store.BackgroundTTL = time.Hour, time.Hour
				change(b)(cfg)
			})
			single := newLoad(b, s.url, func(user int) (string, []byte) { return beatOf(b, s.url, user) })
			batch := newLoad(b, s.url, func(client int) (string, []byte) { return batchOf(b, s.url, client) })
			bare := newLoad(b, bareServer(b, single.answer), func(user int) (string, []byte) { return single.conns[user].token, single.conns[user].body })

			const n = 4000
			var bareTook, singleTook, batchTook time.Duration
			for b.Loop() {
				bareTook += bare.send(b, n)
				singleTook += single.send(b, n)
				batchTook += batch.send(b, n/20)
			}
			rounds := float64(b.N)
			b.ReportMetric(rounds*n/singleTook.Seconds(), "beats/s")
			b.ReportMetric(bareTook.Seconds()/singleTook.Seconds(), "of-bare")
			b.ReportMetric(rounds*n/20*batchSize/batchTook.Seconds(), "batched-beats/s")
			b.ReportMetric(singleTook.Seconds()*batchSize/20/batchTook.Seconds(), "x-single")
		})
	}
}

// batchSize is how many users a request of `heartbeats` serves.
const batchSize = 500

// beatOf signs a user in and is their token, and the body of their next heartbeats.
func beatOf(b *testing.B, url string, user int) (token string, body []byte) {
	token = fmt.Sprintf("dev:user-%d", user)
	device := fmt.Sprintf("3b241101-e2bb-4255-8caf-%012x", user)
	send := func(input map[string]any) answer {
		return postBody(b, url, token, encoded(b, map[string]any{"query": beatDocument, "variables": map[string]any{"input": input}}))
	}
	var in signedIn
	send(map[string]any{"deviceId": device}).into(b, &in)
	return token, encoded(b, map[string]any{"query": beatDocument, "variables": map[string]any{
		"input": map[string]any{"deviceId": device, "session": in.Heartbeat.Session},
	}})
}

// batchOf is the same for a gateway's users.
func batchOf(b *testing.B, url string, gateway int) (token string, body []byte) {
	const document = `mutation Beats($input: [UserHeartbeatInput!]!) { heartbeats(input: $input) { accepted results { userId session error } } }`
	input := make([]map[string]any, batchSize)
	for i := range input {
		user := fmt.Sprintf("gateway-%d-user-%d", gateway, i)
		input[i] = map[string]any{"userId": user, "deviceId": "3b241101-e2bb-4255-8caf-" + fmt.Sprintf("%012x", i)}
	}
	token = "dev:gateway:service"
	var in struct {
		Heartbeats struct{ Results []struct{ Session string } }
	}
	request := func() []byte {
		return encoded(b, map[string]any{"query": document, "variables": map[string]any{"input": input}})
	}
	postBody(b, url, token, request()).into(b, &in)
	for i, r := range in.Heartbeats.Results {
		input[i]["session"] = r.Session
	}
	return token, request()
}

// bareServer answers each request with the same.
func bareServer(b *testing.B, answer []byte) string {
	r := chi.NewRouter()
	r.Post("/graphql", func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.ReadAll(r.Body); err != nil {
			b.Error(err)
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(answer)
	})
	listener, err := new(net.ListenConfig).Listen(b.Context(), "tcp", "127.0.0.1:0")
	require.NoError(b, err)
	s := server.New("", r, slog.New(slog.DiscardHandler))
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = s.Serve(listener)
	}()
	b.Cleanup(func() {
		require.NoError(b, s.Close())
		<-done
	})
	return "http://" + listener.Addr().String() + "/"
}

// load is connections that send each a request of their own.
type load struct {
	conns  []*rawConn
	answer []byte // to the first
}

// rawConn is a client that costs little beside the server that it is to measure.
type rawConn struct {
	token   string
	body    []byte
	request []byte
	conn    net.Conn
	in      *bufio.Reader
}

func newLoad(b *testing.B, address string, request func(client int) (token string, body []byte)) *load {
	parsed, err := url.Parse(address)
	require.NoError(b, err)
	l := &load{}
	for i := range clients {
		token, body := request(i)
		conn, err := new(net.Dialer).DialContext(b.Context(), "tcp", parsed.Host)
		require.NoError(b, err)
		b.Cleanup(func() { _ = conn.Close() })
		l.conns = append(l.conns, &rawConn{
			token: token, body: body, conn: conn, in: bufio.NewReaderSize(conn, 64<<10),
			request: fmt.Appendf(nil, "POST /graphql HTTP/1.1\r\nHost: %s\r\nUser-Agent: bench\r\nAccept: application/json\r\n"+
				"Content-Type: application/json\r\nAuthorization: Bearer %s\r\nContent-Length: %d\r\n\r\n%s", parsed.Host, token, len(body), body),
		})
	}
	l.answer, err = l.conns[0].roundTrip()
	require.NoError(b, err)
	return l
}

// send sends n requests over all connections and is the time that they took.
func (l *load) send(b *testing.B, n int) time.Duration {
	began := time.Now()
	var wg sync.WaitGroup
	for _, c := range l.conns {
		wg.Go(func() {
			for range max(1, n/len(l.conns)) {
				if _, err := c.roundTrip(); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	if b.Failed() {
		b.FailNow()
	}
	return time.Since(began)
}

// roundTrip is the body of the answer.
func (c *rawConn) roundTrip() ([]byte, error) {
	if _, err := c.conn.Write(c.request); err != nil {
		return nil, err
	}
	length := -1
	for first := true; ; first = false {
		line, err := c.in.ReadSlice('\n')
		if err != nil {
			return nil, err
		}
		line = bytes.TrimSpace(line)
		if len(line) == 0 {
			break
		}
		if first && !bytes.HasSuffix(line, []byte(" 200 OK")) {
			return nil, fmt.Errorf("answered %s", line)
		}
		if value, found := bytes.CutPrefix(line, []byte("Content-Length: ")); found {
			if length, err = strconv.Atoi(string(value)); err != nil {
				return nil, err
			}
		}
	}
	if length < 0 {
		body, err := io.ReadAll(httputil.NewChunkedReader(c.in))
		_, _ = c.in.Discard(2)
		return body, err
	}
	body := make([]byte, length)
	if _, err := io.ReadFull(c.in, body); err != nil {
		return nil, err
	}
	if strings.Contains(string(body[:min(len(body), 40)]), "errors") {
		return nil, fmt.Errorf("answered %s", body)
	}
	return body, nil
}
