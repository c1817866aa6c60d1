package presencetest

import (
	"context"
	"sync"

	"rollcall/internal/presence"
)

// Naive is a store that keeps a map and sorts it for each page: too slow for
// use, and plain enough to be believed. It is written from the rules alone and
// shares nothing with any other store.
type Naive struct {
	options Options
	clock   *Clock

	mu     sync.Mutex
	people map[string]*person
	shards []*naiveShard
	nextID uint64 // of an event, over all shards and losses

	samples []sample
}

type person struct {
	online bool
	epoch  presence.Epoch
	active presence.Millis
	level  int

	device          string
	nonce           uint32
	since, leaseEnd presence.Millis
	toldAway        bool

	why    presence.Reason
	leftAt presence.Millis
}

type naiveShard struct {
	swept, grace presence.Millis
	beats        int64
	log          []presence.Event // empty: never opened; the first may be a genesis
}

var _ presence.Store = (*Naive)(nil)

// NewNaive is an empty store on a clock.
func NewNaive(o Options, clock *Clock) Fixture {
	n := &Naive{options: o, clock: clock}
	n.Lose()
	return Fixture{Store: n, Clock: clock, Lose: n.Lose}
}

// Lose drops all data.
func (n *Naive) Lose() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.people = map[string]*person{}
	n.shards, n.samples = nil, nil
	for range n.options.Shards {
		n.shards = append(n.shards, &naiveShard{})
	}
}

// Shards implements [presence.Store].
func (n *Naive) Shards() int { return n.options.Shards }

// HasLevelIndex implements [presence.Store].
func (n *Naive) HasLevelIndex() bool { return n.options.LevelIndex }

// open is the shard, begun if need be; timed steps presume an outage where
// sweeps are missing.
func (n *Naive) open(shard int, timed bool) *naiveShard {
	sh, now := n.shards[shard], n.clock.Now()
	if len(sh.log) == 0 {
		sh.swept, sh.grace = now, now.Add(n.options.Rules.TTL)
		n.record(shard, presence.Event{At: now})
	}
	if timed && sh.swept.Add(n.options.Rules.Gap()) < now {
		sh.grace = now.Add(n.options.Rules.TTL)
	}
	return sh
}

func (n *Naive) record(shard int, e presence.Event) {
	n.nextID++
	e.Shard, e.ID = shard, presence.EventID{Ms: n.nextID}
	sh := n.shards[shard]
	sh.log = append(sh.log, e)
	sh.log = sh.log[max(0, len(sh.log)-n.options.EventLog):]
}

func (n *Naive) tell(id string, kind presence.EventType, reason presence.Reason) {
	n.record(n.shard(id), presence.Event{
		Type: kind, Reason: reason, At: n.clock.Now(), Presence: n.presence(id),
	})
}

func (n *Naive) shard(id string) int { return presence.Shard(id, n.options.Shards) }

func (n *Naive) isAway(p *person) bool {
	return p.active.Add(n.options.Rules.AwayAfter) <= n.clock.Now()
}

func (n *Naive) isForgotten(p *person) bool {
	return !p.online && p.leftAt.Add(presence.SeenFor) <= n.clock.Now()
}

func (n *Naive) settle(id string) {
	p, now := n.people[id], n.clock.Now()
	if p == nil {
		return
	}
	if !p.online {
		if n.isForgotten(p) {
			delete(n.people, id)
		}
		return
	}
	if now >= p.leaseEnd && now >= n.shards[n.shard(id)].grace {
		p.online, p.why, p.leftAt = false, presence.Expired, now
		n.tell(id, presence.EventOffline, presence.Expired)
	} else if n.isAway(p) && !p.toldAway {
		p.toldAway = true
		n.tell(id, presence.EventUpdated, "")
	}
}

// Beat implements [presence.Store].
func (n *Naive) Beat(_ context.Context, beats []presence.Beat) ([]presence.BeatResult, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	var results []presence.BeatResult
	for _, b := range beats {
		sh := n.open(n.shard(b.UserID), true)
		r := n.beat(b)
		r.Now = n.clock.Now()
		if r.Err == nil {
			sh.beats++
		}
		results = append(results, r)
	}
	return results, nil
}

func (n *Naive) beat(b presence.Beat) presence.BeatResult {
	now := n.clock.Now()
	if int64(b.Epoch) > int64(now)+60_000 {
		return presence.BeatResult{Err: presence.ErrEpochAhead}
	}
	n.settle(b.UserID)
	p := n.people[b.UserID]
	if p == nil {
		p = &person{level: presence.NoLevel}
	}
	epoch := b.Epoch
	if epoch == 0 {
		epoch = max(presence.Epoch(now), p.epoch+1)
	}
	otherDevice := p.online && p.device != b.DeviceID
	endedOnPurpose := !p.online && (p.why == presence.SignedOut || p.why == presence.Disconnected)
	outcome := presence.Resumed
	again := b.Epoch == 0 && b.Nonce != 0 && b.Nonce == p.nonce && p.online && !otherDevice
	if again {
		epoch = p.epoch
	}
	switch {
	case endedOnPurpose && epoch <= p.epoch:
		return presence.BeatResult{Err: presence.ErrSessionEnded}
	case epoch < p.epoch, epoch == p.epoch && otherDevice:
		return presence.BeatResult{Err: presence.ErrSessionReplaced}
	case otherDevice:
		outcome = presence.ReplacedOtherDevice
	case b.Epoch == 0:
		outcome = presence.SignedIn
	case p.online:
		outcome = presence.Refreshed
	}

	wasOnline, wasAway := p.online, p.online && p.toldAway
	lease := now.Add(n.options.Rules.Lease(b.Kind))
	if wasOnline && p.epoch == epoch && p.leaseEnd > lease {
		lease = p.leaseEnd
	}
	if !wasOnline {
		p.since = now
	}
	p.online, p.epoch, p.device, p.leaseEnd = true, epoch, b.DeviceID, lease
	if b.Epoch == 0 {
		p.nonce = b.Nonce
	}
	if b.Kind == presence.Active && now > p.active {
		p.active = now
	}
	p.toldAway = n.isAway(p)
	n.people[b.UserID] = p
	if !wasOnline {
		n.tell(b.UserID, presence.EventOnline, "")
	} else if otherDevice || wasAway && !p.toldAway {
		n.tell(b.UserID, presence.EventUpdated, "")
	}
	return presence.BeatResult{Outcome: outcome, Epoch: epoch, LeaseEnd: lease}
}

// End implements [presence.Store].
func (n *Naive) End(_ context.Context, id string, epoch presence.Epoch, reason presence.Reason) (bool, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	now := n.clock.Now()
	n.open(n.shard(id), true)
	if int64(epoch) > int64(now)+60_000 {
		return false, presence.ErrEpochAhead
	}
	n.settle(id)
	p := n.people[id]
	switch {
	case p == nil && epoch == 0:
		return false, nil
	case p == nil:
		n.people[id] = &person{epoch: epoch, why: reason, leftAt: now, level: presence.NoLevel}
		return false, nil
	case epoch != 0 && epoch < p.epoch:
		return false, nil
	}
	wasOnline := p.online
	p.online, p.epoch, p.why, p.leftAt = false, max(p.epoch, epoch), reason, now
	if wasOnline {
		n.tell(id, presence.EventOffline, reason)
	}
	return wasOnline, nil
}

// SetLevels implements [presence.Store].
func (n *Naive) SetLevels(_ context.Context, levels map[string]int) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	for id, level := range levels {
		n.open(n.shard(id), false)
		if p := n.people[id]; p != nil && p.online {
			p.level = level
		}
	}
	return nil
}

// Sweep implements [presence.Store].
func (n *Naive) Sweep(_ context.Context, shard int) (presence.SweepReport, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	sh, now := n.open(shard, true), n.clock.Now()
	sh.swept = now
	r := presence.SweepReport{Beats: sh.beats, Now: now}
	for id, p := range n.people {
		if n.shard(id) != shard {
			continue
		}
		wasOnline, wasAway := p.online, p.toldAway
		n.settle(id)
		switch {
		case n.people[id] == nil:
			r.Forgotten++
		case wasOnline && !p.online:
			r.Expired++
		case wasOnline && !wasAway && p.toldAway:
			r.Away++
		}
	}
	return r, nil
}
