package ws

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A crew that never comes to an end keeps no more than what waits.
func TestACrewThatIsAlwaysBusyDoesNotGrow(t *testing.T) {
	c := crew{working: 1 << 10} // so that nobody but the test takes
	for range 100 {
		c.add(new(outbox))
	}
	for range 100_000 {
		o := c.take()
		require.NotNil(t, o)
		c.add(o)
		require.LessOrEqual(t, cap(c.outs), 1000)
	}
	for range 100 {
		require.NotNil(t, c.take())
	}
	require.Nil(t, c.take())
	require.Nil(t, c.outs)
}
