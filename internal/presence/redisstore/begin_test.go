package redisstore

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"rollcall/internal/presence"
	"rollcall/internal/presence/presencetest"
	"rollcall/internal/redistest"
)

// Redis comes back with what it saved before the users were moved.
func TestARedisFromBeforeAResharding(t *testing.T) {
	t.Parallel()
	opts := Options{URL: redistest.Start(t).URL(), Prefix: "p", Shards: 4, Buckets: 64, Rules: presence.DefaultRules()}
	s := open(t, opts)
	presencetest.SignIn(t, s, 100)
	saved := map[string]string{}
	keys, err := s.client.Keys(t.Context(), "*").Result()
	require.NoError(t, err)
	for _, key := range keys {
		saved[key] = s.client.Dump(t.Context(), key).Val()
	}
	opts.Shards = 8
	_, err = Reshard(t.Context(), opts, untold)
	require.NoError(t, err)
	_, err = s.Tail(t.Context())
	require.Error(t, err)
	require.Equal(t, 8, s.Shards())

	require.NoError(t, s.client.FlushAll(t.Context()).Err())
	for key, value := range saved {
		require.NoError(t, s.client.Restore(t.Context(), key, time.Hour, value).Err())
	}
	_, err = s.Tail(t.Context())
	require.ErrorContains(t, err, "is stored in")
	require.Equal(t, 4, s.Shards(), "it goes back")
	page, err := s.Page(t.Context(), presence.PageRequest{Order: presence.LastActiveDesc})
	require.NoError(t, err)
	require.Equal(t, 100, page.Total)
	require.NoError(t, s.Check(t.Context()))
	_, err = Reshard(t.Context(), opts, untold)
	require.NoError(t, err)
}

// A node has not noticed a resharding when Redis loses all.
func TestALossBeforeANodeHasFollowed(t *testing.T) {
	t.Parallel()
	opts := Options{URL: redistest.Start(t).URL(), Prefix: "p", Shards: 4, Buckets: 64, Rules: presence.DefaultRules()}
	late, s := open(t, opts), open(t, opts)
	for _, node := range []*Store{late, s} {
		_, err := node.Tail(t.Context())
		require.NoError(t, err)
	}
	opts.Shards = 8
	_, err := Reshard(t.Context(), opts, untold)
	require.NoError(t, err)
	_, err = s.Tail(t.Context())
	require.Error(t, err)
	require.Equal(t, 8, s.Shards())
	require.NoError(t, s.client.FlushAll(t.Context()).Err())
	presencetest.SignIn(t, s, 100)
	_, err = late.Beat(t.Context(), []presence.Beat{{UserID: "ann", DeviceID: "phone"}})
	require.ErrorAs(t, err, new(*presence.UnavailableError))
	page, err := late.Page(t.Context(), presence.PageRequest{Order: presence.LastActiveDesc})
	require.NoError(t, err)
	require.Equal(t, 100, page.Total)
}
