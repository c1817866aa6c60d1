package feed

import (
	"context"
	"errors"
	"slices"

	"golang.org/x/sync/errgroup"

	"rollcall/internal/presence"
)

// Subscribe opens a subscription that ends with ctx, or by Close. Its first
// delta comes at once:
//
//   - Without Since it is empty and says where the subscription begins.
//   - With Since it holds the events after that position, which are read from
//     the store; more than Config.DeltaEvents come in several deltas. If the
//     log of any shard no longer holds the position, or it is one of another
//     number of shards, the first delta is a reset. So it is if the events
//     that wait for all resuming subscribers together would exceed
//     Config.ResumeEvents.
//
// Errors: [*presence.UnavailableError] at once while the store can't be
// reached, ErrStopped, the context's.
func (h *Hub) Subscribe(ctx context.Context, o Options) (*Subscription, error) {
	place, losses, err := h.whereabouts(ctx)
	if err != nil {
		return nil, err
	}
	s := newSubscription(h, o)
	if o.Since == nil {
		if place, _, err = h.register(s); err != nil {
			return nil, err
		}
		s.begin([]*Delta{{Position: place}}, nil)
	} else if err := h.resume(ctx, s, o.Since, place, losses); err != nil {
		s.close()
		return nil, err
	}
	s.leave = context.AfterFunc(ctx, s.close)
	return s, nil
}

// resume registers s and catches up from since. It reads twice: first, with
// nothing queueing up, all that has happened, and once registered the little
// that the hub has published since. Live events that were read before they
// were published are then below the floor.
func (h *Hub) resume(ctx context.Context, s *Subscription, since, place presence.Position, losses int) error {
	select {
	case h.resuming <- struct{}{}:
		defer func() { <-h.resuming }()
	case <-ctx.Done():
		return ctx.Err()
	}
	c := newCatchUp(h.src, s.users, since)
	err := presence.ErrTrimmed
	if len(since) == len(place) {
		// Where since is the hub's own place the hub has verified it, or will.
		err = c.read(ctx, func(shard int) bool { return since[shard] != place[shard] })
	}
	if err != nil && !errors.Is(err, presence.ErrTrimmed) {
		return err
	}
	place, lossesNow, regErr := h.register(s)
	if regErr != nil {
		return regErr
	}
	reset := err != nil || lossesNow != losses
	if !reset {
		err = c.read(ctx, func(shard int) bool { return c.at[shard].Compare(place[shard]) < 0 })
		if err != nil && !errors.Is(err, presence.ErrTrimmed) {
			return err
		}
		reset = err != nil || h.held.Load()+int64(c.size()) > h.cfg.ResumeEvents
	}
	if reset {
		s.begin([]*Delta{{Position: place, Reset: true}}, nil)
		return nil
	}
	var floor presence.Position
	if !place.Reaches(c.at) {
		floor = c.at
	}
	s.begin(c.deltas(since, h.cfg.DeltaEvents), floor)
	return nil
}

// catchUp reads the logs from a position to their ends.
type catchUp struct {
	src    presence.Log
	users  map[string]struct{} // nil: everybody
	at     presence.Position   // how far it has read
	events [][]presence.Event  // by shard
}

func newCatchUp(src presence.Log, users []string, since presence.Position) *catchUp {
	c := &catchUp{src: src, at: since.Clone(), events: make([][]presence.Event, len(since))}
	if users != nil {
		c.users = make(map[string]struct{}, len(users))
		for _, u := range users {
			c.users[u] = struct{}{}
		}
	}
	return c
}

// maxReads bounds the shards that one subscriber reads at a time.
const maxReads = 16

func (c *catchUp) read(ctx context.Context, which func(shard int) bool) error {
	reads, ctx := errgroup.WithContext(ctx)
	reads.SetLimit(maxReads)
	for shard := range c.at {
		if !which(shard) {
			continue
		}
		reads.Go(func() error {
			events, last, err := c.src.Range(ctx, shard, c.at[shard])
			if err != nil {
				return err
			}
			c.at[shard] = last
			for _, e := range events {
				if _, wanted := c.users[e.Presence.UserID]; wanted || c.users == nil {
					c.events[shard] = append(c.events[shard], e)
				}
			}
			return nil
		})
	}
	return reads.Wait()
}

func (c *catchUp) size() (n int) {
	for _, events := range c.events {
		n += len(events)
	}
	return n
}

// deltas is what was read, across the shards in the order of time; at least
// one delta.
func (c *catchUp) deltas(since presence.Position, size int) []*Delta {
	events := slices.Concat(c.events...)
	// By id and not by Event.At, which may step back with the store's clock.
	slices.SortStableFunc(events, func(a, b presence.Event) int { return a.ID.Compare(b.ID) })
	if len(events) == 0 {
		return []*Delta{{Position: c.at}}
	}
	return split(events, since, c.at, size)
}
