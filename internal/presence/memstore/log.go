package memstore

import (
	"context"
	"slices"
	"time"

	"rollcall/internal/presence"
)

// eventLog is the transitions of one shard, oldest first. It is empty only
// while the shard is not open.
type eventLog struct {
	shard   int
	keep    int
	entries []presence.Event // a genesis entry has no Type
	last    presence.EventID // never goes back, even when the log begins anew
	grown   chan struct{}    // closed when there is something new to see
}

func newEventLog(shard, keep int) eventLog {
	return eventLog{shard: shard, keep: keep, grown: make(chan struct{})}
}

func (l *eventLog) begin(now presence.Millis) { l.append(presence.Event{At: now}) }

func (l *eventLog) append(e presence.Event) {
	id := presence.EventID{Ms: uint64(e.At)}
	if id.Ms <= l.last.Ms {
		id = presence.EventID{Ms: l.last.Ms, Seq: l.last.Seq + 1}
	}
	e.Shard, e.ID, l.last = l.shard, id, id
	if len(l.entries) == l.keep {
		l.entries[0] = presence.Event{} // drops its strings before the array is
		l.entries = l.entries[1:]
	}
	l.entries = append(l.entries, e)
	l.wake()
}

func (l *eventLog) lose() {
	l.entries = nil
	l.wake()
}

func (l *eventLog) wake() {
	close(l.grown)
	l.grown = make(chan struct{})
}

// after is a copy of the events behind the entry id, and the id of the newest.
func (l *eventLog) after(id presence.EventID) ([]presence.Event, presence.EventID, error) {
	at, found := slices.BinarySearchFunc(l.entries, id,
		func(e presence.Event, id presence.EventID) int { return e.ID.Compare(id) })
	if !found {
		return nil, presence.EventID{}, presence.ErrTrimmed
	}
	// Only a log's first entry is a genesis, so it is never behind another.
	return slices.Clone(l.entries[at+1:]), l.last, nil
}

// Tail implements [presence.Log].
func (s *Store) Tail(context.Context) (presence.Position, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	tail := make(presence.Position, len(s.shards))
	for i, sh := range s.shards {
		sh.begin(now, s.rules)
		tail[i] = sh.log.last
	}
	return tail, nil
}

// Range implements [presence.Log].
func (s *Store) Range(_ context.Context, shard int, after presence.EventID) ([]presence.Event, presence.EventID, error) {
	events, last, _, err := s.read(shard, after)
	return events, last, err
}

// Follow implements [presence.Log].
func (s *Store) Follow(ctx context.Context, shard int, after presence.EventID, wait time.Duration) ([]presence.Event, presence.EventID, error) {
	timeout := time.NewTimer(wait)
	defer timeout.Stop()
	for {
		events, last, grown, err := s.read(shard, after)
		if err != nil || len(events) > 0 {
			return events, last, err
		}
		select {
		case <-grown:
		case <-timeout.C:
			return nil, last, nil
		case <-ctx.Done():
			return nil, presence.EventID{}, ctx.Err()
		}
	}
}

// read is Range, and a channel that is closed when a later read may say more.
func (s *Store) read(shard int, after presence.EventID) ([]presence.Event, presence.EventID, <-chan struct{}, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	l := &s.shards[shard].log
	events, last, err := l.after(after)
	return events, last, l.grown, err
}
