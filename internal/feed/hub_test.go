package feed

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"rollcall/internal/logtest"
	"rollcall/internal/presence"
	"rollcall/internal/presence/memstore"
)

func TestFirstDeltaComesAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newStore()
		signIn(t, store, "ada")
		h := startHub(t, store, Config{})
		s := subscribe(t, h, Options{})

		first := next(t, s)
		require.Empty(t, first.Events, "a snapshot is not a set of events")
		require.Equal(t, tail(t, store), first.Position)
		require.False(t, first.Reset)
	})
}

func TestEventsOfAWindowAreOneSharedDelta(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newStore()
		h := startHub(t, store, Config{Window: 10 * time.Millisecond})
		a, b := open(t, h, Options{}), open(t, h, Options{})

		began := time.Now()
		signIn(t, store, "ada", "bob", "cyd", "dan", "eve")
		da, db := next(t, a), next(t, b)
		require.Equal(t, 10*time.Millisecond, time.Since(began), "an idle hub adds the window and no more")
		require.ElementsMatch(t, []string{"ada", "bob", "cyd", "dan", "eve"}, users(da.Events))
		require.Equal(t, tail(t, store), da.Position)
		require.Same(t, &da.Events[0], &db.Events[0], "the events are shared")
	})
}

// Case 23 (docs/cases.md).
func TestUsersEventsStayInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newStore()
		h := startHub(t, store, Config{})
		s := open(t, h, Options{})
		for range 20 {
			signIn(t, store, "ada")
			disconnect(t, store, "ada")
		}
		elapse(time.Second)

		events := drain(t, s).Events
		require.Len(t, events, 40)
		for i, e := range events {
			want := presence.EventOnline
			if i%2 == 1 {
				want = presence.EventOffline
			}
			require.Equal(t, want, e.Type)
		}
	})
}

func TestABrokenStoreIsNoEvent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log, logged := logtest.New(slog.LevelInfo)
		src := &faulty{Store: newStore()}
		h := NewHub(src, Config{}, log)
		h.Start()
		t.Cleanup(h.Stop)
		s := open(t, h, Options{})

		src.fail(errDown)
		elapse(30 * time.Second)
		signIn(t, src.Store, "ada") // by another node, which does reach the store
		elapse(time.Second)
		require.Empty(t, drain(t, s).Events)
		require.Equal(t, 1, logged.Count(slog.LevelWarn), "all shards fail in one line")
		// From 100 ms the wait grows to at most a second, at the least half of it.
		require.Less(t, src.follows, testShards*(2*30+20))
		require.Greater(t, src.follows, testShards*25)

		src.fail(nil)
		elapse(5 * time.Second)
		d := drain(t, s)
		require.Equal(t, []string{"ada"}, users(d.Events), "reading goes on where it stopped")
		require.False(t, d.Reset)
		require.Equal(t, 1, logged.Count(slog.LevelInfo))
	})
}

func TestSubscribeFailsFastWhileTheHubHasNoPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := &faulty{Store: newStore()}
		src.fail(errDown)
		h := startHub(t, src, Config{})
		began := time.Now()
		_, err := h.Subscribe(t.Context(), Options{})
		var unavailable *presence.UnavailableError
		require.ErrorAs(t, err, &unavailable)
		require.Zero(t, time.Since(began))
		require.Zero(t, h.Subscribers())

		src.fail(nil)
		elapse(2 * time.Second)
		open(t, h, Options{})
	})
}

func TestStopWhileTheStoreIsDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := &faulty{Store: newStore()}
		src.fail(errDown)
		h := startHub(t, src, Config{})
		elapse(time.Minute)
		began := time.Now()
		h.Stop()
		require.Zero(t, time.Since(began), "a back-off ends at once")
	})
}

func TestSubscribeWaitsForTheStartNoLongerThanItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := NewHub(newStore(), Config{}, slog.New(slog.DiscardHandler))
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := h.Subscribe(ctx, Options{})
		require.ErrorIs(t, err, context.DeadlineExceeded)
	})
}

func TestALostLogIsToldToAllAsAReset(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newStore()
		h := startHub(t, store, Config{})
		all, ada := open(t, h, Options{}), open(t, h, Options{Users: []string{"ada"}})

		store.Lose() // all shards' logs, and each is told to be lost by itself
		for _, s := range []*Subscription{all, ada} {
			require.Equal(t, &Delta{Reset: true, Position: tail(t, store)}, next(t, s))
		}
		elapse(10 * time.Second)
		require.Empty(t, drain(t, all), "one reset for all shards")

		signIn(t, store, "ada")
		for _, s := range []*Subscription{all, ada} {
			d := next(t, s)
			require.Equal(t, []string{"ada"}, users(d.Events))
			require.False(t, d.Reset)
		}
	})
}

func TestALossIsToldOnceTheStoreAnswersAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := &faulty{Store: newStore()}
		h := startHub(t, src, Config{})
		s := open(t, h, Options{})
		src.failTail(errDown)
		src.Lose()
		elapse(10 * time.Second)
		require.Empty(t, drain(t, s), "nothing is told that isn't known")
		src.failTail(nil)
		elapse(5 * time.Second)
		require.True(t, drain(t, s).Reset)
	})
}

// alwaysShort is a log that has lost each place before it can be read.
type alwaysShort struct {
	*memstore.Store
	follows atomic.Int64
}

func (a *alwaysShort) Follow(
	_ context.Context, _ int, after presence.EventID, _ time.Duration,
) ([]presence.Event, presence.EventID, error) {
	a.follows.Add(1)
	return nil, after, presence.ErrTrimmed
}

func TestALogThatIsAlwaysTooShortDoesNotKeepTheStoreBusy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := &alwaysShort{Store: newStore()}
		startHub(t, src, Config{Window: 10 * time.Millisecond})
		elapse(time.Second)
		require.LessOrEqual(t, src.follows.Load(), int64(testShards*101))
	})
}

func TestStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := startHub(t, newStore(), Config{})
		s := open(t, h, Options{})
		waiting := make(chan error, 1)
		go func() {
			_, err := s.Next(t.Context())
			waiting <- err
		}()
		synctest.Wait()

		h.Stop()
		require.ErrorIs(t, <-waiting, ErrStopped)
		_, err := s.Next(t.Context())
		require.ErrorIs(t, err, ErrStopped)
		_, err = h.Subscribe(t.Context(), Options{})
		require.ErrorIs(t, err, ErrStopped)
		require.Zero(t, h.Subscribers())
		s.Close()
		h.Stop()
		h.Start() // does nothing
	})
}

func TestStopWithoutStart(t *testing.T) {
	h := NewHub(newStore(), Config{}, slog.New(slog.DiscardHandler))
	h.Stop()
	_, err := h.Subscribe(t.Context(), Options{})
	require.ErrorIs(t, err, ErrStopped)
}

func TestStartStopStress(t *testing.T) {
	store := newStore()
	for i := range 200 {
		h := NewHub(store, Config{}, slog.New(slog.DiscardHandler))
		h.Start()
		done := make(chan struct{})
		go func() {
			defer close(done)
			for {
				s, err := h.Subscribe(t.Context(), Options{})
				if err != nil {
					return
				}
				if _, err = s.Next(t.Context()); err != nil {
					return
				}
			}
		}()
		signIn(t, store, fmt.Sprintf("user-%d", i))
		h.Stop()
		<-done
	}
}

// Case 22 (docs/cases.md). In a bubble, so that the readers stand before the
// first count and all that ends has ended before the second.
func TestManyCyclesLeaveNothingBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newStore()
		h := startHub(t, store, Config{})
		since := next(t, subscribe(t, h, Options{})).Position
		synctest.Wait()
		base, subscribers := inBubble(), h.Subscribers()
		require.Positive(t, base)
		for i := range 10_000 {
			ctx, cancel := context.WithCancel(t.Context())
			o := Options{}
			switch i % 4 {
			case 1:
				o.Users = []string{"ada"}
			case 2:
				o.Since = since
			}
			s, err := h.Subscribe(ctx, o)
			require.NoError(t, err)
			if i%2 == 0 {
				s.Close()
				s.Close()
			}
			cancel()
			if i%100 == 0 {
				signIn(t, store, fmt.Sprintf("user-%d", i))
			}
		}
		synctest.Wait()
		require.Equal(t, subscribers, h.Subscribers())
		require.LessOrEqual(t, inBubble(), base)
		require.Zero(t, h.held.Load())
		require.Empty(t, h.subs.byUser)
		require.Len(t, h.subs.groups, 1)
	})
}

// inBubble is how many goroutines the test's bubble has. Those outside of it, of the runtime and of what runs
// the tests, come and go.
func inBubble() int {
	stacks := make([]byte, 1<<20)
	stacks = stacks[:runtime.Stack(stacks, true)]
	return bytes.Count(stacks, []byte("synctest bubble"))
}
