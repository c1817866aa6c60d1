package memstore

import (
	"context"

	"rollcall/internal/presence"
)

// sweepBound is how many users one sweep changes at most: it holds the lock.
const sweepBound = 1000

// Sweep implements [presence.Store].
func (s *Store) Sweep(_ context.Context, shard int) (presence.SweepReport, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now, sh := s.now(), s.shards[shard]
	sh.beginTimed(now, s.rules)
	sh.swept = now

	report := presence.SweepReport{Beats: sh.beats, Now: now}
	for range sweepBound {
		u := s.nextDue(sh, now)
		if u == nil {
			return report, nil
		}
		switch s.settle(u, now) {
		case expired:
			report.Expired++
		case wentAway:
			report.Away++
		case forgotten:
			report.Forgotten++
		case nothing: // nobody is due for it
		}
	}
	report.More = s.nextDue(sh, now) != nil
	return report, nil
}

// nextDue is the next user whom settling changes; nil when there is none.
func (s *Store) nextDue(sh *shard, now presence.Millis) *user {
	if now >= sh.grace {
		if p, ok := sh.leases.due(now); ok {
			return s.users[p.id]
		}
	}
	if p, ok := sh.awake.due(now.Add(-s.rules.AwayAfter)); ok {
		return s.users[p.id]
	}
	if p, ok := sh.left.due(now.Add(-presence.SeenFor)); ok {
		return s.users[p.id]
	}
	return nil
}
