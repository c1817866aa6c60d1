package rate

import (
	"hash/maphash"
	"sync"
	"time"
)

const (
	// parts are locked each for itself.
	parts = 64
	// mostKeys is how many keys of each of two generations are remembered, in 10 MB at the most.
	mostKeys = 1 << 17
)

// Buckets are token buckets by key, full at first. A bucket is kept as the one time at which it will be full again (this is known as
// GCRA), and forgotten once it surely is: buckets that nobody takes from cost nothing. If more than [mostKeys] are in use at a time
// the oldest are forgotten before: who has so many keys gets more than the limit, and no more memory.
type Buckets struct {
	limit Limit
	seed  maphash.Seed
	base  time.Time
	now   func() time.Time
	most  int // keys of a generation in a part
	parts [parts]part
}

// part is some of the buckets.
type part struct {
	mu sync.Mutex
	// fullAt is when buckets are full, in nanoseconds since base, by the key's hash: those taken from in this
	// generation, and in the one before.
	fullAt, before map[uint64]int64
	begun          int64 // this generation
	_              [64]byte
}

// NewBuckets are buckets of a limit; nil for no limit. now is time.Now, but for tests.
func NewBuckets(l Limit, now func() time.Time) *Buckets {
	if l.None() {
		return nil
	}
	return &Buckets{limit: l, seed: maphash.MakeSeed(), base: now(), now: now, most: mostKeys / parts}
}

// Take takes n from a key's bucket. If there is not so much in it nothing is taken, and retryAfter is when there will be; more than the
// bucket holds is had when it is full. It is 0 if n was taken.
func (b *Buckets) Take(key string, n int) (retryAfter time.Duration) {
	if b == nil {
		return 0
	}
	hash := maphash.String(b.seed, key)
	p := &b.parts[hash%parts]
	now, cost := int64(b.now().Sub(b.base)), int64(b.limit.share(n))
	p.mu.Lock()
	defer p.mu.Unlock()
	if now-p.begun >= int64(b.limit.Per) || len(p.fullAt) >= b.most || p.fullAt == nil {
		p.fullAt, p.before, p.begun = make(map[uint64]int64, len(p.fullAt)/2), p.fullAt, now
	}
	full, found := p.fullAt[hash]
	if !found {
		full = p.before[hash]
	}
	full = max(full, now) + cost
	if wait := full - now - int64(b.limit.Per); wait > 0 {
		return max(time.Duration(wait), time.Millisecond)
	}
	p.fullAt[hash] = full
	return 0
}
