package memstore

import (
	"math/bits"

	"rollcall/internal/presence"
)

// list is the online users of all shards in each order that pages need.
type list struct {
	byActivity index // last activity
	byLevel    index // composite score: level, then last activity
	byID       index // score 0 throughout
}

func newList() list { return list{newIndex(), newIndex(), newIndex()} }

// composite orders by level, then by activity. [presence.NoLevel] is below all levels.
func composite(level int, lastActive presence.Millis) int64 {
	return int64(level)*presence.LevelUnit + int64(lastActive)
}

// levelOf is the level in a composite score.
func levelOf(score int64) int { return int(score >> bits.TrailingZeros64(presence.LevelUnit)) }

// change applies a change to a user and brings all indexes up to date; every
// change of a stored user goes through it.
func (s *Store) change(u *user, apply func()) {
	before := *u
	apply()
	s.users[u.id] = u
	s.reindex(&before, u)
}

// forget drops all that is known of a user.
func (s *Store) forget(u *user) {
	before := *u
	*u = *newUser(u.id, u.shard)
	delete(s.users, u.id)
	s.reindex(&before, u)
}

func (s *Store) reindex(before, after *user) {
	id := after.id
	s.list.byActivity.move(id, before.activityScore(), after.activityScore())
	s.list.byID.move(id, before.idScore(), after.idScore())
	if s.levelIndex {
		s.list.byLevel.move(id, before.levelScore(), after.levelScore())
	}
	sh := after.shard
	sh.leases.move(id, before.leaseScore(), after.leaseScore())
	sh.awake.move(id, before.awakeScore(), after.awakeScore())
	sh.left.move(id, before.leftScore(), after.leftScore())
}

func (u *user) activityScore() score { return score{int64(u.lastActive), u.state == online} }

func (u *user) idScore() score { return score{0, u.state == online} }

func (u *user) levelScore() score {
	return score{composite(u.level, u.lastActive), u.state == online}
}

func (u *user) leaseScore() score { return score{int64(u.leaseEnd), u.state == online} }

func (u *user) awakeScore() score { return score{int64(u.lastActive), u.state == online && !u.away} }

func (u *user) leftScore() score { return score{int64(u.leftAt), u.state == offline} }
