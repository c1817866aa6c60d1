package feed

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"rollcall/internal/presence"
)

// resumed is a subscription since before one event of ada, on a hub that has
// told it; meanwhile runs during each read of the log.
func resumed(t *testing.T, cfg Config, meanwhile func(src *faulty, call int)) (*faulty, presence.Position, *Subscription) {
	t.Helper()
	src := &faulty{Store: newStore()}
	h := startHub(t, src, cfg)
	since := tail(t, src)
	signIn(t, src, "ada")
	elapse(time.Second)
	src.meanwhile = func(call int) { meanwhile(src, call) }
	return src, since, subscribe(t, h, Options{Since: since})
}

func TestTheHubGoesOnWhileASubscriberResumes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src, since, s := resumed(t, Config{}, func(src *faulty, call int) {
			for i := range 10 { // in the first read unregistered, then registered
				signIn(t, src, fmt.Sprintf("meanwhile-%d-%d", call, i))
				time.Sleep(50 * time.Millisecond)
			}
		})
		elapse(time.Second)
		d := drain(t, s)
		require.False(t, d.Reset)
		require.Greater(t, len(d.Events), 20)
		require.Equal(t, eventsAfter(t, src.Store, since), byShard(d.Events))
	})
}

func TestAPlaceLostWhileResumingIsAReset(t *testing.T) {
	for name, meanwhile := range map[string]func(t *testing.T, src *faulty, call int){
		"the log is lost, which the hub has seen": func(_ *testing.T, src *faulty, call int) {
			if call == 1 {
				src.Lose()
				time.Sleep(5 * time.Second)
			}
		},
		"the log is lost, which the hub has not seen": func(t *testing.T, src *faulty, call int) {
			if call == 1 {
				signIn(t, src, "ada2", "bob", "cyd", "dan")
				disconnect(t, src, "ada")
				time.Sleep(time.Second)
				src.hold()
				src.Lose()
			}
		},
		"the queue is full": func(t *testing.T, src *faulty, call int) {
			for i := range 10 {
				signIn(t, src, fmt.Sprintf("meanwhile-%d-%d", call, i))
				time.Sleep(50 * time.Millisecond)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				_, _, s := resumed(t, Config{QueueDeltas: 4}, func(src *faulty, call int) { meanwhile(t, src, call) })
				require.True(t, next(t, s).Reset)
				require.Zero(t, s.hub.held.Load())
			})
		})
	}
}

// As in the test at the end: comparing ids does not show this loss.
func TestALossWithOlderIdsWhileResumingIsAReset(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := &faulty{Store: newStore()}
		h := startHub(t, src, Config{})
		since := tail(t, src)
		signIn(t, src, "ada")
		elapse(time.Second)
		src.meanwhile = func(int) {
			place := tail(t, src)
			place[1] = presence.EventID{Ms: 1}
			h.moveTo(place)
			time.Sleep(time.Second)
		}
		require.True(t, next(t, subscribe(t, h, Options{Since: since})).Reset)
	})
}

func TestAStoreThatFailsWhileResuming(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := &faulty{Store: newStore()}
		h := startHub(t, src, Config{})
		since := tail(t, src)
		signIn(t, src, "ada")
		elapse(time.Second)
		src.meanwhile = func(int) {
			disconnect(t, src, "ada")
			time.Sleep(time.Second)
			src.fail(errDown)
		}
		_, err := h.Subscribe(t.Context(), Options{Since: since})
		require.ErrorIs(t, err, errDown)
		require.Zero(t, h.Subscribers(), "it was registered already")
	})
}

func TestAHubThatStopsWhileASubscriberResumes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := &faulty{Store: newStore()}
		h := startHub(t, src, Config{})
		since := tail(t, src)
		signIn(t, src, "ada")
		elapse(time.Second)
		src.meanwhile = func(int) { h.Stop() }
		_, err := h.Subscribe(t.Context(), Options{Since: since})
		require.ErrorIs(t, err, ErrStopped)
	})
}

func TestOnlySoManyResumeAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := &faulty{Store: newStore()}
		h := startHub(t, src, Config{})
		since := tail(t, src)
		signIn(t, src, "ada")
		elapse(time.Second)
		answer := make(chan struct{})
		src.meanwhile = func(int) { <-answer }
		done := make(chan error)
		for range maxResuming {
			go func() {
				_, err := h.Subscribe(t.Context(), Options{Since: since})
				done <- err
			}()
		}
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := h.Subscribe(ctx, Options{Since: since})
		require.ErrorIs(t, err, context.DeadlineExceeded)

		close(answer)
		for range maxResuming {
			require.NoError(t, <-done)
		}
	})
}

// The ids of a log begun anew may compare as older than what was told of the
// old one, where the store's clock was set back.
func TestALossEndsWhatWasToldAhead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := &faulty{Store: newStore()}
		h := startHub(t, src, Config{})
		open(t, h, Options{}) // it has a place now
		place := tail(t, src)
		src.hold()
		for i := range 20 {
			signIn(t, src, fmt.Sprintf("early-%d", i))
		}
		since := tail(t, src)
		s := open(t, h, Options{Since: since})

		to := place.Clone()
		to[1] = presence.EventID{Ms: 1}
		s.lose(to)
		d := next(t, s)
		require.True(t, d.Reset)
		require.Equal(t, to, d.Position)
	})
}
