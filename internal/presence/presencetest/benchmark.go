package presencetest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"rollcall/internal/presence"
)

// BenchmarkOptions are the options of the stores that are measured: rules under
// which nothing happens by itself meanwhile.
func BenchmarkOptions() Options {
	return Options{
		Shards: 16, LevelIndex: true, EventLog: 10_000,
		Rules: presence.Rules{TTL: time.Hour, BackgroundTTL: 2 * time.Hour, AwayAfter: time.Hour},
	}
}

// Callers is how many call a store at the same time when its heartbeats are measured.
const Callers = 50

// Benchmark measures a store: heartbeats by the size of the batch (one operation
// is one heartbeat), and a page of 50 by the number of users online (one
// operation is one page). The answers are checked.
func Benchmark(b *testing.B, newStore func(b *testing.B) presence.Store) {
	b.Run("beats", func(b *testing.B) {
		store := newStore(b)
		beats := SignIn(b, store, 50_000)
		for _, size := range []int{1, 64, 256} {
			b.Run(fmt.Sprintf("batch=%d", size), func(b *testing.B) {
				EachCaller(b, size, func(i int) error {
					from := i * size % (len(beats) - size)
					results, err := store.Beat(b.Context(), beats[from:from+size])
					if err == nil && results[size-1].Outcome != presence.Refreshed {
						err = fmt.Errorf("outcome %v, error %w", results[size-1].Outcome, results[size-1].Err)
					}
					return err
				})
			})
		}
	})
	b.Run("page", func(b *testing.B) {
		store := newStore(b)
		for _, online := range []int{10_000, 100_000, 1_000_000} {
			SignIn(b, store, online)
			b.Run(fmt.Sprintf("online=%d", online), func(b *testing.B) {
				for b.Loop() {
					page, err := store.Page(b.Context(), presence.PageRequest{Order: presence.LastActiveDesc, First: 50})
					require.NoError(b, err)
					require.Len(b, page.Rows, 50)
					require.Equal(b, online, page.Total)
				}
			})
		}
	})
}

// EachCaller runs op by several callers at once until b.N heartbeats of size
// each have been sent, and reports the rate.
func EachCaller(b *testing.B, size int, op func(i int) error) {
	b.ResetTimer()
	var wg sync.WaitGroup
	for c := range Callers {
		wg.Go(func() {
			for i := c; i*size < b.N; i += Callers {
				if err := op(i); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "beats/s")
}

// SignIn is SignInOn with a UUID for each device.
func SignIn(t testing.TB, store presence.Store, users int) []presence.Beat {
	t.Helper()
	return SignInOn(t, store, users, "3b241101-e2bb-4255-8caf-%012x")
}

// SignInOn brings the users user-0… online, each on a device of their own, whose id is
// device with a number, and gives them levels; the beats extend their sessions.
func SignInOn(t testing.TB, store presence.Store, users int, device string) []presence.Beat {
	t.Helper()
	ctx := context.Background()
	beats := make([]presence.Beat, users)
	for i := range beats {
		beats[i] = presence.Beat{UserID: fmt.Sprintf("user-%d", i), DeviceID: fmt.Sprintf(device, i)}
	}
	const step = 4000
	levels := make(map[string]int, step)
	for from := 0; from < users; from += step {
		part := beats[from:min(users, from+step)]
		var results []presence.BeatResult
		tryOn(t, func() (err error) { results, err = store.Beat(ctx, part); return err })
		clear(levels)
		for i, r := range results {
			require.NoError(t, r.Err)
			part[i].Epoch = r.Epoch
			levels[part[i].UserID] = (from + i) % 100
		}
		if store.HasLevelIndex() {
			tryOn(t, func() error { return store.SetLevels(ctx, levels) })
		}
	}
	return beats
}

// tryOn does what a busy machine may need more than one attempt for: a store answers
// within about a second or not at all.
func tryOn(t testing.TB, do func() error) {
	t.Helper()
	err := do()
	for attempt := 1; attempt < 20 && errors.As(err, new(*presence.UnavailableError)); attempt++ {
		err = do()
	}
	require.NoError(t, err)
}
