package feed

import (
	"context"
	"time"

	"rollcall/internal/presence"
)

// batch is what subscribers are told at a time. It is shared and never changed.
type batch struct {
	events []presence.Event
	after  presence.Position
}

// publishReads gathers what the readers get for a window at a time and
// publishes it, until ctx ends.
func (h *Hub) publishReads(ctx context.Context) {
	for {
		var reads []read
		select {
		case r := <-h.reads:
			reads = append(reads, r)
		case <-ctx.Done():
			return
		}
		window := time.NewTimer(h.cfg.Window)
		for open := true; open; {
			select {
			case r := <-h.reads:
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
	var lost []int
	for i, r := range reads {
		to[r.shard] = r.last
		if r.lost {
			lost = append(lost, r.shard)
		}
		if i == 0 {
			// Clipped, since the store may own what lies behind.
			events = r.events[:len(r.events):len(r.events)]
		} else {
			events = append(events, r.events...)
		}
	}
	h.place = to
	if lost != nil {
		h.losses++
		for s := range h.subs.all {
			s.lose(to, lost)
		}
		return
	}
	for _, b := range split(events, from, to, h.cfg.DeltaEvents) {
		h.subs.tell(b)
	}
}

// split makes batches of at most size events, of which the positions lead
// from one to the other: each is exact, since a position is made of one place
// per shard and the events of a shard are in order.
func split(events []presence.Event, from, to presence.Position, size int) []*batch {
	var batches []*batch
	at := from
	for len(events) > size {
		at = at.Clone()
		for _, e := range events[:size] {
			at[e.Shard] = e.ID
		}
		batches = append(batches, &batch{events: events[:size:size], after: at})
		events = events[size:]
	}
	if len(events) > 0 {
		batches = append(batches, &batch{events: events, after: to})
	}
	return batches
}
