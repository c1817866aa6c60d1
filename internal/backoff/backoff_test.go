package backoff_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"rollcall/internal/backoff"
)

func TestWaitsDouble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := backoff.Backoff{Least: 100 * time.Millisecond, Most: time.Second}
		for range 2 {
			for _, ms := range []int{100, 200, 400, 800, 1000, 1000} {
				whole := time.Duration(ms) * time.Millisecond
				begin := time.Now()
				require.True(t, b.Wait(t.Context()))
				require.GreaterOrEqual(t, time.Since(begin), whole/2)
				require.LessOrEqual(t, time.Since(begin), whole)
			}
			b.Reset()
		}
	})
}

func TestManyFailuresDoNotOverflow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := backoff.Backoff{Least: time.Second, Most: time.Minute}
		for range 100 {
			begin := time.Now()
			b.Wait(t.Context())
			require.LessOrEqual(t, time.Since(begin), time.Minute)
		}
	})
}

func TestWaitsEndWithTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		begin := time.Now()
		require.False(t, (&backoff.Backoff{Least: time.Minute, Most: time.Minute}).Wait(ctx))
		require.Equal(t, time.Second, time.Since(begin))
		require.False(t, backoff.Sleep(ctx, time.Minute))
		require.Equal(t, time.Second, time.Since(begin))
	})
}
