package feed

import (
	"cmp"
	"context"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"rollcall/internal/presence"
	"rollcall/internal/presence/memstore"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var _ presence.Log = (*faulty)(nil)

const testShards = 4

func newStore() *memstore.Store {
	return memstore.New(memstore.Options{Shards: testShards, EventLog: 1 << 20})
}

// faulty is a store's log that fails, or lags, when told to.
type faulty struct {
	*memstore.Store

	mu      sync.Mutex
	err     error         // what all reads answer
	tailErr error         // what Tail answers
	lag     chan struct{} // what Follow waits for before it answers
	// meanwhile runs between a Range's reading and its answer.
	meanwhile func(call int)
	// follows and ranges count the calls.
	follows, ranges int
}

func (f *faulty) fail(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.err = err
}

func (f *faulty) failTail(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.tailErr = err
}

// hold makes Follow lag until the function it returns is called.
func (f *faulty) hold() (release func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	lag := make(chan struct{})
	f.lag = lag
	return func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.lag = nil
		close(lag)
	}
}

func (f *faulty) state() (lag chan struct{}, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.lag, f.err
}

func (f *faulty) Tail(ctx context.Context) (presence.Position, error) {
	f.mu.Lock()
	fault := cmp.Or(f.err, f.tailErr)
	f.mu.Unlock()
	if fault != nil {
		return nil, fault
	}
	return f.Store.Tail(ctx)
}

func (f *faulty) Range(ctx context.Context, shard int, after presence.EventID) ([]presence.Event, presence.EventID, error) {
	f.mu.Lock()
	f.ranges++
	call, meanwhile, fault := f.ranges, f.meanwhile, f.err
	f.mu.Unlock()
	if fault != nil {
		return nil, presence.EventID{}, fault
	}
	events, last, err := f.Store.Range(ctx, shard, after)
	if meanwhile != nil {
		meanwhile(call)
	}
	return events, last, err
}

func (f *faulty) Follow(
	ctx context.Context, shard int, after presence.EventID, wait time.Duration,
) ([]presence.Event, presence.EventID, error) {
	f.mu.Lock()
	f.follows++
	f.mu.Unlock()
	if _, err := f.state(); err != nil {
		return nil, presence.EventID{}, err
	}
	events, last, err := f.Store.Follow(ctx, shard, after, wait)
	lag, fault := f.state()
	if lag != nil {
		select {
		case <-lag:
		case <-ctx.Done():
			return nil, presence.EventID{}, ctx.Err()
		}
	}
	if fault != nil {
		return nil, presence.EventID{}, fault // the answer was lost
	}
	return events, last, err
}

var errDown = &presence.UnavailableError{RetryAfter: time.Second, Cause: context.DeadlineExceeded}

// startHub is a running hub that ends with the test.
func startHub(t testing.TB, src presence.Log, cfg Config) *Hub {
	t.Helper()
	h := NewHub(src, cfg, slog.New(slog.DiscardHandler))
	h.Start()
	t.Cleanup(h.Stop)
	return h
}

// elapse moves the bubble's clock and lets everything happen that is due.
func elapse(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

func subscribe(t testing.TB, h *Hub, o Options) *Subscription {
	t.Helper()
	s, err := h.Subscribe(t.Context(), o)
	require.NoError(t, err)
	t.Cleanup(s.Close)
	return s
}

// next is the next delta, which must come within a second.
func next(t testing.TB, s *Subscription) *Delta {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	d, err := s.Next(ctx)
	require.NoError(t, err)
	return d
}

// open is subscribe past an empty first delta.
func open(t testing.TB, h *Hub, o Options) *Subscription {
	t.Helper()
	s := subscribe(t, h, o)
	first := next(t, s)
	require.Empty(t, first.Events)
	require.False(t, first.Reset)
	return s
}

// drain is everything that Poll has, put together.
func drain(t testing.TB, s *Subscription) *Delta {
	t.Helper()
	all := new(Delta)
	for {
		d, err := s.Poll()
		require.NoError(t, err)
		if d == nil {
			return all
		}
		all.Events = append(all.Events, d.Events...)
		all.Position = d.Position
		all.Reset = all.Reset || d.Reset
	}
}

func signIn(t testing.TB, store presence.Store, users ...string) {
	t.Helper()
	beats := make([]presence.Beat, len(users))
	for i, u := range users {
		beats[i] = presence.Beat{UserID: u, DeviceID: "phone"}
	}
	_, err := store.Beat(t.Context(), beats)
	require.NoError(t, err)
}

func disconnect(t testing.TB, store presence.Store, user string) {
	t.Helper()
	_, err := store.End(t.Context(), user, 0, presence.Disconnected)
	require.NoError(t, err)
}

func users(events []presence.Event) []string {
	ids := make([]string, len(events))
	for i, e := range events {
		ids[i] = e.Presence.UserID
	}
	return ids
}

func tail(t testing.TB, store presence.Log) presence.Position {
	t.Helper()
	p, err := store.Tail(t.Context())
	require.NoError(t, err)
	return p
}

// eventsAfter is what the logs hold behind p, by shard.
func eventsAfter(t testing.TB, store presence.Log, p presence.Position) [][]presence.Event {
	t.Helper()
	logs := make([][]presence.Event, len(p))
	for shard, after := range p {
		events, _, err := store.Range(t.Context(), shard, after)
		require.NoError(t, err)
		logs[shard] = append([]presence.Event{}, events...)
	}
	return logs
}

// byShard is events as eventsAfter has them.
func byShard(events []presence.Event) [][]presence.Event {
	logs := make([][]presence.Event, testShards)
	for i := range logs {
		logs[i] = []presence.Event{}
	}
	for _, e := range events {
		logs[e.Shard] = append(logs[e.Shard], e)
	}
	return logs
}
