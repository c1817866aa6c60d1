package main

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"rollcall/internal/config"
	"rollcall/internal/presence"
	"rollcall/internal/redistest"
)

// Nothing that a server writes outlives it for more than three days, but for the history, which is
// kept for 30, whichever part of it writes: an abandoned prefix goes away by itself.
func TestEveryKeyOfAServerExpires(t *testing.T) {
	redis := redistest.Start(t)
	s := start(t, func(cfg *config.Config) { cfg.Store.RedisURL, cfg.Store.Shards = redis.URL(), 1 })
	watcher := connect(t, s.url, "dev:watcher")
	watcher.subscribe("1", `subscription { session(input: {deviceId: "laptop"}) { type } }`)
	require.Equal(t, "next", watcher.read().Type)
	go watcher.closed() // it answers pings while it reads

	var in signedIn
	for _, user := range []string{"alice", "bob", "carol", "nobody"} {
		post(t, s.url, "dev:"+user, signIn).into(t, &in)
	}
	goOffline := `mutation { goOffline(input: {deviceId: "phone", session: "` + in.Heartbeat.Session + `"}) { ended } }`
	require.Empty(t, post(t, s.url, "dev:nobody", goOffline).code())
	for _, operation := range []string{
		`mutation { disconnectUser(userId: "bob") { ended } }`,
		`mutation { refreshUsers(ids: ["alice", "nobody"]) }`,
		`mutation { heartbeats(input: [{userId: "dave", deviceId: "gate"}]) { accepted } }`,
		`{ users(ids: ["alice", "bob", "user-7", "nobody"]) { name } onlineUsers(orderBy: LEVEL_DESC) { nodes { name } } }`,
	} {
		require.Empty(t, post(t, s.url, "dev:root:admin", operation).code(), operation)
	}
	awaitOffline(t, s, "alice")
	s.stop(t)

	client := redis.Client()
	keys, err := client.Keys(t.Context(), "*").Result()
	require.NoError(t, err)
	kinds := map[string]bool{}
	for _, key := range keys {
		kinds[kindOf(key)] = true
		ttl, err := client.TTL(t.Context(), key).Result()
		require.NoError(t, err)
		require.Positive(t, ttl, "%s expires", key)
		most := 72 * time.Hour
		if strings.Contains(key, ":history}:") {
			most = presence.HistoryFor
		}
		require.LessOrEqual(t, ttl, most, key)
	}
	for _, kind := range []string{"meta", "events", "online", "level", "session", "seen", "user", "minute", "hour"} {
		require.Contains(t, kinds, kind)
	}
}

// kindOf is what a key holds, as docs/keyspace.md names it.
func kindOf(key string) string {
	_, rest, tagged := strings.Cut(key, "}:")
	if !tagged {
		_, rest, _ = strings.Cut(key, ":")
	}
	return regexp.MustCompile(`^\w+`).FindString(rest)
}

// awaitOffline waits until a user's lease is over and that has been recorded.
func awaitOffline(t *testing.T, s *process, user string) {
	t.Helper()
	require.Eventually(t, func() bool {
		var data struct{ Presence []struct{ Status string } }
		post(t, s.url, "dev:watcher", `{ presence(userIds: ["`+user+`"]) { status } }`).into(t, &data)
		return data.Presence[0].Status == "OFFLINE"
	}, patience, 50*time.Millisecond)
}
