package presence

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRate(t *testing.T) {
	var r rate
	require.Zero(t, r.perSecond())
	r.sample(1000, 50)
	require.Zero(t, r.perSecond(), "one sample has no slope")
	r.sample(1000, 70)
	require.Zero(t, r.perSecond(), "nor have two of one moment")
	r.sample(3000, 250)
	require.InDelta(t, 100, r.perSecond(), 1e-9)
}

func TestRateForgetsWhatIsOld(t *testing.T) {
	var r rate
	count := int64(0)
	for at := Millis(0); at <= 60_000; at += 200 {
		r.sample(at, count)
		if at < 30_000 {
			count += 200 // 1000 a second, then none
		}
	}
	require.Zero(t, r.perSecond())
	require.LessOrEqual(t, len(r.samples), rateWindow/200+2)
}

func TestRateBeginsAnewAfterALoss(t *testing.T) {
	var r rate
	r.sample(1000, 1_000_000)
	r.sample(2000, 5)
	require.Zero(t, r.perSecond())
	r.sample(3000, 15)
	require.InDelta(t, 10, r.perSecond(), 1e-9)
	r.sample(2500, 20) // the clock went back
	require.Zero(t, r.perSecond())
}
