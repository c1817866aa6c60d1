package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/stretchr/testify/require"

	"rollcall/internal/config"
	"rollcall/internal/rate"
	"rollcall/internal/redistest"
	"rollcall/internal/server"
)

// beatDocument is what clients send every few seconds.
const beatDocument = `mutation Heartbeat($input: HeartbeatInput!) {
  heartbeat(input: $input) { outcome session serverTime expiresAt nextHeartbeatInMs }
}`

// How many connections send heartbeats at the same time, and how many those of many users.
const (
	clients  = 64
	gateways = 8
)

// stand are the servers that are measured.
func stand(b *testing.B, measure func(b *testing.B, url string)) {
	for name, redisURL := range map[string]func() string{
		"memory": func() string { return "" },
		"redis":  func() string { return redistest.Start(b).URL() },
	} {
		b.Run(name, func(b *testing.B) {
			url := redisURL()
			s := startWith(b, slog.New(slog.DiscardHandler), func(cfg *config.Config) {
				cfg.Store.RedisURL, cfg.Store.TTL, cfg.Store.BackgroundTTL = url, time.Hour, time.Hour
				// Few users send what many do, and each heartbeat is to reach the store.
				on := true
				cfg.Limits.Rates = &on
				cfg.Limits.EarlyBeats = math.MaxInt32
				cfg.Limits.UserBeats = rate.Limit{Count: 1_000_000, Per: time.Second}
			})
			measure(b, s.url)
		})
	}
}

// BenchmarkHeartbeat sends heartbeats over HTTP, and in turns with them the same bodies to a handler that answers the
// same and does nothing: of-bare is the share of its requests a second. cpu-of-bare leaves out what other
// processes take, Redis among them.
func BenchmarkHeartbeat(b *testing.B) {
	stand(b, func(b *testing.B, url string) {
		single := newLoad(b, url, clients, func(user int) (string, []byte) { return beatOf(b, url, user) })
		bare := newLoad(b, bareServer(b, single.answer), clients, func(user int) (string, []byte) {
			return single.conns[user].token, single.conns[user].body
		})
		var least, took cost
		for b.Loop() {
			bare.send(b, perRound, &least)
			single.send(b, perRound, &took)
		}
		b.ReportMetric(float64(b.N)*perRound/took.time.Seconds(), "beats/s")
		b.ReportMetric(least.time.Seconds()/took.time.Seconds(), "of-bare")
		b.ReportMetric(least.cpu.Seconds()/took.cpu.Seconds(), "cpu-of-bare")
	})
}

// BenchmarkHeartbeats sends the heartbeats of many users in one request, and single ones in turns with them: x-single
// is how many users are served in the time of a single heartbeat.
func BenchmarkHeartbeats(b *testing.B) {
	stand(b, func(b *testing.B, url string) {
		single := newLoad(b, url, clients, func(user int) (string, []byte) { return beatOf(b, url, user) })
		batch := newLoad(b, url, gateways, func(gateway int) (string, []byte) { return batchOf(b, url, gateway) })
		const batches = perRound / 50
		const share = float64(batches) * batchSize / perRound
		var ofSingle, took cost
		for b.Loop() {
			single.send(b, perRound, &ofSingle)
			batch.send(b, batches, &took)
		}
		b.ReportMetric(float64(b.N)*batches*batchSize/took.time.Seconds(), "beats/s")
		b.ReportMetric(share*ofSingle.time.Seconds()/took.time.Seconds(), "x-single")
		b.ReportMetric(share*ofSingle.cpu.Seconds()/took.cpu.Seconds(), "cpu-x-single")
	})
}

// cost is what requests have taken: time, and of the processors.
type cost struct{ time, cpu time.Duration }

func (c *cost) of(b *testing.B, do func()) {
	before, began := usedCPU(b), time.Now()
	do()
	c.time += time.Since(began)
	c.cpu += usedCPU(b) - before
}

func usedCPU(b *testing.B) time.Duration {
	var used syscall.Rusage
	require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &used))
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// perRound is how many single requests make a round of a benchmark.
const perRound = 6400

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

func newLoad(b *testing.B, address string, conns int, request func(client int) (token string, body []byte)) *load {
	parsed, err := url.Parse(address)
	require.NoError(b, err)
	l := &load{}
	for i := range conns {
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

// send sends n requests, a multiple of its connections.
func (l *load) send(b *testing.B, n int, took *cost) {
	took.of(b, func() {
		var wg sync.WaitGroup
		for _, c := range l.conns {
			wg.Go(func() {
				for range n / len(l.conns) {
					if _, err := c.roundTrip(); err != nil {
						b.Error(err)
						return
					}
				}
			})
		}
		wg.Wait()
	})
	if b.Failed() {
		b.FailNow()
	}
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
		return nil, errors.New("no Content-Length")
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
