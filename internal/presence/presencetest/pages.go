package presencetest

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/stretchr/testify/require"

	"rollcall/internal/presence"
)

// pages are the list in all orders under all filters.
func pages() []test {
	return []test{
		{name: "an empty list", run: emptyList},
		{name: "every order under every filter", run: ordersAndFilters},
		{name: "1000 equal scores by activity", run: tiesByActivity},
		{name: "1000 equal scores by level", run: tiesByLevel},
		{name: "ids are compared byte by byte", run: byteOrder},
		{name: "levels beyond those that exist", run: levelsBeyond},
	}
}

func orders() []presence.Order {
	return []presence.Order{
		presence.LastActiveDesc, presence.LastActiveAsc, presence.LevelDesc, presence.LevelAsc, presence.Unordered,
	}
}

func levelRange(least, most int) presence.Filter {
	return presence.Filter{Levels: &presence.LevelRange{Min: least, Max: most}}
}

func filters() []presence.Filter {
	with := func(f presence.Filter, s presence.Status) presence.Filter {
		f.Status = s
		return f
	}
	return []presence.Filter{
		{},
		{Status: presence.Online},
		{Status: presence.Away},
		{Status: presence.Offline},
		levelRange(0, presence.MaxLevel), levelRange(2, 2), levelRange(1, 3), levelRange(8, 9), levelRange(1, 0),
		with(levelRange(0, presence.MaxLevel), presence.Away), with(levelRange(1, 3), presence.Online),
		with(levelRange(0, 2), presence.Away), with(levelRange(0, 2), presence.Offline),
	}
}

func emptyList(tr *trial) {
	for _, order := range orders() {
		require.Empty(tr, tr.walk(order, presence.Filter{}, 10))
	}
}

// mixed is a list with users of both statuses, of several levels and none, of
// equal activity and equal level, and some never active; by id, the levels.
func (tr *trial) mixed() map[string]int {
	levels := map[string]int{}
	add := func(group string, kind presence.BeatKind) {
		for i, id := range names(group, 12) {
			tr.accepted(presence.SignedIn, id, "phone", 0, kind)
			levels[id] = i%5 - 1
		}
	}
	rules := tr.options.Rules
	add("old", presence.Active)
	for elapsed := rules.TTL; elapsed < rules.AwayAfter+rules.TTL; elapsed += rules.TTL {
		for _, id := range names("old", 12) {
			tr.accepted(presence.Refreshed, id, "phone", tr.presence(id).Epoch, presence.Background)
		}
		tr.pass(rules.TTL)
	}
	add("never", presence.Background)
	add("new", presence.Active)
	tr.pass(rules.Gap())
	add("newer", presence.Active)
	tr.setLevels(levels)
	return levels
}

func ordersAndFilters(tr *trial) {
	levels := tr.mixed()
	everybody := tr.walk(presence.LastActiveDesc, presence.Filter{}, presence.MaxFirst)
	require.Len(tr, everybody, len(levels))
	for _, f := range filters() {
		var left []presence.Row
		for _, row := range everybody {
			if passes(f, row.Status, levels[row.UserID]) {
				left = append(left, row)
			}
		}
		require.Equal(tr, len(left), tr.total(f), "%+v", f)
		for _, order := range orders() {
			want := tr.sorted(left, order, levels)
			for _, first := range []int{1, 2, 7, 100} {
				what := fmt.Sprintf("%s %+v by %d", order, f, first)
				got := tr.walk(order, f, first)
				for _, row := range got {
					require.Equal(tr, tr.presence(row.UserID).LastActiveAt, row.LastActiveAt, what)
					require.Equal(tr, tr.presence(row.UserID).Status, row.Status, what)
				}
				if order == presence.Unordered {
					require.ElementsMatch(tr, want, unique(got), what)
					continue
				}
				require.Equal(tr, want, ids(got), what)
			}
		}
	}
}

func (tr *trial) sorted(rows []presence.Row, order presence.Order, levels map[string]int) []string {
	rows = slices.Clone(rows)
	mark := func(row presence.Row) presence.Mark {
		return presence.Mark{UserID: row.UserID, LastActiveAt: row.LastActiveAt, Level: levels[row.UserID]}
	}
	slices.SortFunc(rows, func(a, b presence.Row) int { return inOrder(order, mark(a), mark(b)) })
	return ids(rows)
}

func unique(rows []presence.Row) []string {
	all := ids(rows)
	slices.Sort(all)
	return slices.Compact(all)
}

// Case 19 (docs/cases.md): each exactly once, at any page size.
func tiesByActivity(tr *trial) {
	users := names("user", 1000)
	tr.signInAll(users, presence.Active)
	for _, first := range []int{1, 7, 50, 500} {
		require.Equal(tr, users, ids(tr.walk(presence.LastActiveAsc, presence.Filter{}, first)))
	}
	slices.Reverse(users)
	require.Equal(tr, users, ids(tr.walk(presence.LastActiveDesc, presence.Filter{}, 7)))
}

func tiesByLevel(tr *trial) {
	users := names("user", 1000)
	levels := map[string]int{}
	for _, id := range users {
		levels[id] = 7
	}
	tr.signInAll(users, presence.Active)
	tr.setLevels(levels)
	for _, first := range []int{1, 7, 50, 500} {
		require.Equal(tr, users, ids(tr.walk(presence.LevelAsc, presence.Filter{}, first)))
	}
	require.Equal(tr, users, ids(tr.walk(presence.LastActiveAsc, only(7), 50)))
	slices.Reverse(users)
	require.Equal(tr, users, ids(tr.walk(presence.LevelDesc, presence.Filter{}, 7)))
}

func byteOrder(tr *trial) {
	users := []string{"10", "9", "A", "Z", "_", "a", "aa", "a~", "z", "é", "ÿ", "日本", "\U0001F600", "007", "-1", "9223372036854775807"}
	tr.signInAll(users, presence.Active)
	slices.SortFunc(users, cmp.Compare[string])
	for _, first := range []int{1, 3, 100} {
		require.Equal(tr, users, ids(tr.walk(presence.LastActiveAsc, presence.Filter{}, first)))
	}
	require.ElementsMatch(tr, users, unique(tr.walk(presence.Unordered, presence.Filter{}, 3)))
	ps, err := tr.Store.Presences(tr.Context(), users)
	require.NoError(tr, err)
	for i, p := range ps {
		require.Equal(tr, users[i], p.UserID)
		require.Equal(tr, presence.Online, p.Status)
		require.Equal(tr, []string{"ONLINE ONLINE"}, tr.hears(p.UserID))
	}
}

func levelsBeyond(tr *trial) {
	tr.signInAll([]string{"ann", "bob", "cid"}, presence.Active)
	high, low := presence.MaxLevel+1000, -3
	tr.setLevels(map[string]int{"ann": presence.ClampLevel(&high), "bob": presence.ClampLevel(&low)})
	require.Equal(tr, []string{"ann"}, ids(tr.walk(presence.LevelDesc, presence.NewFilter("", &high, nil), 5)))
	require.Equal(tr, []string{"bob", "ann"}, ids(tr.walk(presence.LevelAsc, presence.NewFilter("", &low, &high), 5)))
	require.Empty(tr, tr.walk(presence.LevelDesc, presence.NewFilter("", nil, &low), 5))
	require.Equal(tr, []string{"bob", "ann", "cid"}, ids(tr.walk(presence.LevelAsc, presence.Filter{}, 1)))
	require.Equal(tr, []string{"ann", "bob", "cid"}, ids(tr.walk(presence.LevelDesc, presence.Filter{}, 1)))
}
