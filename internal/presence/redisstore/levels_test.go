package redisstore

import (
	"testing"

	"github.com/stretchr/testify/require"

	"rollcall/internal/presence"
	"rollcall/internal/presence/presencetest"
)

// Lua passes at most 8,000 arguments to a command, and a call may set more levels.
func TestOneCallSetsManyLevels(t *testing.T) {
	t.Parallel()
	s := open(t, Options{Shards: 1, LevelIndex: true})
	const users = 4500
	beats := presencetest.SignIn(t, s, users)
	levels := make(map[string]int, users)
	for i, beat := range beats {
		levels[beat.UserID] = users - i
	}
	require.NoError(t, s.SetLevels(t.Context(), levels))
	page, err := s.Page(t.Context(), presence.PageRequest{Order: presence.LevelAsc, First: users})
	require.NoError(t, err)
	require.Equal(t, users, page.Total)
	require.Len(t, page.Rows, users)
	for i, row := range page.Rows {
		require.Equal(t, beats[users-1-i].UserID, row.UserID)
	}
}
