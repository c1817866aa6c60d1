package redisstore

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"rollcall/internal/presence"
	"rollcall/internal/presence/memstore"
	"rollcall/internal/presence/presencetest"
	"rollcall/internal/redistest"
)

// twins are a store and one in memory, its oracle, under one clock.
type twins struct {
	store *Store
	mem   *memstore.Store
	clock *presencetest.Clock
}

func newTwins(t *testing.T, shards int) twins {
	t.Helper()
	clock := presencetest.NewClock()
	return twins{
		store: open(t, Options{
			URL: redistest.Shared(t).URL(), Prefix: redistest.Prefix(t), Shards: shards, Buckets: 4 * shards,
			LevelIndex: true, Rules: presence.DefaultRules(), Now: clock.Now,
		}),
		mem:   memstore.New(memstore.Options{Shards: shards, LevelIndex: true, Rules: presence.DefaultRules(), Now: clock.Now}),
		clock: clock,
	}
}

// signIn brings users online in both, the same moment for a few at a time, and gives them
// levels.
func (w twins) signIn(t *testing.T, ids []string) {
	t.Helper()
	const together = 7
	levels := make(map[string]int, len(ids))
	for from := 0; from < len(ids); from += together {
		var beats []presence.Beat
		for i, id := range ids[from:min(from+together, len(ids))] {
			beats = append(beats, presence.Beat{UserID: id, DeviceID: "phone"})
			levels[id] = (from+i)*31%60 - 1 // some have none
		}
		for _, s := range []presence.Store{w.store, w.mem} {
			_, err := s.Beat(t.Context(), beats)
			require.NoError(t, err)
		}
		w.clock.Advance(time.Millisecond)
	}
	for _, s := range []presence.Store{w.store, w.mem} {
		require.NoError(t, s.SetLevels(t.Context(), levels))
	}
}

// page is a page of the store, which is the oracle's.
func (w twins) page(t *testing.T, req presence.PageRequest) presence.Page {
	t.Helper()
	want, err := w.mem.Page(t.Context(), req)
	require.NoError(t, err)
	got, err := w.store.Page(t.Context(), req)
	require.NoError(t, err)
	require.Equal(t, want.Total, got.Total)
	require.Equal(t, want.HasNext, got.HasNext)
	require.Equal(t, want.HasPrevious, got.HasPrevious)
	require.Equal(t, usersOf(want), usersOf(got))
	return got
}

func usersOf(p presence.Page) []string {
	ids := make([]string, len(p.Rows))
	for i, row := range p.Rows {
		ids[i] = row.UserID
	}
	return ids
}
