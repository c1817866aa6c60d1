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

// lose says that the logs of these shards no longer hold what came before to.
func (s *Subscription) lose(to presence.Position, shards []int) {
	s.mu.Lock()
	if s.err == nil {
		s.drop()
		s.lost, s.lostTo = true, to
		if s.floor != nil {
			// Another log's ids compare to nothing.
			s.floor = s.floor.Clone()
			for _, shard := range shards {
				s.floor[shard] = to[shard]
			}
		}
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

// takeAndUnlock is one delta of queued batches. It needs s.mu and lets go of it
// before it copies, so that the hub never waits for that.
func (s *Subscription) takeAndUnlock() Delta {
	n, events := 0, 0
	for n < len(s.queue) && (n == 0 || events+len(s.queue[n].events) <= s.hub.cfg.DeltaEvents) {
		events += len(s.queue[n].events)
		n++
	}
	s.taken = append(s.taken[:0], s.queue[:n]...)
	s.queue = slices.Delete(s.queue, 0, n)
	s.events -= events
	after, floor := s.taken[n-1].after, s.floor
	if reaches(after, floor) {
		s.floor = nil
	}
	s.mu.Unlock()

	defer clear(s.taken)
	if n == 1 && floor == nil {
		return Delta{Events: s.taken[0].events, Position: after}
	}
	merged := make([]presence.Event, 0, events)
	for _, b := range s.taken {
		for _, e := range b.events {
			if floor == nil || e.ID.Compare(floor[e.Shard]) > 0 {
				merged = append(merged, e)
			}
		}
	}
	return Delta{Events: merged, Position: ahead(after, floor)}
}
