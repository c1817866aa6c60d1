package presence_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"rollcall/internal/presence"
)

func TestNewFilter(t *testing.T) {
	n := func(v int) *int { return &v }
	levels := func(least, most int) *presence.LevelRange { return &presence.LevelRange{Min: least, Max: most} }
	for name, c := range map[string]struct {
		least, most *int
		want        *presence.LevelRange
		empty       bool
	}{
		"none":                     {nil, nil, nil, false},
		"from":                     {n(3), nil, levels(3, presence.MaxLevel), false},
		"to":                       {nil, n(3), levels(0, 3), false},
		"both":                     {n(2), n(3), levels(2, 3), false},
		"one":                      {n(3), n(3), levels(3, 3), false},
		"from below":               {n(-5), n(3), levels(0, 3), false},
		"beyond, as levels are":    {n(9999), n(99999), levels(presence.MaxLevel, presence.MaxLevel), false},
		"to below":                 {nil, n(-1), levels(1, 0), true},
		"crossed":                  {n(4), n(3), levels(1, 0), true},
		"crossed, another way":     {n(900), n(-900), levels(1, 0), true},
		"crossed, above the range": {n(99999), n(9999), levels(presence.MaxLevel, presence.MaxLevel), false},
	} {
		t.Run(name, func(t *testing.T) {
			f := presence.NewFilter(presence.Away, c.least, c.most)
			require.Equal(t, presence.Filter{Status: presence.Away, Levels: c.want}, f)
			require.Equal(t, c.empty, f.Empty())
		})
	}
	require.True(t, presence.NewFilter(presence.Offline, nil, nil).Empty())
	require.False(t, presence.Filter{}.Empty())
}

func TestClampLevel(t *testing.T) {
	for level, want := range map[int]int{-7: 0, 0: 0, 7: 7, presence.MaxLevel: presence.MaxLevel, 1 << 40: presence.MaxLevel} {
		require.Equal(t, want, presence.ClampLevel(&level))
	}
	require.Equal(t, presence.NoLevel, presence.ClampLevel(nil))
}

func TestOrders(t *testing.T) {
	require.True(t, presence.LastActiveDesc.Descending())
	require.True(t, presence.LevelDesc.Descending())
	require.False(t, presence.LevelAsc.Descending())
	require.False(t, presence.Unordered.Descending())
	require.True(t, presence.LevelAsc.ByLevel())
	require.False(t, presence.LastActiveAsc.ByLevel())
	require.False(t, presence.Unordered.ByLevel())
}
