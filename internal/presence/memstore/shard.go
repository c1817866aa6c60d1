package memstore

import "rollcall/internal/presence"

// shard is what the contract has per shard: when it was swept, grace, the event
// log, and what is due by time.
type shard struct {
	index int

	open  bool            // false until the first step that writes
	swept presence.Millis // the last sweep, at first the opening
	grace presence.Millis // no lease is over before
	beats int64           // accepted since the opening
	log   eventLog

	leases index // of online users: lease end
	awake  index // of online users not yet told AWAY: last activity
	left   index // of offline users: when they left
}

func newShard(i, eventLog int) *shard {
	sh := &shard{index: i, log: newEventLog(i, eventLog)}
	sh.empty()
	return sh
}

func (sh *shard) empty() {
	sh.leases, sh.awake, sh.left = newIndex(), newIndex(), newIndex()
}

// begin makes a shard found empty ready for its first step: nobody could have
// been told before, so all leases are in grace.
func (sh *shard) begin(now presence.Millis, rules presence.Rules) {
	if sh.open {
		return
	}
	sh.open = true
	sh.swept, sh.grace = now, now.Add(rules.TTL)
	sh.log.begin(now)
}

// beginTimed is begin for steps that end leases: it grants grace when the last
// sweep is so long ago that nobody can have told who was alive.
func (sh *shard) beginTimed(now presence.Millis, rules presence.Rules) {
	sh.begin(now, rules)
	if now-sh.swept > presence.Millis(rules.Gap().Milliseconds()) {
		sh.grace = now.Add(rules.TTL)
	}
}

func (sh *shard) lose() {
	sh.open = false
	sh.beats = 0
	sh.empty()
	sh.log.lose()
}
