package memstore

import (
	"context"

	"rollcall/internal/presence"
)

// Beat implements [presence.Store].
func (s *Store) Beat(_ context.Context, beats []presence.Beat) ([]presence.BeatResult, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	results := make([]presence.BeatResult, len(beats))
	for i, b := range beats {
		s.shardOf(b.UserID).beginTimed(now, s.rules)
		results[i] = s.beat(b, now)
	}
	return results, nil
}

func (s *Store) beat(b presence.Beat, now presence.Millis) presence.BeatResult {
	if tooFarAhead(b.Epoch, now) {
		return presence.BeatResult{Err: presence.ErrEpochAhead, Now: now}
	}
	u := s.lookup(b.UserID)
	s.settle(u, now)
	outcome, epoch, err := admit(u, b, now)
	if err != nil {
		return presence.BeatResult{Err: err, Now: now}
	}
	u.shard.beats++

	before := *u
	comesOnline := before.state != online
	leaseEnd := now.Add(s.rules.Lease(b.Kind))
	if !comesOnline && epoch == before.epoch {
		leaseEnd = max(leaseEnd, before.leaseEnd) // a lease that goes on is never cut short
	}
	s.change(u, func() {
		u.state, u.epoch, u.device, u.leaseEnd = online, epoch, b.DeviceID, leaseEnd
		if b.Epoch == 0 {
			u.nonce = b.Nonce
		}
		if b.Kind == presence.Active {
			u.lastActive = max(u.lastActive, now)
		}
		if comesOnline {
			u.since = now
		}
		if comesOnline || b.Kind == presence.Active {
			u.away = u.idle(now, s.rules)
		}
	})
	switch {
	case comesOnline:
		s.record(u, presence.Event{Type: presence.EventOnline, At: now})
	case outcome == presence.ReplacedOtherDevice, before.away && !u.away:
		s.record(u, presence.Event{Type: presence.EventUpdated, At: now})
	}
	return presence.BeatResult{Outcome: outcome, Epoch: epoch, LeaseEnd: leaseEnd, Now: now}
}

// admit decides by the epochs what a beat of a settled user does, and which
// epoch is the session's after it.
func admit(u *user, b presence.Beat, now presence.Millis) (presence.Outcome, presence.Epoch, error) {
	signIn, epoch := b.Epoch == 0, b.Epoch
	if signIn {
		epoch = max(presence.Epoch(now), u.epoch+1)
	}
	switch {
	case signIn && b.Nonce != 0 && b.Nonce == u.nonce && u.state == online && u.device == b.DeviceID:
		return presence.SignedIn, u.epoch, nil // the same sign-in once more
	case epoch <= u.epoch && u.ended():
		return "", 0, presence.ErrSessionEnded
	case epoch < u.epoch:
		return "", 0, presence.ErrSessionReplaced
	case u.state == online && u.device != b.DeviceID && epoch == u.epoch:
		return "", 0, presence.ErrSessionReplaced
	case u.state == online && u.device != b.DeviceID:
		return presence.ReplacedOtherDevice, epoch, nil
	case signIn:
		return presence.SignedIn, epoch, nil
	case u.state == online:
		return presence.Refreshed, epoch, nil
	}
	return presence.Resumed, epoch, nil
}

func tooFarAhead(e presence.Epoch, now presence.Millis) bool {
	return e > presence.Epoch(now.Add(presence.EpochLead))
}
