package feed

import (
	"context"
	"time"

	"rollcall/internal/presence"
)

// publishReads gathers what the readers get for a window at a time and
// publishes it, until ctx ends.
func (h *Hub) publishReads(ctx context.Context, from <-chan read) {
	for {
		var reads []read
		select {
		case r := <-from:
			reads = append(reads, r)
		case <-ctx.Done():
			return
		}
		window := time.NewTimer(h.cfg.Window)
		for open := true; open; {
			select {
			case r := <-from:
				reads = append(reads, r)
			case <-window.C:
				open = false
			case <-ctx.Done():
				window.Stop()
				return
			}
		}
		h.publish(reads)
	}
}

func (h *Hub) publish(reads []read) {
	h.mu.Lock()
	defer h.mu.Unlock()
	from, to := h.place, h.place.Clone()
	var events []presence.Event
	for i, r := range reads {
		to[r.shard] = r.last
		if i == 0 {
			// Clipped, since the store may own what lies behind.
			events = r.events[:len(r.events):len(r.events)]
		} else {
			events = append(events, r.events...)
		}
	}
	h.place = to
	for _, d := range split(events, from, to, h.cfg.DeltaEvents) {
		h.subs.tell(d)
	}
}

// notFound says why there is no place yet.
func (h *Hub) notFound(err error) {
	h.mu.Lock()
	h.broken = err
	h.mu.Unlock()
	h.attempted()
}

// moveTo makes place the one from which events are published. If it is not the
// first one, what lies between it and the one before is lost.
func (h *Hub) moveTo(place presence.Position) {
	h.mu.Lock()
	if h.place != nil {
		h.losses++
		for s := range h.subs.all() {
			s.lose(place)
		}
	}
	h.place = place
	h.mu.Unlock()
	h.attempted()
}

// split makes deltas of at most size events, of which the positions lead
// from one to the other: each is exact, since a position is made of one place
// per shard and the events of a shard are in order.
func split(events []presence.Event, from, to presence.Position, size int) []*Delta {
	var deltas []*Delta
	at := from
	for len(events) > size {
		at = at.Clone()
		for _, e := range events[:size] {
			at[e.Shard] = e.ID
		}
		deltas = append(deltas, &Delta{Events: events[:size:size], Position: at})
		events = events[size:]
	}
	if len(events) > 0 {
		deltas = append(deltas, &Delta{Events: events, Position: to})
	}
	return deltas
}
