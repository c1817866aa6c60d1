package redisstore

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"rollcall/internal/presence"
	"rollcall/internal/presence/presencetest"
	"rollcall/internal/redistest"
)

func TestSubscribersOfAllNodes(t *testing.T) {
	t.Parallel()
	clock := presencetest.NewClock()
	opts := Options{URL: redistest.Shared(t).URL(), Prefix: redistest.Prefix(t), Now: clock.Now}
	a, b := open(t, opts), open(t, opts)
	has := func(s *Store, own, want int) {
		t.Helper()
		all, err := s.Subscribers(t.Context(), own)
		require.NoError(t, err)
		require.Equal(t, want, all)
	}
	has(a, 0, 0)
	has(a, 3, 3)
	has(b, 2, 5)
	has(b, 1, 4)
	has(a, 3, 4)
	clock.Advance(presence.RosterKept - time.Millisecond)
	has(a, 3, 4)
	clock.Advance(time.Millisecond) // b has died
	has(a, 3, 3)
	has(b, 2, 5)
	has(b, 0, 3) // and stopped
	ttl, err := a.client.TTL(t.Context(), a.current().keys[0].roster).Result()
	require.NoError(t, err)
	require.Positive(t, ttl)
}
