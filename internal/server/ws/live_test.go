package ws

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"
)

func (f *fixture) awaitReaders(t *testing.T, n int) {
	t.Helper()
	require.Eventually(t, func() bool { return f.schema.News.Readers() == n }, patience, time.Millisecond)
}

func TestAnAnswerForManyIsMadeOnce(t *testing.T) {
	f := serve(t, Config{})
	var clients []*client
	for i := range 20 {
		c := f.connect(t, []string{"ann", "bob"}[i%2])
		c.subscribe(fmt.Sprint("all ", i), `subscription { news }`)
		c.subscribe(fmt.Sprint("own ", i), `subscription { ownNews }`)
		clients = append(clients, c)
	}
	f.awaitReaders(t, 40)
	f.schema.News.Publish("a")
	for i, c := range clients {
		got := map[string]bool{}
		for range 2 {
			data, err := c.read()
			require.NoError(t, err)
			got[string(data)] = true
		}
		require.Equal(t, map[string]bool{
			fmt.Sprintf(`{"type":"next","id":"all %d","payload":{"data":{"news":"a for everybody"}}}`, i):                          true,
			fmt.Sprintf(`{"type":"next","id":"own %d","payload":{"data":{"ownNews":"a for %s"}}}`, i, []string{"ann", "bob"}[i%2]): true,
		}, got, "whoever is answered by name is answered apart")
	}
	require.EqualValues(t, 3, f.schema.Events(), "one for all, one for each of two callers")
}

func TestLiveAnswersComeInOrderAndOnce(t *testing.T) {
	f := serve(t, Config{})
	c := f.connect(t, "ann")
	c.subscribe("1", `subscription { news }`)
	f.awaitReaders(t, 1)
	const n = 2000
	go func() {
		for i := range n {
			f.schema.News.Publish(fmt.Sprint(i))
		}
	}()
	for i := range n {
		c.expectNext("1", fmt.Sprintf(`{"data":{"news":"%d for everybody"}}`, i))
	}
}

func TestTheSameNewsIsNoNews(t *testing.T) {
	f := serve(t, Config{})
	c := f.connect(t, "ann")
	c.subscribe("1", `subscription { latestNews }`)
	f.awaitReaders(t, 1)
	for _, text := range []string{"a", "a", "b", "b", "a"} {
		f.schema.News.Publish(text)
	}
	for _, text := range []string{"a", "b", "a"} {
		c.expectNext("1", fmt.Sprintf(`{"data":{"latestNews":"%s for everybody"}}`, text))
	}
}

func TestALiveSubscriptionEndsWithItsError(t *testing.T) {
	f := serve(t, Config{})
	c := f.connect(t, "ann")
	c.subscribe("1", `subscription { news }`)
	f.awaitReaders(t, 1)
	f.schema.News.Publish("a")
	f.schema.News.End()
	c.expectNext("1", `{"data":{"news":"a for everybody"}}`)
	data, err := c.read()
	require.NoError(t, err)
	require.Contains(t, string(data), `"errors":[`)
	c.expectComplete("1")
	f.awaitReaders(t, 0)
	c.subscribe("1", `subscription { news }`) // the id is free again
	f.awaitReaders(t, 1)
}

func TestACompletedLiveSubscriptionIsSilent(t *testing.T) {
	f := serve(t, Config{})
	c := f.connect(t, "ann")
	c.subscribe("1", `subscription { news }`)
	c.subscribe("2", `subscription { news }`)
	f.awaitReaders(t, 2)
	c.complete("1")
	f.awaitReaders(t, 1)
	f.schema.News.Publish("a")
	c.expectNext("2", `{"data":{"news":"a for everybody"}}`)
}

// A reader that stalls is closed and holds up nobody; what waits for it stays at its source.
func TestAStalledLiveReader(t *testing.T) {
	f := serve(t, Config{WriteTimeout: 200 * time.Millisecond})
	slow, quick := f.connect(t, "ann"), f.connect(t, "bob")
	slow.subscribe("1", `subscription { news }`)
	quick.subscribe("1", `subscription { news }`)
	f.awaitReaders(t, 2)
	large := strings.Repeat("x", 100_000)
	for range 100 {
		f.schema.News.Publish(large)
		data, err := quick.read()
		require.NoError(t, err)
		require.Greater(t, len(data), len(large))
	}
	f.awaitReaders(t, 1)
	var err error
	for err == nil {
		_, err = slow.read()
	}
	require.Equal(t, websocket.StatusTryAgainLater, websocket.CloseStatus(err))
}

func TestALiveSubscriptionEndsWithItsSocket(t *testing.T) {
	f := serve(t, Config{})
	c := f.connect(t, "ann")
	c.subscribe("1", `subscription { news }`)
	f.awaitReaders(t, 1)
	require.NoError(t, c.conn.CloseNow())
	f.awaitReaders(t, 0)
}

// Frames of ours and of the WebSocket library come whole, one after the other.
func TestFramesAreWhole(t *testing.T) {
	f := serve(t, Config{PingInterval: time.Millisecond, PongTimeout: patience})
	c := f.dial(t, http.Header{})
	c.send(`{"type":"connection_init"}`)
	c.expect(`{"type":"connection_ack"}`)
	c.subscribe("1", `subscription { news }`)
	f.awaitReaders(t, 1)
	for _, size := range []int{0, 1, 60, 70, 125, 126, 1000, 65_000, 65_536, 200_000} {
		text := strings.Repeat("x", size)
		f.schema.News.Publish(text)
		c.expectNext("1", fmt.Sprintf(`{"data":{"news":"%s for everybody"}}`, text))
	}
}
