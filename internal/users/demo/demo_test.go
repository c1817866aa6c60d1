package demo_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"rollcall/internal/users/demo"
)

func TestUsersAreDistinctAndComplete(t *testing.T) {
	seen := map[string]bool{}
	for i := range 2000 {
		u := demo.User(i)
		require.False(t, seen[u.ID], u.ID)
		seen[u.ID] = true
		require.NotEmpty(t, *u.Name)
		require.GreaterOrEqual(t, *u.Level, 1)
		require.LessOrEqual(t, *u.Level, 50)
		require.Equal(t, u, demo.User(i), "the same user each time")
	}
	for _, id := range []string{"alice", "bob", "carol", "user-1", "user-1997"} {
		require.True(t, seen[id], id)
	}
}
