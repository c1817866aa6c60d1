package presence

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"time"
)

// Defaults of [Rules].
const (
	DefaultTTL           = 60 * time.Second
	DefaultBackgroundTTL = 150 * time.Second
	DefaultAwayAfter     = 5 * time.Minute
)

// EpochLead is how far ahead of the store's clock the epoch of a session may
// be before it can't have come from this store.
const EpochLead = time.Minute

// SeenFor is how long an offline user's last activity is remembered, and with it the epoch
// that fences off their old sessions.
const SeenFor = 7 * 24 * time.Hour

// Rules are the durations that decide presence. All nodes of one prefix must
// have the same.
type Rules struct {
	TTL           time.Duration // lease after an active heartbeat, or a pong
	BackgroundTTL time.Duration // lease after a heartbeat with active: false
	AwayAfter     time.Duration // idle this long: AWAY
}

// DefaultRules are the rules for browsers, whose hidden tabs may run one timer
// a minute.
func DefaultRules() Rules {
	return Rules{TTL: DefaultTTL, BackgroundTTL: DefaultBackgroundTTL, AwayAfter: DefaultAwayAfter}
}

// Validate reports rules under which nobody could stay online.
func (r Rules) Validate() error {
	const least = 100 * time.Millisecond
	for _, d := range []struct {
		name string
		d    time.Duration
	}{{"TTL", r.TTL}, {"BACKGROUND_TTL", r.BackgroundTTL}, {"AWAY_AFTER", r.AwayAfter}} {
		if d.d < least || d.d > SeenFor {
			return fmt.Errorf("%s is %v; it must be between %v and %v", d.name, d.d, least, SeenFor)
		}
	}
	if r.BackgroundTTL < r.TTL {
		return errors.New("BACKGROUND_TTL is shorter than TTL")
	}
	return nil
}

// Lease is how long a beat of this kind keeps its user online.
func (r Rules) Lease(kind BeatKind) time.Duration {
	if kind == Background {
		return r.BackgroundTTL
	}
	return r.TTL
}

// Gap is the time without a sweep after which it is presumed that all nodes were gone,
// and grace granted: long enough for another node to take over the sweeping, short
// enough that a user who beats as told survives it.
func (r Rules) Gap() time.Duration {
	return min(max(r.TTL/4, time.Second), 5*time.Second)
}

// NextBeat is when to send the next beat after one of this kind: 0.4 of the
// lease with ±10 % jitter, so that one lost beat never costs the lease and a
// crowd that arrived together spreads out.
func (r Rules) NextBeat(kind BeatKind) time.Duration {
	jitter := 0.9 + 0.2*rand.Float64()
	return time.Duration(0.4 * jitter * float64(r.Lease(kind))).Truncate(time.Millisecond)
}
