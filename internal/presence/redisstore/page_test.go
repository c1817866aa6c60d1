package redisstore

import (
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"rollcall/internal/presence"
	"rollcall/internal/presence/presencetest"
	"rollcall/internal/redistest"
)

// A filter by level that leaves few of many is answered from the levels' ranges,
// one that leaves many from the list; either way with the same rows.
func TestByActivityOverLevels(t *testing.T) {
	t.Parallel()
	clock := presencetest.NewClock()
	s := open(t, Options{
		URL: redistest.Shared(t).URL(), Prefix: redistest.Prefix(t), Shards: 2, Buckets: 64, LevelIndex: true, Now: clock.Now,
	})
	const users, few = 3000, 40
	presencetest.SignIn(t, s, users) // with levels from 0 to 99
	levels := make(map[string]int)
	var rare []string // by rising activity
	for i := range few {
		if i%3 == 0 { // some share theirs
			clock.Advance(time.Millisecond)
		}
		id := "rare-" + strconv.Itoa(i)
		_, err := s.Beat(t.Context(), []presence.Beat{{UserID: id, DeviceID: "phone"}})
		require.NoError(t, err)
		levels[id] = 100 + i%7
		rare = append(rare, id)
	}
	require.NoError(t, s.SetLevels(t.Context(), levels))
	slices.SortStableFunc(rare, func(a, b string) int { // ties by id
		i, _ := strconv.Atoi(a[5:])
		j, _ := strconv.Atoi(b[5:])
		if i/3 != j/3 {
			return i/3 - j/3
		}
		if a < b {
			return -1
		}
		return 1
	})

	least, most := 100, presence.MaxLevel
	for _, first := range []int{1, 7, 50} {
		require.Equal(t, rare, walkAll(t, s, presence.LastActiveAsc, presence.NewFilter("", &least, &most), first))
		require.Equal(t, rare, walkAll(t, s, presence.LastActiveAsc, presence.NewFilter(presence.Online, &least, nil), first))
		down := walkAll(t, s, presence.LastActiveDesc, presence.NewFilter("", &least, nil), first)
		slices.Reverse(down)
		require.Equal(t, rare, down)
	}
	none := 0
	require.Len(t, walkAll(t, s, presence.LastActiveDesc, presence.NewFilter("", &none, nil), 500), users+few)
	clock.Advance(presence.DefaultAwayAfter)
	require.Equal(t, rare, walkAll(t, s, presence.LastActiveAsc, presence.NewFilter(presence.Away, &least, nil), 7))
	require.Empty(t, walkAll(t, s, presence.LastActiveAsc, presence.NewFilter(presence.Online, &least, nil), 7))
}

// walkAll is the ids of all pages; it checks what each page says of itself.
func walkAll(t *testing.T, s *Store, order presence.Order, filter presence.Filter, first int) []string {
	t.Helper()
	var ids []string
	req := presence.PageRequest{Order: order, Filter: filter, First: first}
	for {
		page, err := s.Page(t.Context(), req)
		require.NoError(t, err)
		require.Equal(t, len(ids) > 0, page.HasPrevious)
		for _, row := range page.Rows {
			ids = append(ids, row.UserID)
		}
		require.Equal(t, len(ids) < page.Total, page.HasNext)
		if !page.HasNext {
			return ids
		}
		require.Len(t, page.Rows, first)
		req.After = page.End
	}
}
