package scale

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"rollcall/internal/presence"
)

// measureMemory takes what the servers' memory grows by while the users come, and
// what the keys say that they take.
func measureMemory(t *testing.T, report *table, p *population, come func()) {
	t.Helper()
	before := p.stats(t).UsedMemory
	come()
	n := float64(len(p.beats))
	report.note("memory of a user, by what used_memory grew, event logs too",
		fmt.Sprintf("%.0f bytes", float64(p.stats(t).UsedMemory-before)/n))

	kinds := p.memoryByKind(t)
	parts, sum := "", 0.0
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		each := float64(kinds[kind]) / n
		parts += fmt.Sprintf(" %s %.1f", kind, each)
		if kind != "events" {
			sum += each
		}
	}
	t.Logf("memory, bytes a user by MEMORY USAGE:%s", parts)
	report.add("memory of a user, by MEMORY USAGE, without event logs",
		fmt.Sprintf("%.0f bytes", sum), "≤ 300", sum <= 300)
}

// memoryByKind sums MEMORY USAGE over all keys by what they hold, which their
// names tell behind the hash tag.
func (p *population) memoryByKind(t *testing.T) map[string]int64 {
	t.Helper()
	const step = 1000
	kinds := make(map[string]int64)
	for _, server := range p.servers {
		var cursor uint64
		for more := true; more; more = cursor != 0 {
			keys, next, err := server.Scan(t.Context(), cursor, "", step).Result()
			require.NoError(t, err)
			sizes := make([]*redis.IntCmd, len(keys))
			_, err = server.Pipelined(t.Context(), func(pipe redis.Pipeliner) error {
				for i, key := range keys {
					sizes[i] = pipe.MemoryUsage(t.Context(), key, 0) // 0: all members, no sample
				}
				return nil
			})
			require.NoError(t, err)
			for i, key := range keys {
				_, name, tagged := strings.Cut(key, "}:")
				require.True(t, tagged, key)
				kind, _, _ := strings.Cut(name, ":")
				kinds[kind] += sizes[i].Val()
			}
			cursor = next
		}
	}
	require.Contains(t, kinds, "online")
	return kinds
}

// measureImbalance takes the shards' sizes, and for the kinds of id that are not in
// the store what they would be.
func measureImbalance(t *testing.T, report *table, p *population) {
	t.Helper()
	const most = 0.05
	add := func(kind, how string, online []int) {
		got := imbalance(online)
		report.add(fmt.Sprintf("imbalance, %s %s ids%s", thousands(len(p.beats)), kind, how),
			fmt.Sprintf("%.1f %%", 100*got), fmt.Sprintf("< %.0f %%", 100*most), got < most)
	}
	add(*ids, ", as stored", p.stats(t).OnlineByShard)
	for _, kind := range slices.Sorted(maps.Keys(idKinds)) {
		if kind == *ids {
			continue
		}
		online := make([]int, shards)
		for i := range p.beats {
			online[presence.Shard(idKinds[kind](i), shards)]++
		}
		add(kind, ", by their hash", online)
	}
}

// imbalance is (largest - smallest) / mean.
func imbalance(online []int) float64 {
	sum := 0
	for _, n := range online {
		sum += n
	}
	return float64(slices.Max(online)-slices.Min(online)) * float64(len(online)) / float64(sum)
}
