package shed

import (
	"math/rand/v2"
	"sync/atomic"
	"time"
)

// valve refuses a share of what comes, by how long its turn takes to come. It opens and closes by small steps, as PIE does for packets
// (RFC 8033): a share that is right stays, where a limit of how many may be under way would have to be known for each machine.
type valve struct {
	target time.Duration
	above  int           // ticks in a row in which the delay was above the target
	closed atomic.Uint32 // the share that is refused, of full
}

const (
	full = 1 << 16
	// patient is how many ticks a delay has to last before anything is refused, as bursts don't.
	patient = 3
	// mostClosed leaves some through, or nobody would know when the overload ends.
	mostClosed = 0.98
	leastStep  = 0.02
	mostStep   = 0.2
	// reopening is what is left of a share in each tick without delay.
	reopening = 0.85
	leastOpen = 0.005
)

// set moves the valve by the delay of the last tick.
func (v *valve) set(delay time.Duration) {
	share := float64(v.closed.Load()) / full
	if delay <= v.target {
		v.above = 0
		if share *= reopening; share < leastOpen {
			share = 0
		}
	} else if v.above++; v.above >= patient {
		excess := float64(delay-v.target) / float64(v.target)
		share = min(share+min(leastStep+excess/10, mostStep), mostClosed)
	}
	v.closed.Store(uint32(share * full))
}

// admits says whether one more may come.
func (v *valve) admits() bool {
	closed := v.closed.Load()
	return closed == 0 || rand.Uint32N(full) >= closed
}
