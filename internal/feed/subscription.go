package feed

import (
	"context"
	"errors"
	"sync"

	"rollcall/internal/presence"
)

// ErrClosed is what Next returns once the subscription is closed.
var ErrClosed = errors.New("the subscription is closed")

// Subscription is one subscriber's place in the feed. Next, or Poll and Wake,
// are for one goroutine; Close is for any.
type Subscription struct {
	hub   *Hub
	users map[string]struct{} // nil: everybody
	wake  chan struct{}
	taken []*batch // for reuse, the reader's
	leave func() bool

	// The hub's lock guards these.
	slot    int              // in index.unfiltered
	matched []presence.Event // of the batch that is being told

	mu  sync.Mutex
	err error // why it ended
	// first holds the deltas that come before all live ones.
	first []Delta
	held  int // events in first, as the hub counts them
	queue []*batch
	// events counts those in queue.
	events int
	// lost says that the place was lost; lostTo is where it goes on.
	lost   bool
	lostTo presence.Position
	// floor is what a resumed subscription has been told already, ahead of the
	// hub; nil once the hub is past it. It is replaced, never changed.
	floor presence.Position
}

func newSubscription(h *Hub, users []string) *Subscription {
	s := &Subscription{hub: h, wake: make(chan struct{}, 1)}
	if users != nil {
		s.users = make(map[string]struct{}, len(users))
		for _, u := range users {
			s.users[u] = struct{}{}
		}
	}
	return s
}

// Next waits for the next delta; the first comes at once. What has gathered
// since the last call comes as few, larger deltas (at most Config.DeltaEvents
// events each). Errors: ErrClosed, ErrStopped, the context's.
func (s *Subscription) Next(ctx context.Context) (Delta, error) {
	for {
		if d, ok, err := s.Poll(); ok || err != nil {
			return d, err
		}
		select {
		case <-s.wake:
		case <-ctx.Done():
			return Delta{}, ctx.Err()
		}
	}
}

// Wake receives when there may be something to Poll for. It is never closed.
func (s *Subscription) Wake() <-chan struct{} { return s.wake }

// Poll is Next without waiting; false says that there is no delta now. After a
// wake-up call it until then.
func (s *Subscription) Poll() (Delta, bool, error) {
	for {
		p, err := s.take()
		switch {
		case err != nil:
			return Delta{}, false, err
		case p.whole != nil:
			return *p.whole, true, nil
		case len(p.batches) == 0:
			return Delta{}, false, nil
		}
		d := p.merge() // s.mu is free by now, so that the hub never waits for the copying
		clear(s.taken) // the batches are the subscribers' together, and large
		// Batches that were told before they were published leave nothing.
		if len(d.Events) > 0 {
			return d, true, nil
		}
	}
}

// Close ends the subscription. It may be called more than once.
func (s *Subscription) Close() {
	s.leave()
	s.close()
}

func (s *Subscription) close() {
	s.hub.remove(s)
	s.end(ErrClosed)
}

// end makes err what Next returns from now on, unless it ended before.
func (s *Subscription) end(err error) {
	s.mu.Lock()
	if s.err == nil {
		s.err = err
		s.drop()
	}
	s.mu.Unlock()
	s.signal()
}

// begin sets what comes before the live batches. A subscription that lost its
// place since it was registered begins with that instead: nothing of first
// has been told.
func (s *Subscription) begin(first []Delta, floor presence.Position) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lost || s.err != nil {
		return
	}
	s.setFirst(first)
	s.floor = floor
	s.signal()
}

func (s *Subscription) signal() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}
