package redisstore

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"rollcall/internal/presence/presencetest"
	"rollcall/internal/redistest"
)

// What an online user may cost, by MEMORY USAGE over all keys but the event
// logs, at 100,000 users with device ids of 36 characters: UUIDs in their usual
// spelling, which are packed, and any other text.
func TestBytesPerUser(t *testing.T) {
	const users = 100_000
	for _, c := range []struct {
		levels bool
		device string
		most   float64
	}{
		{true, "3b241101-e2bb-4255-8caf-%012x", 320},
		{true, "3B241101-E2BB-4255-8CAF-%012X", 320},
		{false, "3b241101-e2bb-4255-8caf-%012x", 220},
		{false, "Pixel-9-of-room-number:-%012d", 220},
	} {
		t.Run(fmt.Sprintf("levels=%v %s", c.levels, c.device), func(t *testing.T) {
			require.Len(t, fmt.Sprintf(c.device, 1), 36)
			// A server of its own for the default prefix, which is part of the keys' size.
			s := open(t, Options{URL: redistest.Start(t).URL(), Prefix: "rollcall", Shards: 16, LevelIndex: c.levels})
			presencetest.SignInOn(t, s, users, c.device)
			bytes := memoryByKind(t, s)
			var total int64
			for kind, n := range bytes {
				if kind == "events" {
					continue
				}
				total += n
				t.Logf("%-8s %6.1f bytes a user", kind, float64(n)/users)
			}
			perUser := float64(total) / users
			t.Logf("%-8s %6.1f bytes a user", "total", perUser)
			require.LessOrEqual(t, perUser, c.most)
		})
	}
}

// memoryByKind sums MEMORY USAGE over the store's keys by what they hold.
func memoryByKind(t testing.TB, s *Store) map[string]int64 {
	t.Helper()
	ctx := context.Background()
	bytes := make(map[string]int64)
	scan := s.client.Scan(ctx, 0, "{"+s.opts.Prefix+":*", 10_000).Iterator()
	var keys []string
	for scan.Next(ctx) {
		keys = append(keys, scan.Val())
	}
	require.NoError(t, scan.Err())
	for len(keys) > 0 {
		n := min(len(keys), 1000)
		pipe := s.client.Pipeline()
		for _, key := range keys[:n] {
			pipe.MemoryUsage(ctx, key, 0) // 0: all members, no sampling
		}
		cmds, err := pipe.Exec(ctx)
		require.NoError(t, err)
		for i, cmd := range cmds {
			kind := strings.Split(keys[i], ":")[3]
			bytes[kind] += cmd.(interface{ Val() int64 }).Val()
		}
		keys = keys[n:]
	}
	require.Subset(t, keysOf(bytes), []string{"online", "session", "events", "meta"})
	return bytes
}

func keysOf(m map[string]int64) []string {
	var keys []string
	for k := range maps.Keys(m) {
		keys = append(keys, k)
	}
	return keys
}
