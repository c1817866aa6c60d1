package scale

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"rollcall/internal/presence"
)

// endLeases makes the leases of users end one after the other, evenly over a time:
// each is signed in anew one TTL before. Later than that, when the machine
// is slow, it is done as of that moment all the same.
func (p *population) endLeases(t *testing.T, beats []presence.Beat, over time.Duration) map[string]presence.Millis {
	t.Helper()
	began := time.Now()
	var moment time.Time
	store := p.open(t, func() presence.Millis { return presence.Millis(moment.UnixMilli()) })
	ends := make(map[string]presence.Millis, len(beats))
	step := max(1, int(float64(len(beats))*0.01/over.Seconds())) // a hundredth of a second
	for from := 0; from < len(beats); from += step {
		moment = began.Add(over * time.Duration(from) / time.Duration(len(beats)))
		sleepUntil(t, moment)
		part := beats[from:min(len(beats), from+step)]
		for i := range part {
			part[i].Epoch = 0
		}
		for i, end := range p.beat(t, store, part, presence.SignedIn) {
			require.Equal(t, presence.Millis(moment.UnixMilli()).Add(p.rules.TTL), end)
			ends[part[i].UserID] = end
		}
	}
	return ends
}

// sleepUntil paces what has a time of its own.
func sleepUntil(t *testing.T, at time.Time) {
	t.Helper()
	select {
	case <-time.After(time.Until(at)):
	case <-t.Context().Done():
		t.FailNow()
	}
}
