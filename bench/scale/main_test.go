package scale

import (
	"flag"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// The flags are package state because the testing package has no other place for them.
var (
	users = flag.Int("users", 20_000, "how many users are online")
	few   = flag.Int("few", 2_000, "how many are online in the population to compare with")
	ids   = flag.String("ids", "numeric", "the users' ids: numeric or uuid")
	ttl   = flag.Duration("ttl", 2*time.Second, "the lease after an active heartbeat")
	span  = flag.Duration("for", 200*time.Millisecond, "how long each thing is measured")
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// plan is the size of a run.
type plan struct {
	users, few int
	id         func(i int) string
	ttl        time.Duration
	span       time.Duration
}

// Of the many users some play a part at the end, in this order; the rest stay
// online and silent.

// expiring users go at a steady rate.
func (p plan) expiring() int {
	return int(float64(p.expiriesPerSecond()) * min(p.span, 10*time.Second).Seconds())
}

func (p plan) expiriesPerSecond() int { return p.users / 100 }

// stormed users go all at once.
func (p plan) stormed() int { return p.users / 10 }

// beating users beat meanwhile.
func (p plan) beating() int { return p.users / 100 }
