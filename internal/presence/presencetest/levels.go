package presencetest

import (
	"github.com/stretchr/testify/require"

	"rollcall/internal/presence"
)

// levels are what the list can be ordered by besides activity.
func levels() []test {
	return []test{
		{name: "levels list online users, without an event", run: levelsSet},
		{name: "offline and unknown users are passed over", run: levelsOfOthers},
		{name: "a level is kept while offline", run: levelKept},
		{name: "without a level index", run: noLevelIndex, adjust: func(o *Options) { o.LevelIndex = false }},
	}
}

func only(level int) presence.Filter {
	return presence.Filter{Levels: &presence.LevelRange{Min: level, Max: level}}
}

func levelsSet(tr *trial) {
	users := names("user", 20)
	tr.signInAll(users, presence.Active)
	tr.listen()
	all := presence.Filter{Levels: &presence.LevelRange{Min: 0, Max: presence.MaxLevel}}
	require.Zero(tr, tr.total(all), "nobody has a level yet")

	set := map[string]int{}
	for _, id := range users {
		set[id] = 3
	}
	tr.setLevels(set)
	require.Equal(tr, 20, tr.total(only(3)))
	tr.setLevels(map[string]int{users[0]: 0, users[1]: presence.MaxLevel, users[2]: presence.NoLevel})
	require.Equal(tr, 17, tr.total(only(3)))
	require.Equal(tr, 1, tr.total(only(0)))
	require.Equal(tr, 1, tr.total(only(presence.MaxLevel)))
	require.Equal(tr, 19, tr.total(all))
	require.Equal(tr, 20, tr.total(presence.Filter{}))
	for _, id := range users {
		require.Len(tr, tr.events(id), 1)
	}
}

func levelsOfOthers(tr *trial) {
	r := tr.signIn("ann", "phone")
	tr.end("ann", r.Epoch, presence.SignedOut)
	tr.setLevels(map[string]int{"ann": 5, "nobody": 5})
	require.Zero(tr, tr.total(only(5)))
	require.Equal(tr, presence.Presence{UserID: "nobody", Status: presence.Offline}, tr.presence("nobody"))
	tr.signIn("ann", "phone")
	tr.signIn("nobody", "phone")
	require.Zero(tr, tr.total(only(5)))
}

func levelKept(tr *trial) {
	r := tr.signIn("ann", "phone")
	tr.setLevels(map[string]int{"ann": 5})
	tr.end("ann", r.Epoch, presence.SignedOut)
	require.Zero(tr, tr.total(only(5)))
	tr.signIn("ann", "tablet")
	require.Equal(tr, 1, tr.total(only(5)))
	tr.pass(tr.options.Rules.TTL)
	tr.sweep()
	require.Zero(tr, tr.total(only(5)))
	tr.signIn("ann", "tablet")
	require.Equal(tr, 1, tr.total(only(5)))
}

func noLevelIndex(tr *trial) {
	require.False(tr, tr.Store.HasLevelIndex())
	tr.signIn("ann", "phone")
	tr.setLevels(map[string]int{"ann": 5})
	for _, req := range []presence.PageRequest{
		{Order: presence.LevelAsc, First: 10},
		{Order: presence.LevelDesc, First: 10},
		{Order: presence.LastActiveDesc, First: 10, Filter: only(5)},
		{Order: presence.Unordered, First: 10, Filter: only(5)},
	} {
		_, err := tr.Store.Page(tr.Context(), req)
		var invalid *presence.InvalidError
		require.ErrorAs(tr, err, &invalid)
	}
	require.Equal(tr, []string{"ann"}, ids(tr.walk(presence.LastActiveAsc, presence.Filter{}, 10)))
	require.Equal(tr, []string{"ann"}, ids(tr.walk(presence.Unordered, presence.Filter{Status: presence.Online}, 10)))
}
