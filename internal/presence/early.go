package presence

import (
	"hash/maphash"
	"math"
	"sync"
	"time"
)

// A beat is early when it comes sooner than a quarter of the interval that [Rules.NextBeat] asks for after one of the same session and kind.
// It would tell the store next to nothing. A few are taken all the same, since an active one moves its user in the list;
// beyond those a session is answered from memory: what the store has said last, which is still true of the lease, with the time
// that has passed since. Nothing is promised that the store has not promised.
//
// How wrong can it be? No longer than that quarter (6 s by default), the last activity may lag behind what the client
// reports, and a session that ended by another node may be told that it goes on; the store is not told so, and nothing is
// prolonged. What this node itself has done to a session is never overlooked.

const (
	earlyShare = 4 // of an interval
	// awayShare bounds early beats by AWAY_AFTER too, so that away comes at most 2 % sooner than the last activity has it.
	awayShare = 50

	earlyParts = 64 // are locked each for itself
	// mostEarly is how many users of each of two generations are remembered, in 13 MB at the most.
	mostEarly = 1 << 16
	// mostSkew is how far the two clocks of a [moment] may drift apart within a window.
	mostSkew = 100 * time.Millisecond
)

// early is what the store has said last to the sessions that beat on this node.
type early struct {
	rules   Rules
	allowed int // early beats that go to the store
	now     func() time.Time
	base    time.Time
	seed    maphash.Seed
	most    int // users of a generation in a part
	parts   [earlyParts]earlyPart
}

type earlyPart struct {
	mu sync.Mutex
	// last is by the hash of the user's id: of this generation, and of the one before.
	last, before map[uint64]lastBeat
	begun        int64 // this generation
}

// lastBeat is one that the store has taken, or the end of a session.
type lastBeat struct {
	epoch         Epoch
	at            moment
	now, leaseEnd Millis
	kind          BeatKind
	ended         bool
	early         uint16 // how many of those before it were early, in a row
}

// moment is a time of this node, by two clocks: a machine may have slept, and its clock may be set.
type moment struct{ steady, wall int64 } // nanoseconds

func (m moment) since(earlier moment) (passed time.Duration, sure bool) {
	steady, wall := m.steady-earlier.steady, m.wall-earlier.wall
	skew := time.Duration(wall - steady)
	return time.Duration(steady), steady >= 0 && skew > -mostSkew && skew < mostSkew
}

// AnsweringEarly has a service answer early beats of a session from memory, once this many in a row have gone to the store; with more
// than are counted (65,535) none ever is, and nothing is remembered. To be called before the service is used.
func (s *Service) AnsweringEarly(allowed int) *Service {
	if allowed > math.MaxUint16 {
		return s
	}
	s.early = newEarly(s.rules, allowed, time.Now)
	return s
}

func newEarly(rules Rules, allowed int, now func() time.Time) *early {
	return &early{rules: rules, allowed: allowed, now: now, base: now(), seed: maphash.MakeSeed(), most: mostEarly / earlyParts}
}

// window is how soon after another a beat of this kind is early.
func (e *early) window(kind BeatKind) time.Duration {
	interval := e.rules.Lease(kind) * 2 / 5
	return min(interval/earlyShare, e.rules.AwayAfter/awayShare)
}

// moment is now; of no meaning where nothing is remembered.
func (e *early) moment() moment {
	if e == nil {
		return moment{}
	}
	now := e.now()
	return moment{int64(now.Sub(e.base)), now.UnixNano()}
}

// answer is the answer to an early beat of which the store would have nothing new to say. It has no session.
func (e *early) answer(b Beat) (Lease, bool) {
	if e == nil || b.Epoch == 0 || b.Kind == Pong {
		return Lease{}, false
	}
	hash := maphash.String(e.seed, b.UserID)
	p := &e.parts[hash%earlyParts]
	now := e.moment()
	p.mu.Lock()
	defer p.mu.Unlock()
	last, found := p.find(hash)
	passed, sure := now.since(last.at)
	if !found || !sure || last.ended || last.epoch != b.Epoch || last.kind != b.Kind || passed >= e.window(b.Kind) || int(last.early) < e.allowed {
		return Lease{}, false
	}
	return Lease{
		Outcome: Refreshed, Epoch: last.epoch, Now: last.now.Add(passed), ExpiresAt: last.leaseEnd,
		NextBeat: e.rules.NextBeat(b.Kind) - passed,
	}, true
}

// note remembers what the store has answered to a beat that was sent at a moment.
func (e *early) note(b Beat, sent moment, r BeatResult) {
	if e == nil {
		return
	}
	if r.Err != nil {
		e.forget(b.UserID)
		return
	}
	hash := maphash.String(e.seed, b.UserID)
	p := &e.parts[hash%earlyParts]
	p.mu.Lock()
	defer p.mu.Unlock()
	last, found := p.find(hash)
	if found && (r.Epoch < last.epoch || sent.steady < last.at.steady || last.ended && sent.steady == last.at.steady) {
		return // a later one has been answered before, or the session has ended meanwhile
	}
	next := lastBeat{epoch: r.Epoch, at: sent, now: r.Now, leaseEnd: r.LeaseEnd, kind: b.Kind}
	if passed, sure := sent.since(last.at); found && sure && !last.ended && last.epoch == r.Epoch && last.kind == b.Kind && passed < e.window(b.Kind) {
		next.early = last.early + 1
	}
	p.keep(e, hash, next)
}

// forget has the store asked by the next beat of a user, and by those that are under way.
func (e *early) forget(userID string) {
	if e == nil {
		return
	}
	hash := maphash.String(e.seed, userID)
	p := &e.parts[hash%earlyParts]
	now := e.moment()
	p.mu.Lock()
	defer p.mu.Unlock()
	last, _ := p.find(hash)
	p.keep(e, hash, lastBeat{epoch: last.epoch, at: now, ended: true})
}

func (p *earlyPart) find(hash uint64) (last lastBeat, found bool) {
	if last, found = p.last[hash]; !found {
		last, found = p.before[hash]
	}
	return last, found
}

func (p *earlyPart) keep(e *early, hash uint64, last lastBeat) {
	if last.at.steady-p.begun >= int64(e.window(Background)) || len(p.last) >= e.most || p.last == nil {
		p.last, p.before, p.begun = make(map[uint64]lastBeat, len(p.last)/2), p.last, last.at.steady
	}
	p.last[hash] = last
}
