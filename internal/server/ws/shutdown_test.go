package ws

import (
	"context"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"
)

// Case 29 (docs/cases.md).
func TestShutdownTellsTheSockets(t *testing.T) {
	f := serve(t, Config{})
	idle, busy, fresh := f.connect(t, "ann"), f.connect(t, "bob"), f.dial(t, nil)
	busy.subscribe("1", `subscription { count }`)
	busy.expectNext("1", `{"data":{"count":1}}`)
	require.Equal(t, 3, f.Sockets())

	down := make(chan error, 1)
	go func() { down <- f.Shutdown(context.WithoutCancel(t.Context())) }()
	for _, c := range []*client{idle, busy, fresh} {
		c.expectClose(1012)
	}
	require.NoError(t, <-down)
	require.Zero(t, f.Sockets())
	f.dial(t, nil).expectClose(1012) // and so is one that comes later
}

// A client that does not read does not keep the server from going down.
func TestShutdownWithStalledReader(t *testing.T) {
	f := serve(t, Config{})
	f.connect(t, "ann").subscribe("1", `subscription { large(bytes: 10000) }`)
	require.Eventually(t, func() bool { return f.schema.Streaming() == 1 }, patience, time.Millisecond)
	begin := time.Now()
	require.NoError(t, f.Shutdown(t.Context()))
	require.Less(t, time.Since(begin), 2*time.Second)
}

func TestShutdownIsBoundedByItsContext(t *testing.T) {
	f := serve(t, Config{})
	release := make(chan struct{})
	f.schema.Record = func(context.Context, string) { <-release } // deaf to its context
	c := f.connect(t, "ann")
	c.subscribe("1", `mutation { record(text: "a") }`)
	c.subscribe("2", `{ who }`)
	c.expectNext("2", `{"data":{"who":"ann"}}`)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	require.ErrorIs(t, f.Shutdown(ctx), context.DeadlineExceeded)
	close(release)
}

// A shutdown is no end of a subscription: a client that was told "complete" would not come back.
func TestShutdownCompletesNothing(t *testing.T) {
	for range 50 {
		f := serve(t, Config{})
		c := f.connect(t, "ann")
		c.subscribe("1", `subscription { news }`)
		c.subscribe("2", `subscription { count }`)
		f.awaitReaders(t, 1)
		go func() {
			for range 10 {
				f.schema.News.Publish("a")
			}
		}()
		down := make(chan error)
		go func() { down <- f.Shutdown(t.Context()) }()
		data, err := c.read()
		for ; err == nil; data, err = c.read() {
			require.Contains(t, string(data), `"type":"next"`)
			require.NotContains(t, string(data), `"errors"`)
		}
		require.Equal(t, websocket.StatusServiceRestart, websocket.CloseStatus(err))
		require.NoError(t, <-down)
	}
}
