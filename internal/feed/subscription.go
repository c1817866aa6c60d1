package feed

import (
	"context"
	"errors"
	"slices"
	"sync"

	"rollcall/internal/presence"
)

// ErrClosed is what Next and Poll return once the subscription is closed.
var ErrClosed = errors.New("the subscription is closed")

// Subscription is one subscriber's place in the feed. Next, or Poll, is for one
// goroutine at a time; Close is for any.
type Subscription struct {
	hub    *Hub
	notify func()

	mu    sync.Mutex
	err   error // why it ended
	queue queue
	// first holds the deltas that come before all live ones.
	first []*Delta
	held  int // events in first, as the hub counts them
	// lost says that the place was lost; lostTo is where it goes on.
	lost   bool
	lostTo presence.Position
	// floor is what a resumed subscription has been told already, ahead of the
	// hub; nil once the hub is past it. It is replaced, never changed.
	floor presence.Position

	// Behind what each delta needs, for the processor's cache:
	users []string      // sorted, each once; nil: everybody
	wake  chan struct{} // nil if somebody else is notified
	leave func() bool

	// The hub's lock guards these.
	group *group // nil once it has left
	slot  int    // among the group's members
}

func newSubscription(h *Hub, o Options) *Subscription {
	s := &Subscription{hub: h, notify: o.Notify}
	if o.Users != nil {
		s.users = slices.Compact(slices.Sorted(slices.Values(o.Users)))
		if s.users == nil {
			s.users = []string{}
		}
	}
	if s.notify == nil {
		s.wake = make(chan struct{}, 1)
		s.notify = s.signal
	}
	return s
}

// Next waits for the next delta; the first comes at once. Errors: ErrClosed,
// ErrStopped, the context's. It is not for one who is notified.
func (s *Subscription) Next(ctx context.Context) (*Delta, error) {
	for {
		if d, err := s.Poll(); d != nil || err != nil {
			return d, err
		}
		select {
		case <-s.wake:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// Wake receives when there may be something to Poll for. It is never closed.
func (s *Subscription) Wake() <-chan struct{} { return s.wake }

// Poll is Next without waiting; nil says that there is no delta now. After a
// wake-up or notification call it until then.
func (s *Subscription) Poll() (*Delta, error) {
	for {
		d, floor, err := s.take()
		if floor == nil {
			return d, err
		}
		// s.mu is free by now, so that the hub never waits for the copying.
		if own := d.above(floor); len(own.Events) > 0 { // else all of it was told before it was published
			return own, nil
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

// end makes err what Next and Poll return from now on, unless it ended before.
func (s *Subscription) end(err error) {
	s.mu.Lock()
	if s.err == nil {
		s.err = err
		s.drop()
	}
	s.mu.Unlock()
	s.notify()
}

// begin sets what comes before the live deltas. A subscription that lost its
// place since it was registered begins with that instead: nothing of first
// has been told.
func (s *Subscription) begin(first []*Delta, floor presence.Position) {
	defer s.notify()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lost || s.err != nil {
		return
	}
	s.setFirst(first)
	s.floor = floor
}

func (s *Subscription) signal() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}
