package shed

import (
	"context"
	"errors"
	"log/slog"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"rollcall/internal/logtest"
	"rollcall/internal/presence"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// share is how much a gate refuses of n.
func share(admit func() error) float64 {
	const n = 10_000
	refused := 0
	for range n {
		if admit() != nil {
			refused++
		}
	}
	return float64(refused) / n
}

// all is whether a gate admits whatever comes, with no time to wait.
func all(g *Gate) func() error {
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	return func() error { return g.Admit(ended) }
}

func TestRefusedRequestsAreHeld(t *testing.T) {
	g := New(slog.New(slog.DiscardHandler))
	g.all.closed.Store(full)
	began := time.Now()
	require.Error(t, g.Admit(t.Context()))
	require.GreaterOrEqual(t, time.Since(began), heldFor/2)
	g.held.Store(mostHeld)
	began = time.Now()
	require.Error(t, g.Admit(t.Context()))
	require.Less(t, time.Since(began), heldFor/2, "too many are held already")
	require.EqualValues(t, mostHeld, g.held.Load())
}

func TestQueriesAreRefusedBeforeHeartbeats(t *testing.T) {
	log, logged := logtest.New(slog.LevelInfo)
	g := New(log)
	set := func(delay time.Duration, ticks int) {
		for range ticks {
			g.set(t.Context(), delay)
		}
	}
	set(10*time.Second, patient-1)
	require.Zero(t, share(g.AdmitQuery), "a burst is not refused")
	set(time.Millisecond, 1)
	set(10*time.Second, patient-1)
	require.Zero(t, share(g.AdmitQuery))

	set(150*time.Millisecond, 50)
	require.InDelta(t, mostClosed, share(g.AdmitQuery), 0.02)
	require.Zero(t, share(all(g)))
	require.Equal(t, 1, logged.Count(slog.LevelWarn))

	set(time.Second, 50)
	require.InDelta(t, mostClosed, share(all(g)), 0.02)

	limited, ok := errors.AsType[*presence.RateLimitedError](verdict(false))
	require.True(t, ok)
	require.GreaterOrEqual(t, limited.RetryAfter, time.Second)
	require.Less(t, limited.RetryAfter, 2*time.Second)

	set(time.Millisecond, 100)
	require.Zero(t, share(all(g)))
	require.Zero(t, share(g.AdmitQuery), "it recovers by itself")
	require.Equal(t, 1, logged.Count(slog.LevelInfo))
}

func TestWithoutAGateAllIsAdmitted(t *testing.T) {
	var g *Gate
	require.NoError(t, g.Admit(t.Context()))
	require.NoError(t, g.AdmitQuery())
	g.BeatTook(time.Second)
}

func TestSlowHeartbeatsAreADelay(t *testing.T) {
	g := New(slog.New(slog.DiscardHandler))
	require.Zero(t, g.beatsTook())
	g.BeatTook(100 * time.Millisecond)
	g.BeatTook(300 * time.Millisecond)
	require.Equal(t, 200*time.Millisecond, g.beatsTook())
	require.Zero(t, g.beatsTook())
}

func TestAnIdleNodeIsNotOverloaded(t *testing.T) {
	var w waits
	w.slow()
	for range 3 {
		require.Zero(t, w.slow())
	}
}

// Many goroutines that all want a processor wait for one, and when they have ended nobody does.
func TestABusyProcessorIsADelay(t *testing.T) {
	g := New(slog.New(slog.DiscardHandler))
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { g.Run(ctx) })
	var done atomic.Bool
	for range 1000 * runtime.GOMAXPROCS(0) {
		running.Go(func() {
			for !done.Load() {
				for began := time.Now(); time.Since(began) < 200*time.Microsecond; {
				}
				runtime.Gosched()
			}
		})
	}
	const within = 30 * time.Second
	require.Eventually(t, func() bool { return g.AdmitQuery() != nil }, within, time.Millisecond)
	done.Store(true)
	require.Eventually(t, func() bool { return g.queries.closed.Load() == 0 }, within, time.Millisecond)
	cancel()
	running.Wait()
}
