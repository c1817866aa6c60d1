package redisstore

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"rollcall/internal/presence"
	"rollcall/internal/presence/presencetest"
)

// The most shards that there may be give the same answers as few; the whole suite is run
// with few (see TestConformance).
func TestManyShards(t *testing.T) {
	for _, shards := range []int{64, presence.MaxShards} {
		t.Run(fmt.Sprint(shards), func(t *testing.T) {
			t.Parallel()
			const users = 2000
			w := newTwins(t, shards)
			presencetest.Sweep(t.Context(), t, w.store)
			before, err := w.store.Tail(t.Context())
			require.NoError(t, err)
			require.Len(t, before, shards)
			again, err := presence.ParsePosition(before.Cursor())
			require.NoError(t, err)
			require.Equal(t, before, again)
			ids := make([]string, users)
			for i := range ids {
				ids[i] = fmt.Sprintf("user-%d", i)
			}
			w.signIn(t, ids)
			require.Equal(t, repeated(ids, presence.EventOnline), heard(t, w.store, before))

			least, most := 10, 40
			for _, order := range orders {
				for _, filter := range []presence.Filter{{}, presence.NewFilter(presence.Online, &least, &most)} {
					for _, first := range []int{1, 10, presence.MaxFirst} {
						w.walk(t, presence.PageRequest{Order: order, Filter: filter, First: first}, 6)
					}
				}
			}
			require.ElementsMatch(t, ids, slices.Compact(slices.Sorted(slices.Values(walkUnordered(t, w.store)))))

			ps, err := w.store.Presences(t.Context(), ids)
			require.NoError(t, err)
			for i, p := range ps {
				require.Equal(t, ids[i], p.UserID)
				require.Equal(t, presence.Online, p.Status)
			}
			stats, err := w.store.Stats(t.Context())
			require.NoError(t, err)
			require.Len(t, stats.OnlineByShard, shards)
			total := 0
			for _, n := range stats.OnlineByShard {
				total += n
			}
			require.Equal(t, users, total)

			before, err = w.store.Tail(t.Context())
			require.NoError(t, err)
			sweepFor(t, w.store, w.clock, 2*presence.DefaultTTL)
			require.Equal(t, repeated(ids, presence.EventOffline), heard(t, w.store, before))
			page, err := w.store.Page(t.Context(), presence.PageRequest{Order: presence.LevelAsc, First: 10})
			require.NoError(t, err)
			require.Zero(t, page.Total)
			require.Empty(t, page.Rows)
		})
	}
}

// walk compares so many pages, one behind the other.
func (w twins) walk(t *testing.T, req presence.PageRequest, pages int) {
	t.Helper()
	for range pages {
		page := w.page(t, req)
		if !page.HasNext {
			return
		}
		req.After = page.End
	}
}

// walkUnordered is all users of the unordered walk, some more than once.
func walkUnordered(t *testing.T, s *Store) []string {
	t.Helper()
	var ids []string
	req := presence.PageRequest{Order: presence.Unordered, First: presence.MaxFirst}
	for {
		page, err := s.Page(t.Context(), req)
		require.NoError(t, err)
		ids = append(ids, usersOf(page)...)
		if !page.HasNext {
			return ids
		}
		req.After = page.End
	}
}

// heard are the types of the events behind a position, by user; each event has to be in
// its user's shard.
func heard(t *testing.T, s *Store, after presence.Position) map[string][]presence.EventType {
	t.Helper()
	types := make(map[string][]presence.EventType)
	for shard, id := range after {
		events, _, err := s.Range(t.Context(), shard, id)
		require.NoError(t, err)
		for _, e := range events {
			require.Equal(t, shard, presence.Shard(e.Presence.UserID, s.Shards()))
			types[e.Presence.UserID] = append(types[e.Presence.UserID], e.Type)
		}
	}
	return types
}

func repeated(ids []string, what presence.EventType) map[string][]presence.EventType {
	types := make(map[string][]presence.EventType, len(ids))
	for _, id := range ids {
		types[id] = []presence.EventType{what}
	}
	return types
}
