package feed

import "rollcall/internal/presence"

// link is a delta in the chain of all that a group is told, the newest at its end, or the
// empty one behind that. Who has been told a link needs it no more, so that nothing but the places of its
// members keeps a chain in memory.
type link struct {
	delta *Delta
	next  *link
}

// queue is the deltas that wait for one subscriber: a place in its group's chain.
type queue struct {
	first  *link // if there are any
	len    int
	events int // in all of them
}

// push queues what comes right after what is queued.
func (q *queue) push(l *link) {
	if q.len == 0 {
		q.first = l
	}
	q.len++
	q.events += len(l.delta.Events)
}

func (q *queue) pop() *Delta {
	d := q.first.delta
	q.len--
	q.events -= len(d.Events)
	if q.first = q.first.next; q.len == 0 {
		q.first = nil
	}
	return d
}

// push queues a delta; on a full queue the subscriber loses its place, for
// good measure with the delta that didn't fit.
func (s *Subscription) push(l *link) {
	s.mu.Lock()
	switch {
	case s.err != nil:
	case s.queue.len >= s.hub.cfg.QueueDeltas, s.queue.events+len(l.delta.Events) > s.hub.cfg.QueueEvents:
		s.drop()
		s.lost, s.lostTo = true, l.delta.Position
	default:
		s.queue.push(l)
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
func (s *Subscription) setFirst(first []*Delta) {
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
		d = s.first[0]
		s.setFirst(s.first[1:])
		return d, nil, nil
	case s.lost:
		s.lost = false
		return &Delta{Position: s.lostTo.Later(s.floor), Reset: true}, nil, nil
	case s.queue.len == 0:
		return nil, nil, nil
	}
	d = s.queue.pop()
	floor = s.floor
	if d.Position.Reaches(floor) {
		s.floor = nil
	}
	return d, floor, nil
}

// above is the delta without what was told up to floor.
func (d *Delta) above(floor presence.Position) *Delta {
	var events []presence.Event
	for _, e := range d.Events {
		if e.ID.Compare(floor[e.Shard]) > 0 {
			events = append(events, e)
		}
	}
	return &Delta{Events: events, Position: d.Position.Later(floor)}
}
