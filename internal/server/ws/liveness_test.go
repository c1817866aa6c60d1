package ws

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestPongsAreThePulse(t *testing.T) {
	f := serve(t, Config{PingInterval: 20 * time.Millisecond})
	c := f.connect(t, "ann")
	c.subscribe("1", `subscription { pulse }`)
	for n := 1; n <= 3; n++ { // reading answers the pings
		c.expectNext("1", fmt.Sprintf(`{"data":{"pulse":%d}}`, n))
	}
}

// Case 2 (docs/cases.md): a client that has gone without a word is closed after ping interval and timeout. This one is as silent
// as a cut cable, since only reading answers pings.
func TestMissingPongClosesTheSocket(t *testing.T) {
	f := serve(t, Config{PingInterval: 50 * time.Millisecond, PongTimeout: 100 * time.Millisecond})
	c := f.connect(t, "ann")
	c.subscribe("1", `subscription { tick }`)
	c.subscribe("2", `{ wait }`)
	require.Eventually(t, func() bool { return f.schema.Streaming() == 1 }, patience, time.Millisecond)
	begin := time.Now()
	require.Eventually(t, func() bool { return f.schema.Streaming() == 0 }, patience, time.Millisecond)
	require.Less(t, time.Since(begin), time.Second)
	f.expectGone(t, patience)
}

// Case 2 (docs/cases.md), while a write is blocked.
func TestMissingPongWhileAWriteIsBlocked(t *testing.T) {
	f := serve(t, Config{PingInterval: 200 * time.Millisecond, PongTimeout: 200 * time.Millisecond, WriteTimeout: time.Hour})
	c := f.connect(t, "ann")
	c.subscribe("1", `subscription { large(bytes: 10000) }`)
	require.Eventually(t, func() bool { return f.schema.Streaming() == 1 }, patience, time.Millisecond)
	f.expectGone(t, 3*time.Second)
}

// A client that does not read is closed one second after the write timeout at the latest, holds up nobody else,
// and costs no more memory than its queue.
func TestStalledReader(t *testing.T) {
	const timeout = 500 * time.Millisecond
	ticks, took := 0, patience
	for range 3 { // the best of several, since a busy machine may delay any of them
		n, closed := stall(t, timeout)
		ticks, took = max(ticks, n), min(took, closed)
	}
	require.Less(t, took, timeout+time.Second)
	// Whoever was held up would get one, once the stalled reader is closed.
	require.Greater(t, ticks, 10)
}

// stall has one client stop reading, and tells how many messages another one has got until the first was closed,
// and how long that took.
func stall(t *testing.T, timeout time.Duration) (ticks int, took time.Duration) {
	t.Helper()
	const size = 1000
	f := serve(t, Config{WriteTimeout: timeout, Queue: 64})
	stalled, other := f.connect(t, "ann"), f.connect(t, "bob")
	stalled.subscribe("1", fmt.Sprintf(`subscription { large(bytes: %d) }`, size))
	other.subscribe("1", `subscription { tick }`)
	require.Eventually(t, func() bool { return f.schema.Streaming() == 2 }, patience, time.Millisecond)

	begin := time.Now()
	for ; f.Sockets() == 2; ticks++ {
		f.schema.Ticks <- fmt.Sprint(ticks)
		other.expectNext("1", fmt.Sprintf(`{"data":{"tick":"%d"}}`, ticks))
		require.Less(t, time.Since(begin), patience, "the stalled reader is still there")
	}
	took = time.Since(begin)
	require.Eventually(t, func() bool { return f.schema.Streaming() == 1 }, patience, time.Millisecond)
	// The queue, and what the kernel's buffers of both sides hold.
	require.Less(t, f.schema.Events()-int64(ticks), int64(64+(1<<20)/size))
	stalled.expectClose(1013)
	return ticks, took
}

// Case 22 (docs/cases.md): browsers vanish without a close frame, and nothing of them may stay.
func TestVanishingClientsLeaveNothing(t *testing.T) {
	f := serve(t, Config{})
	cycle := func() {
		c := f.connect(t, "ann")
		c.subscribe("1", `subscription { tick }`)
		c.subscribe("2", `subscription { count }`)
		c.expectNext("2", `{"data":{"count":1}}`)
		require.NoError(t, c.conn.CloseNow())
	}
	cycle()
	f.expectGone(t, patience)
	base := runtime.NumGoroutine()
	for range 300 {
		cycle()
	}
	f.expectGone(t, patience)
	require.Eventually(t, func() bool { return runtime.NumGoroutine() <= base+2 }, patience, 10*time.Millisecond)
}

func TestClientsCloseEndsItsOperations(t *testing.T) {
	f := serve(t, Config{})
	c := f.connect(t, "ann")
	c.subscribe("1", `subscription { tick }`)
	require.Eventually(t, func() bool { return f.schema.Streaming() == 1 }, patience, time.Millisecond)
	require.NoError(t, c.conn.Close(1000, ""))
	f.expectGone(t, patience)
}
