package feed

import (
	"slices"

	"rollcall/internal/presence"
)

// push queues a batch; on a full queue the subscriber loses its place, for
// good measure with the batch that didn't fit.
func (s *Subscription) push(b *batch) {
	s.mu.Lock()
	switch {
	case s.err != nil:
	case len(s.queue) >= s.hub.cfg.QueueBatches, s.events+len(b.events) > s.hub.cfg.QueueEvents:
		s.drop()
		s.lost, s.lostTo = true, b.after
	default:
		s.queue = append(s.queue, b)
		s.events += len(b.events)
	}
	s.mu.Unlock()
	s.signal()
}

// lose says that what came before to is lost, of any shard.
func (s *Subscription) lose(to presence.Position) {
	s.mu.Lock()
	if s.err == nil {
		s.drop()
		s.lost, s.lostTo = true, to
		s.floor = nil // ids of another log compare to nothing
	}
	s.mu.Unlock()
	s.signal()
}

// drop lets go of all that waits. It needs s.mu.
func (s *Subscription) drop() {
	s.setFirst(nil)
	s.queue, s.events = nil, 0
}

// setFirst keeps the hub's count of held events. It needs s.mu.
func (s *Subscription) setFirst(first []Delta) {
	held := 0
	for _, d := range first {
		held += len(d.Events)
	}
	s.hub.held.Add(int64(held - s.held))
	s.first, s.held = first, held
}

// portion is what the next delta is made of: nothing if there is none.
type portion struct {
	whole   *Delta            // one that comes before the live batches, or
	batches []*batch          // what is to be merged into one
	floor   presence.Position // up to where the batches' events were told before; may be nil
}

// take takes the next portion out of the queue.
func (s *Subscription) take() (portion, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.err != nil:
		return portion{}, s.err
	case len(s.first) > 0:
		d := s.first[0]
		s.setFirst(s.first[1:])
		return portion{whole: &d}, nil
	case s.lost:
		s.lost = false
		return portion{whole: &Delta{Position: s.lostTo.Later(s.floor), Reset: true}}, nil
	case len(s.queue) == 0:
		return portion{}, nil
	}
	n, events := 0, 0
	for n < len(s.queue) && (n == 0 || events+len(s.queue[n].events) <= s.hub.cfg.DeltaEvents) {
		events += len(s.queue[n].events)
		n++
	}
	s.taken = append(s.taken[:0], s.queue[:n]...)
	s.queue = slices.Delete(s.queue, 0, n)
	s.events -= events
	floor := s.floor
	if s.taken[n-1].after.Reaches(floor) {
		s.floor = nil
	}
	return portion{batches: s.taken, floor: floor}, nil
}

// merge makes one delta of the batches.
func (p portion) merge() Delta {
	last := p.batches[len(p.batches)-1]
	if len(p.batches) == 1 && p.floor == nil {
		return Delta{Events: last.events, Position: last.after}
	}
	events := 0
	for _, b := range p.batches {
		events += len(b.events)
	}
	merged := make([]presence.Event, 0, events)
	for _, b := range p.batches {
		for _, e := range b.events {
			if p.floor == nil || e.ID.Compare(p.floor[e.Shard]) > 0 {
				merged = append(merged, e)
			}
		}
	}
	return Delta{Events: merged, Position: last.after.Later(p.floor)}
}
