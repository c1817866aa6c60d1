// Package overload measures what becomes of heartbeats when five times as many come as a node can take, with queries beside them.
package overload

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/stretchr/testify/require"

	"rollcall/bench/load"
	"rollcall/bench/process"
)

// The flags are package state because the testing package has no other place for them.
var (
	conns = flag.Int("conns", 400, "how many clients send heartbeats, each over a connection of its own")
	span  = flag.Duration("for", 2*time.Second, "how long each load lasts")
	shed  = flag.Bool("shed", true, "whether the node sheds load")
)

const (
	// times is how many times what the node can take is sent.
	times = 5
	// saturating is how many connections it takes to learn what the node can take.
	saturating = 64
	// queryShare is how many clients send heartbeats for each that asks for a page.
	queryShare = 10

	// look is how long the node is looked at to see whether it has recovered.
	look = 250 * time.Millisecond

	mostP99   = time.Second
	recovered = 20 * time.Second
)

const (
	beatQuery = `mutation($input: HeartbeatInput!) { heartbeat(input: $input) { outcome session expiresAt nextHeartbeatInMs } }`
	pageQuery = `{ onlineUsers(first: 50) { totalCount nodes { id name presence { status } } } }`
)

func TestHeartbeatsOfAnOverloadedNode(t *testing.T) {
	addr := serve(t)
	beats, queries := connect(t, addr, *conns), ask(t, addr, max(1, *conns/queryShare))

	capacity := float64(send(t, some(beats, saturating), nil, 0, *span).accepted.TotalCount()) / span.Seconds()
	health := watch(t, addr)
	over := send(t, beats, queries, times*capacity, *span)
	slowest, failed := health()

	began := time.Now()
	for {
		after := send(t, some(beats, saturating), some(queries, 4), capacity/4, look)
		if after.refused == 0 && after.queriesRefused == 0 {
			break
		}
		require.Less(t, time.Since(began), recovered, "it recovers by itself")
	}
	back := time.Since(began) - look

	if testing.Verbose() {
		offered := over.accepted.TotalCount() + over.refused
		fmt.Fprintf(os.Stdout, "capacity %.0f heartbeats/s (%d connections)\n"+
			"at %d times of it, from %d clients that wait for each answer: sent %.0f/s, accepted %.0f/s, p50 %v, p99 %v, max %v; "+
			"queries: %d accepted, %d refused; heartbeats refused %.0f %%\n"+
			"/healthz: at most %v, failed %d times; nothing refused %v after\n",
			capacity, saturating, times, len(beats), float64(offered)/span.Seconds(),
			float64(over.accepted.TotalCount())/span.Seconds(), at(over.accepted, 50), at(over.accepted, 99), at(over.accepted, 100),
			over.queries, over.queriesRefused, 100*float64(over.refused)/float64(offered), slowest, failed, max(back, 0).Round(time.Millisecond))
	}
	require.Less(t, at(over.accepted, 99), mostP99)
	require.Zero(t, failed)
	require.Positive(t, over.accepted.TotalCount())
}

func at(h *hdrhistogram.Histogram, percentile float64) time.Duration {
	return time.Duration(h.ValueAtPercentile(percentile)) * time.Microsecond
}

// serve starts a node over a Redis; the clients are fewer than would send so much, so that limits by user are off.
func serve(t *testing.T) (addr string) {
	ctx, dir := t.Context(), t.TempDir()
	binary, err := process.BuildRollcall(ctx, dir, false)
	require.NoError(t, err)
	redis, err := process.StartRedis(ctx, dir, "redis")
	require.NoError(t, err)
	t.Cleanup(redis.Stop)
	addr, err = process.FreeAddr(ctx)
	require.NoError(t, err)
	node, err := process.Start(ctx, process.Program{
		Name: "rollcall", Path: binary, Args: []string{"serve"}, Dir: dir, Addr: addr, Ready: process.OK("http://" + addr + "/readyz"),
		Env: []string{
			"ROLLCALL_HTTP_ADDR=" + addr, "ROLLCALL_LOG_LEVEL=warn", "ROLLCALL_REDIS_URL=redis://" + redis.Addr + "/0",
			"ROLLCALL_DATABASE_URL=sqlite:" + dir + "/users.db", fmt.Sprintf("ROLLCALL_SHED=%v", *shed),
			"ROLLCALL_RATES=true", "ROLLCALL_EARLY_BEATS=1000000000", "ROLLCALL_USER_BEATS=0", "ROLLCALL_USER_COST=0",
		},
	})
	require.NoError(t, err)
	t.Cleanup(node.Stop)
	return addr
}

// client is a connection, and what it sends.
type client struct {
	conn    *load.Conn
	request []byte
	query   bool
}

func render(t *testing.T, addr, token, query string, variables any) []byte {
	body, err := json.Marshal(map[string]any{"query": query, "variables": variables})
	require.NoError(t, err)
	return load.Request(addr, token, body)
}

func dial(t *testing.T, addr string) *load.Conn {
	conn, err := load.Dial(t.Context(), addr)
	require.NoError(t, err)
	t.Cleanup(conn.Close)
	return conn
}

// connect signs so many users in.
func connect(t *testing.T, addr string, n int) []*client {
	all := make([]*client, n)
	for i := range all {
		token, device := fmt.Sprintf("dev:user-%d", i), fmt.Sprintf("device-%d", i)
		c := &client{conn: dial(t, addr)}
		body, err := c.conn.Do(render(t, addr, token, beatQuery, map[string]any{"input": map[string]any{"deviceId": device}}))
		require.NoError(t, err)
		var answer struct {
			Data struct{ Heartbeat struct{ Session string } }
		}
		require.NoError(t, json.Unmarshal(body, &answer))
		require.NotEmpty(t, answer.Data.Heartbeat.Session, "%s", body)
		c.request = render(t, addr, token, beatQuery, map[string]any{
			"input": map[string]any{"deviceId": device, "session": answer.Data.Heartbeat.Session},
		})
		all[i] = c
	}
	return all
}

// ask connects so many users who look at the list.
func ask(t *testing.T, addr string, n int) []*client {
	all := make([]*client, n)
	for i := range all {
		all[i] = &client{conn: dial(t, addr), request: render(t, addr, fmt.Sprintf("dev:reader-%d", i), pageQuery, nil), query: true}
		require.NoError(t, all[i].send(new(outcome))) // a server closes connections that send nothing
	}
	return all
}

func some(all []*client, n int) []*client { return all[:min(n, len(all))] }

// outcome is what came of a load.
type outcome struct {
	accepted                *hdrhistogram.Histogram // heartbeats, in microseconds from when they were sent
	refused                 int64
	queries, queriesRefused int64
}

// send has each client send as often as comes to so many heartbeats a second, 0 for as often as it is answered, and the queries as often as each. A client
// waits for its answer before it sends again, and sends at once if it is late.
func send(t *testing.T, beats, queries []*client, perSecond float64, span time.Duration) outcome {
	t.Helper()
	total := outcome{accepted: load.NewHistogram()}
	every := time.Duration(0)
	if perSecond > 0 {
		every = time.Duration(float64(len(beats)) / perSecond * float64(time.Second))
	}
	var mu sync.Mutex
	var all sync.WaitGroup
	began := time.Now()
	clients := append(append([]*client(nil), beats...), queries...)
	for i, c := range clients {
		all.Go(func() {
			own := outcome{accepted: load.NewHistogram()}
			due := began.Add(every * time.Duration(i) / time.Duration(len(clients)))
			for ; due.Sub(began) < span; due = due.Add(every) {
				time.Sleep(time.Until(due)) // the pace itself
				due = latest(due, time.Now())
				if err := c.send(&own); err != nil {
					t.Error(err)
					return
				}
				if every == 0 {
					due = time.Now()
				}
			}
			mu.Lock()
			defer mu.Unlock()
			total.accepted.Merge(own.accepted)
			total.refused += own.refused
			total.queries += own.queries
			total.queriesRefused += own.queriesRefused
		})
	}
	all.Wait()
	require.False(t, t.Failed())
	return total
}

func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

func (c *client) send(o *outcome) error {
	sent := time.Now()
	body, err := c.conn.Do(c.request)
	if err != nil {
		return err
	}
	refused := bytes.Contains(body, []byte(`"RATE_LIMITED"`))
	if !refused && bytes.Contains(body, []byte(`"errors"`)) && !bytes.Contains(body, []byte(`"UNAVAILABLE"`)) {
		return fmt.Errorf("answered %.300s", body)
	}
	switch {
	case c.query && refused:
		o.queriesRefused++
	case c.query:
		o.queries++
	case refused, bytes.Contains(body, []byte(`"errors"`)):
		o.refused++
	default:
		return o.accepted.RecordValue(time.Since(sent).Microseconds())
	}
	return nil
}

// watch asks /healthz ten times a second; the function it returns ends that, and says how long it took at most.
func watch(t *testing.T, addr string) (end func() (slowest time.Duration, failed int64)) {
	ctx, cancel := context.WithCancel(t.Context())
	var most, failed atomic.Int64
	var watching sync.WaitGroup
	watching.Go(func() {
		ticks := time.NewTicker(100 * time.Millisecond)
		defer ticks.Stop()
		for ctx.Err() == nil {
			began := time.Now()
			if err := process.OK("http://" + addr + "/healthz")(context.WithoutCancel(ctx)); err != nil {
				failed.Add(1)
			}
			most.Store(max(most.Load(), int64(time.Since(began))))
			select {
			case <-ticks.C:
			case <-ctx.Done():
			}
		}
	})
	return func() (time.Duration, int64) {
		cancel()
		watching.Wait()
		http.DefaultClient.CloseIdleConnections()
		return time.Duration(most.Load()).Round(time.Millisecond), failed.Load()
	}
}
