package memstore

import (
	"context"

	"rollcall/internal/presence"
)

// state is what the store knows a user to be.
type state uint8

const (
	unknown state = iota
	online
	offline
)

type user struct {
	id    string
	shard *shard
	state state

	epoch      presence.Epoch
	lastActive presence.Millis
	level      int

	// while online
	device   string
	nonce    uint32 // of the sign-in
	since    presence.Millis
	leaseEnd presence.Millis
	away     bool // AWAY has been told

	// while offline
	why    presence.Reason
	leftAt presence.Millis
}

// lookup is the stored user, or one of whom nothing is stored yet.
func (s *Store) lookup(id string) *user {
	if u, ok := s.users[id]; ok {
		return u
	}
	return newUser(id, s.shardOf(id))
}

// newUser is one of whom nothing is known.
func newUser(id string, sh *shard) *user {
	return &user{id: id, shard: sh, level: presence.NoLevel}
}

// ended reports whether the user's last session was ended on purpose, so that
// it can't be resumed.
func (u *user) ended() bool { return u.state == offline && u.why != presence.Expired }

// idle reports whether an online user counts as AWAY.
func (u *user) idle(now presence.Millis, rules presence.Rules) bool {
	return u.lastActive <= now.Add(-rules.AwayAfter)
}

// forgotten reports whether a user has been offline for so long that they count
// as never seen, whether or not they have been swept away.
func (u *user) forgotten(now presence.Millis) bool {
	return u.state == offline && u.leftAt <= now.Add(-presence.SeenFor)
}

func (u *user) leaseOver(now presence.Millis) bool {
	return u.leaseEnd <= now && now >= u.shard.grace
}

func (u *user) presence(now presence.Millis, rules presence.Rules) presence.Presence {
	if u.forgotten(now) {
		return presence.Presence{UserID: u.id, Status: presence.Offline}
	}
	p := presence.Presence{
		UserID: u.id, Status: presence.Offline, LastActiveAt: u.lastActive, Epoch: u.epoch,
	}
	if u.state == online {
		p.Status, p.OnlineSince, p.DeviceID = u.status(now, rules), u.since, u.device
	}
	return p
}

// status is that of an online user.
func (u *user) status(now presence.Millis, rules presence.Rules) presence.Status {
	if u.idle(now, rules) {
		return presence.Away
	}
	return presence.Online
}

// Presences implements [presence.Store].
func (s *Store) Presences(_ context.Context, userIDs []string) ([]presence.Presence, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	now := s.now()
	out := make([]presence.Presence, len(userIDs))
	for i, id := range userIDs {
		out[i] = s.lookup(id).presence(now, s.rules)
	}
	return out, nil
}
