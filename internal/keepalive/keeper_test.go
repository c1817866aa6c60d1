package keepalive

import (
	"context"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"rollcall/internal/feed"
	"rollcall/internal/logtest"
	"rollcall/internal/presence"
	"rollcall/internal/presence/memstore"
	"rollcall/internal/pulse"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// world is a node over a store in memory, in a bubble with a clock of its own.
type world struct {
	t       *testing.T
	store   *memstore.Store
	service *presence.Service
	hub     *feed.Hub
	beats   *recorder
	keeper  *Keeper
	logged  *logtest.Log // by the keeper
}

// recorder passes heartbeats on and remembers them.
type recorder struct {
	service Heartbeater

	mu   sync.Mutex
	sent []presence.Heartbeat
	err  error // answered instead
}

func (r *recorder) Heartbeat(ctx context.Context, h presence.Heartbeat) (presence.Lease, error) {
	r.mu.Lock()
	r.sent = append(r.sent, h)
	err := r.err
	r.mu.Unlock()
	if err != nil {
		return presence.Lease{}, err
	}
	return r.service.Heartbeat(ctx, h)
}

func (r *recorder) fail(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.err = err
}

func (r *recorder) kinds() []presence.BeatKind {
	r.mu.Lock()
	defer r.mu.Unlock()
	var kinds []presence.BeatKind
	for _, h := range r.sent {
		kinds = append(kinds, h.Kind)
	}
	return kinds
}

// inWorld runs a test with everything in place; the store is swept as in life.
func inWorld(t *testing.T, test func(t *testing.T, w *world)) {
	synctest.Test(t, func(t *testing.T) {
		log := slog.New(slog.DiscardHandler)
		store := memstore.New(memstore.Options{Shards: 2})
		w := &world{t: t, store: store, service: presence.NewService(store, presence.DefaultRules(), nil, log)}
		sweeper := presence.NewSweeper(store, log)
		sweeper.Start()
		t.Cleanup(sweeper.Stop)
		w.hub = feed.NewHub(store, feed.Config{}, log)
		w.hub.Start()
		t.Cleanup(w.hub.Stop)
		w.beats = &recorder{service: w.service}
		keeperLog, logged := logtest.New(slog.LevelDebug)
		w.keeper, w.logged = New(w.beats, w.hub, keeperLog), logged
		w.elapse(2 * time.Minute) // past the grace of a new store
		test(t, w)
	})
}

// elapse moves the bubble's clock and lets everything happen that is due.
func (w *world) elapse(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

func ada(device string) presence.Heartbeat {
	return presence.Heartbeat{UserID: "ada", DeviceID: device}
}

func (w *world) keep(h presence.Heartbeat, p *pulse.Pulse) (<-chan Event, Event) {
	w.t.Helper()
	events, err := w.keeper.Keep(w.t.Context(), h, p)
	require.NoError(w.t, err)
	started := <-events
	require.Equal(w.t, Started, started.Type)
	require.NotEmpty(w.t, started.Session)
	return events, started
}

func (w *world) signIn(device string) presence.Lease {
	w.t.Helper()
	lease, err := w.service.Heartbeat(w.t.Context(), ada(device))
	require.NoError(w.t, err)
	return lease
}

func (w *world) status() presence.Status {
	w.t.Helper()
	p, err := w.service.Presences(w.t.Context(), []string{"ada"})
	require.NoError(w.t, err)
	return p[0].Status
}

// pongs answers every 20 s for d.
func (w *world) pongs(p *pulse.Pulse, d time.Duration) {
	for range d / (20 * time.Second) {
		w.elapse(20 * time.Second)
		p.Beat()
		synctest.Wait()
	}
}

// requireLast checks that the session ends with one event of this type.
func (w *world) requireLast(events <-chan Event, started Event, end EventType) {
	w.t.Helper()
	w.elapse(time.Second)
	require.Equal(w.t, Event{Type: end, Session: started.Session}, <-events)
	_, more := <-events
	require.False(w.t, more, "the channel is closed after the last event")
	require.Zero(w.t, w.hub.Subscribers())
}

func requireQuiet(t *testing.T, events <-chan Event) {
	t.Helper()
	synctest.Wait()
	select {
	case e, open := <-events:
		t.Fatalf("unexpected event %v (open: %v)", e, open)
	default:
	}
}
