package feed

import (
	"slices"

	"rollcall/internal/presence"
)

// queue is the batches that wait for one subscriber, oldest first.
type queue struct {
	batches []*batch // from next on
	next    int
	events  int // in all of them
}

func (q *queue) len() int { return len(q.batches) - q.next }

func (q *queue) push(b *batch) {
	q.batches = append(q.batches, b)
	q.events += len(b.events)
}

func (q *queue) pop() *batch {
	b := q.batches[q.next]
	q.batches[q.next] = nil
	q.next++
	q.events -= len(b.events)
	switch {
	case q.next == len(q.batches):
		q.batches, q.next = q.batches[:0], 0
	case q.next > len(q.batches)/2:
		q.batches = slices.Delete(q.batches, 0, q.next)
		q.next = 0
	}
	return b
}

// push queues a batch; on a full queue the subscriber loses its place, for
// good measure with the batch that didn't fit.
func (s *Subscription) push(b *batch) {
	s.mu.Lock()
	switch {
	case s.err != nil:
	case s.queue.len() >= s.hub.cfg.QueueBatches, s.queue.events+len(b.events) > s.hub.cfg.QueueEvents:
		s.drop()
		s.lost, s.lostTo = true, b.after
	default:
		s.queue.push(b)
	}
	s.mu.Unlock()
	s.notify()
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
	s.notify()
}

// drop lets go of all that waits. It needs s.mu.
func (s *Subscription) drop() {
	s.setFirst(nil)
	s.queue = queue{}
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

// take takes the next delta, nil if there is none, and up to where its events were told
// before, nil if none were.
func (s *Subscription) take() (d *Delta, floor presence.Position, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.err != nil:
		return nil, nil, s.err
	case len(s.first) > 0:
		d := s.first[0]
		s.setFirst(s.first[1:])
		return &d, nil, nil
	case s.lost:
		s.lost = false
		return &Delta{Position: s.lostTo.Later(s.floor), Reset: true}, nil, nil
	case s.queue.len() == 0:
		return nil, nil, nil
	}
	b := s.queue.pop()
	floor = s.floor
	if b.after.Reaches(floor) {
		s.floor = nil
	}
	return &Delta{Events: b.events, Position: b.after, memo: &b.memo}, floor, nil
}

// above is the delta without what was told up to floor.
func (d *Delta) above(floor presence.Position) Delta {
	var events []presence.Event
	for _, e := range d.Events {
		if e.ID.Compare(floor[e.Shard]) > 0 {
			events = append(events, e)
		}
	}
	return Delta{Events: events, Position: d.Position.Later(floor)}
}
