package memstore

import (
	"context"

	"rollcall/internal/presence"
)

// End implements [presence.Store].
func (s *Store) End(_ context.Context, userID string, epoch presence.Epoch, reason presence.Reason) (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	s.shardOf(userID).beginTimed(now, s.rules)
	if tooFarAhead(epoch, now) {
		return false, presence.ErrEpochAhead
	}
	u := s.lookup(userID)
	s.settle(u, now)
	if epoch != 0 && epoch < u.epoch {
		return false, nil // the end of a session long replaced
	}
	if u.state == unknown && epoch == 0 {
		return false, nil
	}
	live := u.state == online
	s.leave(u, max(epoch, u.epoch), reason, now)
	if live {
		s.record(u, presence.Event{Type: presence.EventOffline, Reason: reason, At: now})
	}
	return live, nil
}

// leave makes a user offline, or an offline one's session ended for another reason.
func (s *Store) leave(u *user, epoch presence.Epoch, why presence.Reason, now presence.Millis) {
	s.change(u, func() {
		u.state, u.epoch, u.why, u.leftAt = offline, epoch, why, now
		u.device, u.since, u.leaseEnd, u.away = "", 0, 0, false
	})
}
