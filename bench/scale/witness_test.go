package scale

import (
	"context"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"rollcall/internal/feed"
	"rollcall/internal/presence"
)

// told is when an OFFLINE was told, and why the user went.
type told struct {
	at     time.Time
	reason presence.Reason
}

// witness subscribes to all events of a population, as a node's clients do.
type witness struct {
	done chan struct{}
	err  error // why it ended, once done is closed

	mu       sync.Mutex
	offline  map[string]told  // the first OFFLINE of each user
	surprise []presence.Event // whatever else was told, or told again
	resets   int
	// due is when the lease of each user ends who must be told as OFFLINE.
	due map[string]presence.Millis
}

func newWitness(t *testing.T, p *population) *witness {
	t.Helper()
	hub := feed.NewHub(p.store, feed.Config{}, slog.New(slog.NewTextHandler(t.Output(), nil)))
	hub.Start()
	sub := answer(t, func() (*feed.Subscription, error) { return hub.Subscribe(t.Context(), feed.Options{}) })
	w := &witness{done: make(chan struct{}), offline: make(map[string]told), due: make(map[string]presence.Millis)}
	ctx, cancel := context.WithCancel(context.Background())
	go w.listen(ctx, sub)
	t.Cleanup(func() {
		cancel()
		<-w.done
		sub.Close()
		hub.Stop()
	})
	return w
}

func (w *witness) listen(ctx context.Context, sub *feed.Subscription) {
	defer close(w.done)
	for {
		delta, err := sub.Next(ctx)
		if err != nil {
			w.err = err
			return
		}
		w.note(delta, time.Now())
	}
}

func (w *witness) note(delta *feed.Delta, now time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if delta.Reset {
		w.resets++
	}
	for _, e := range delta.Events {
		user := e.Presence.UserID
		if _, again := w.offline[user]; again || e.Type != presence.EventOffline {
			w.surprise = append(w.surprise, e)
			continue
		}
		w.offline[user] = told{now, e.Reason}
	}
}

// expect says that the leases of these users will end.
func (w *witness) expect(ends map[string]presence.Millis) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for user, end := range ends {
		w.due[user] = end
	}
}

// await waits until everybody has been told of whose lease ends, and returns how
// long after the end of each lease, and when the last one was told.
func (w *witness) await(t *testing.T, ends map[string]presence.Millis) (late []time.Duration, last time.Time) {
	t.Helper()
	require.Eventually(t, func() bool {
		w.mu.Lock()
		defer w.mu.Unlock()
		return len(w.offline) >= len(w.due)
	}, patience, 20*time.Millisecond, "events are missing")
	w.mu.Lock()
	defer w.mu.Unlock()
	for user, end := range ends {
		told, found := w.offline[user]
		require.True(t, found, user)
		late = append(late, told.at.Sub(end.Time()))
		if told.at.After(last) {
			last = told.at
		}
	}
	return late, last
}

// check ends the run: nothing was told but one OFFLINE for each lease that ended,
// and none of it before its time. What a shard tells last, a sign-out, shows that
// nothing more is under way.
func (w *witness) check(t *testing.T, p *population) {
	t.Helper()
	lastWords := make(map[int]string)
	for i := len(p.beats) - 1; len(lastWords) < shards; i-- {
		user := p.beats[i].UserID
		shard := presence.Shard(user, shards)
		if lastWords[shard] != "" {
			continue
		}
		lastWords[shard] = user
		answer(t, func() (bool, error) { return p.store.End(t.Context(), user, p.beats[i].Epoch, presence.SignedOut) })
	}
	require.Eventually(t, func() bool {
		w.mu.Lock()
		defer w.mu.Unlock()
		for _, user := range lastWords {
			if w.offline[user].reason != presence.SignedOut {
				return false
			}
		}
		return true
	}, patience, 20*time.Millisecond)

	w.mu.Lock()
	defer w.mu.Unlock()
	require.Zero(t, w.resets, "the witness lost its place")
	require.Empty(t, w.surprise)
	require.Len(t, w.offline, len(w.due)+shards)
	for user, end := range w.due {
		require.Equal(t, presence.Expired, w.offline[user].reason)
		require.False(t, w.offline[user].at.Before(end.Time()), "%s was told before the lease's end", user)
	}
	p.requireTotal(t, len(p.beats)-len(w.offline))
}
