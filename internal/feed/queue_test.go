package feed

import (
	"fmt"
	"runtime"
	"testing"
	"testing/synctest"
	"time"
	"weak"

	"github.com/stretchr/testify/require"
)

// However far a reader is behind, the chain of its group goes back to its place and no further; and when
// it has gone, nothing keeps it.
func TestAChainGoesBackToTheLastPlaceOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newStore()
		h := startHub(t, store, Config{QueueDeltas: 4})
		slow, quick := open(t, h, Options{}), open(t, h, Options{})
		var told []weak.Pointer[Delta]
		alive := func() (n int) {
			runtime.GC()
			for _, d := range told {
				if d.Value() != nil {
					n++
				}
			}
			return n
		}
		for i := range 9 { // the fifth does not fit, and resets the reader
			signIn(t, store, fmt.Sprintf("user-%d", i))
			elapse(100 * time.Millisecond)
			d, err := quick.Poll()
			require.NoError(t, err)
			require.Len(t, d.Events, 1)
			told = append(told, weak.Make(d))
		}
		require.Equal(t, 4, alive())
		require.True(t, next(t, slow).Reset)
		require.Len(t, next(t, slow).Events, 1)
		require.Equal(t, 3, alive())
		slow.Close()
		require.Zero(t, alive())
		runtime.KeepAlive(h)
	})
}
