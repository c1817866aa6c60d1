package presence_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"rollcall/internal/presence"
)

func TestCheckShards(t *testing.T) {
	for _, n := range []int{1, 2, 4, 16, 256} {
		require.NoError(t, presence.CheckShards(n))
	}
	for _, n := range []int{-1, 0, 3, 12, 257, 512} {
		requireInvalid(t, presence.CheckShards(n))
	}
}

// Stored data is laid out by the hash, so these values are for ever.
func TestHashNeverChanges(t *testing.T) {
	require.Equal(t, uint64(0xefd01f60ba992926), presence.Hash(""))
	require.Equal(t, uint64(0x6ef4c3aba814f113), presence.Hash("ann"))
	require.Equal(t, uint64(0x810b196a56ee3cec), presence.Hash("42"))
}

func TestShardsAreEven(t *testing.T) {
	const users, shards = 64_000, 16
	for name, id := range map[string]func(int) string{
		"numbers":     func(i int) string { return fmt.Sprint(i) },
		"with prefix": func(i int) string { return fmt.Sprintf("user-%08d", i) },
	} {
		t.Run(name, func(t *testing.T) {
			var count [shards]int
			for i := range users {
				count[presence.Shard(id(i), shards)]++
			}
			for _, n := range count {
				require.InDelta(t, users/shards, n, 300) // 5 standard deviations
			}
		})
	}
}

// Doubling the shards splits each in two.
func TestShardSplits(t *testing.T) {
	for i := range 1000 {
		id := fmt.Sprint("user", i)
		require.Equal(t, presence.Shard(id, 8), presence.Shard(id, 16)%8)
	}
}
