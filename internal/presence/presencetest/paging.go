package presencetest

import (
	"time"

	"github.com/stretchr/testify/require"

	"rollcall/internal/presence"
)

func (tr *trial) page(req presence.PageRequest) presence.Page {
	tr.Helper()
	page, err := tr.Store.Page(tr.Context(), req)
	require.NoError(tr, err)
	return page
}

func (tr *trial) total(f presence.Filter) int {
	tr.Helper()
	return tr.page(presence.PageRequest{Order: presence.LastActiveDesc, Filter: f}).Total
}

func ids(rows []presence.Row) []string {
	var ids []string
	for _, row := range rows {
		ids = append(ids, row.UserID)
	}
	return ids
}

// carried is a mark after its way to a client and back, as a cursor:
// case 20 (docs/cases.md).
func (tr *trial) carried(order presence.Order, f presence.Filter, m presence.Mark) *presence.Mark {
	tr.Helper()
	back, err := presence.DecodeCursor(presence.EncodeCursor(order, f, m), order, f)
	require.NoError(tr, err)
	return back
}

// walkBound is more pages than any walk of these tests has.
const walkBound = 2000

// walk is the whole list in pages of first rows, each asked for by the cursor
// of the one before.
func (tr *trial) walk(order presence.Order, f presence.Filter, first int) []presence.Row {
	tr.Helper()
	var rows []presence.Row
	req := presence.PageRequest{Order: order, Filter: f, First: first}
	for pages := 0; ; pages++ {
		require.Less(tr, pages, walkBound, "the walk ends")
		page := tr.page(req)
		rows = append(rows, page.Rows...)
		require.Equal(tr, req.After != nil, page.HasPrevious)
		if order != presence.Unordered {
			require.Equal(tr, len(rows) < page.Total, page.HasNext)
			require.LessOrEqual(tr, len(page.Rows), first)
			tr.endsWithLastRow(page)
		}
		if !page.HasNext {
			return rows
		}
		require.NotNil(tr, page.End)
		req.After = tr.carried(order, f, *page.End)
	}
}

func (tr *trial) endsWithLastRow(page presence.Page) {
	tr.Helper()
	if len(page.Rows) == 0 {
		require.Nil(tr, page.End)
		return
	}
	require.Equal(tr, page.Rows[len(page.Rows)-1].After, *page.End)
}

// paging is what happens between two pages.
func paging() []test {
	return []test{
		{name: "a user who is active meanwhile moves", run: movesMeanwhile},
		{name: "a mark outlives its user", run: markOfVanished},
		{name: "a mark may stand before or behind everybody", run: marksBeyond},
		{name: "each row's mark resumes behind it", run: everyMark},
		{name: "a page of none has the total", run: totalAlone},
		{name: "scores a millisecond apart", run: closeScores},
	}
}

// staggered signs n users in, a millisecond apart, each with a level of 0 to 2.
func (tr *trial) staggered(n int) []string {
	users := names("user", n)
	levels := map[string]int{}
	for i, id := range users {
		tr.signIn(id, "phone")
		tr.Clock.Advance(time.Millisecond)
		levels[id] = i % 3
	}
	tr.setLevels(levels)
	return users
}

func movesMeanwhile(tr *trial) {
	users := tr.staggered(9)
	newest := presence.PageRequest{Order: presence.LastActiveDesc, First: 3}
	oldest := presence.PageRequest{Order: presence.LastActiveAsc, First: 3}
	first, firstAsc := tr.page(newest), tr.page(oldest)
	require.Equal(tr, []string{users[8], users[7], users[6]}, ids(first.Rows))
	require.Equal(tr, users[:3], ids(firstAsc.Rows))

	tr.accepted(presence.SignedIn, users[1], "phone", 0, presence.Active)
	tr.accepted(presence.SignedIn, users[4], "phone", 0, presence.Active)
	newest.After, newest.First = first.End, 100
	require.Equal(tr, []string{users[5], users[3], users[2], users[0]}, ids(tr.page(newest).Rows),
		"those who moved to the front are not met again")
	oldest.After, oldest.First = firstAsc.End, 100
	require.Equal(tr, []string{users[3], users[5], users[6], users[7], users[8], users[1], users[4]},
		ids(tr.page(oldest).Rows), "those who moved to the end are met there")
}

func markOfVanished(tr *trial) {
	users := tr.staggered(9)
	for _, order := range []presence.Order{presence.LastActiveAsc, presence.LevelAsc} {
		all := ids(tr.walk(order, presence.Filter{}, 100))
		first := tr.page(presence.PageRequest{Order: order, First: 4})
		tr.end(all[3], 0, presence.Disconnected)
		rest := tr.page(presence.PageRequest{Order: order, First: 100, After: first.End})
		require.Equal(tr, all[4:], ids(rest.Rows))
		require.True(tr, rest.HasPrevious)
		require.Equal(tr, len(all)-1, rest.Total)
	}
	require.Equal(tr, len(users)-2, tr.total(presence.Filter{}))
}

func marksBeyond(tr *trial) {
	users := tr.staggered(3)
	for _, order := range []presence.Order{
		presence.LastActiveAsc, presence.LastActiveDesc, presence.LevelAsc, presence.LevelDesc,
	} {
		all := tr.walk(order, presence.Filter{}, 100)
		last := tr.page(presence.PageRequest{Order: order, First: 5, After: &all[2].After})
		require.Empty(tr, last.Rows)
		require.False(tr, last.HasNext)
		require.True(tr, last.HasPrevious)
		require.Nil(tr, last.End)
		require.Equal(tr, 3, last.Total)
	}
	before := presence.Mark{UserID: users[0], LastActiveAt: 1}
	page := tr.page(presence.PageRequest{Order: presence.LastActiveAsc, First: 5, After: &before})
	require.Equal(tr, users, ids(page.Rows))
	require.False(tr, page.HasPrevious)
}

func everyMark(tr *trial) {
	tr.staggered(10)
	for _, order := range []presence.Order{
		presence.LastActiveAsc, presence.LastActiveDesc, presence.LevelAsc, presence.LevelDesc,
	} {
		all := tr.walk(order, presence.Filter{}, 100)
		for i, row := range all {
			rest := tr.page(presence.PageRequest{Order: order, First: 100, After: tr.carried(order, presence.Filter{}, row.After)})
			require.Equal(tr, ids(all[i+1:]), ids(rest.Rows))
		}
	}
}

func totalAlone(tr *trial) {
	tr.staggered(7)
	for _, order := range []presence.Order{presence.LastActiveDesc, presence.LevelAsc, presence.Unordered} {
		page := tr.page(presence.PageRequest{Order: order, Filter: only(1)})
		require.Equal(tr, 2, page.Total)
		require.Empty(tr, page.Rows)
	}
}

// Case 20 (docs/cases.md): users as close as the clock can tell, at the highest level.
func closeScores(tr *trial) {
	users := tr.staggered(50)
	top := map[string]int{}
	for _, id := range users {
		top[id] = presence.MaxLevel
	}
	tr.setLevels(top)
	require.Equal(tr, users, ids(tr.walk(presence.LastActiveAsc, presence.Filter{}, 1)))
	require.Equal(tr, users, ids(tr.walk(presence.LevelAsc, presence.Filter{}, 1)))
	require.Equal(tr, users, ids(tr.walk(presence.LastActiveAsc, only(presence.MaxLevel), 3)))
}
