package feed

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"rollcall/internal/presence"
)

// ErrStopped is what subscribers get once the hub has stopped.
var ErrStopped = errors.New("the feed has stopped")

// Hub reads the event logs of all shards once and tells any number of
// subscribers. A store that can't be reached delays events and is no event
// itself. Once a log no longer holds what the hub read last (it was trimmed or
// lost, or the store has been resharded), the hub begins anew at the ends of all
// logs, which is told to all subscribers as one reset.
type Hub struct {
	src    presence.Log
	cfg    Config
	log    *slog.Logger
	outage outage
	// tried is closed, by attempted, after the first attempt to find the logs' ends.
	tried     chan struct{}
	attempted func()
	// resuming holds a token for each subscriber that is catching up.
	resuming chan struct{}
	// held counts the events that wait for resuming subscribers.
	held atomic.Int64
	wg   sync.WaitGroup

	mu   sync.Mutex
	stop context.CancelFunc // nil: not started
	// ended says that Stop was called.
	ended bool
	// place is the position behind all that was published; nil while unknown.
	// It is replaced, never changed, so that deltas can share it.
	place  presence.Position
	broken error // why place is unknown
	losses int   // how often the place was lost
	subs   index
}

// maxResuming bounds the subscribers that read the logs at a time: after a
// restart of another node thousands may resume at once.
const maxResuming = 32

// NewHub is a hub over src, not yet started.
func NewHub(src presence.Log, cfg Config, log *slog.Logger) *Hub {
	tried := make(chan struct{})
	return &Hub{
		src: src, cfg: cfg.withDefaults(), log: log,
		outage: outage{log: log},
		tried:  tried, attempted: sync.OnceFunc(func() { close(tried) }),
		resuming: make(chan struct{}, maxResuming),
		subs:     newIndex(),
	}
}

// Start begins to read. A hub starts once; one that was stopped stays so.
func (h *Hub) Start() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.ended || h.stop != nil {
		return
	}
	ctx, stop := context.WithCancel(context.Background())
	h.stop = stop
	h.wg.Go(func() { h.run(ctx) })
}

// Stop ends all subscriptions with ErrStopped, then the reading, and waits for
// the readers.
func (h *Hub) Stop() {
	h.mu.Lock()
	if h.stop != nil {
		h.stop()
	} else {
		h.attempted() // nobody will try
	}
	h.ended = true
	ended := h.subs.clear()
	h.mu.Unlock()
	for _, s := range ended {
		s.end(ErrStopped)
	}
	h.wg.Wait()
}

func (h *Hub) stopped() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.ended
}

// Subscribers is the number of subscriptions that are open.
func (h *Hub) Subscribers() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.subs.size
}

// whereabouts is the hub's place and the number of losses before it. It waits
// for the first attempt to find a place, no longer: a subscriber of a store
// that can't be reached is better told so.
func (h *Hub) whereabouts(ctx context.Context) (presence.Position, int, error) {
	select {
	case <-h.tried:
	case <-ctx.Done():
		return nil, 0, ctx.Err()
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.here()
}

// register adds s to those who are told: everything behind the returned place.
func (h *Hub) register(s *Subscription) (presence.Position, int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	place, losses, err := h.here()
	if err == nil {
		h.subs.add(s)
	}
	return place, losses, err
}

// here needs h.mu.
func (h *Hub) here() (presence.Position, int, error) {
	switch {
	case h.ended:
		return nil, 0, ErrStopped
	case h.place == nil:
		return nil, 0, &presence.UnavailableError{RetryAfter: time.Second, Cause: h.broken}
	}
	return h.place, h.losses, nil
}

func (h *Hub) remove(s *Subscription) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.subs.remove(s)
}
