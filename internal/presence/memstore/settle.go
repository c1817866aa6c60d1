package memstore

import "rollcall/internal/presence"

// settled is what time had changed for a user.
type settled uint8

const (
	nothing settled = iota
	expired
	wentAway
	forgotten
)

// settle makes and records the change that time has brought for a user, of whom
// there is at most one.
func (s *Store) settle(u *user, now presence.Millis) settled {
	switch {
	case u.forgotten(now):
		s.forget(u)
		return forgotten
	case u.state != online:
		return nothing
	case u.leaseOver(now):
		s.leave(u, u.epoch, presence.Expired, now)
		s.record(u, presence.Event{Type: presence.EventOffline, Reason: presence.Expired, At: now})
		return expired
	case !u.away && u.idle(now, s.rules):
		s.change(u, func() { u.away = true })
		s.record(u, presence.Event{Type: presence.EventUpdated, At: now})
		return wentAway
	}
	return nothing
}

// record appends an event of u, as u is after it, to the shard's log.
func (s *Store) record(u *user, e presence.Event) {
	e.Presence = u.presence(e.At, s.rules)
	u.shard.log.append(e)
}
