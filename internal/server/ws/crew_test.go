package ws

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A crew that never comes to an end keeps no more than what waits.
func TestACrewThatIsAlwaysBusyDoesNotGrow(t *testing.T) {
	c := crew{working: 1 << 10} // so that nobody but the test takes
	var one [1]*outbox
	for range 100 {
		c.add(new(outbox))
	}
	for range 100_000 {
		require.Equal(t, 1, c.take(one[:]), "there are enough others")
		c.add(one[0])
		require.LessOrEqual(t, cap(c.outs), 1000)
	}
	for range 100 {
		require.Equal(t, 1, c.take(one[:]))
	}
	require.Zero(t, c.take(one[:]))
	require.Nil(t, c.outs)
}

// Who works takes many at a time, and of few no more than a share.
func TestACrewSharesWhatWaits(t *testing.T) {
	c := crew{working: 2}
	for range 40 {
		c.add(new(outbox))
	}
	var taken [run]*outbox
	for _, want := range []int{run, 12, 6, 3, 2, 1} {
		require.Equal(t, want, c.take(taken[:]))
	}
	require.Zero(t, c.take(taken[:]))
	require.Equal(t, 1, c.working, "and who finds nothing leaves")
}
