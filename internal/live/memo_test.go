package live

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"unique"

	"github.com/stretchr/testify/require"
)

func TestWhatIsSharedIsMadeOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var m Memo
		var made, notified atomic.Int64
		wait := make(chan struct{})
		share := func(key string) ([]byte, bool) {
			return m.Share(unique.Make(key), func() []byte {
				<-wait
				return fmt.Appendf(nil, "%s %d", key, made.Add(1))
			}, func() { notified.Add(1) })
		}
		var wg sync.WaitGroup
		for range 100 {
			wg.Go(func() {
				for _, key := range []string{"a", "b"} {
					if _, ok := share(key); ok {
						t.Error("it can't be there yet")
					}
				}
			})
		}
		wg.Wait()
		require.Zero(t, notified.Load())
		close(wait)
		synctest.Wait()
		require.EqualValues(t, 2, made.Load())
		require.EqualValues(t, 200, notified.Load())
		for _, key := range []string{"a", "b"} {
			first, ok := share(key)
			require.True(t, ok)
			second, _ := share(key)
			require.Equal(t, first, second)
			require.Contains(t, string(first), key)
		}
		require.EqualValues(t, 2, made.Load())
	})
}
