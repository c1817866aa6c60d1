package main

import (
	"bytes"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"rollcall/internal/config"
	"rollcall/internal/logtest"
	"rollcall/internal/redistest"
)

// A Redis with TLS by a private authority, a user and a password: one that is wrong is
// said to clients and operators, each in their terms, and needs no restart once it is right.
func TestRedisWithTLSAndAPassword(t *testing.T) {
	const password = "open:sesame/@"
	guard := redistest.NewGuard(t)
	redis := guard.Start(t)
	guard.Login = redistest.Login{User: "app", Password: password}
	var log logtest.Log
	s := startLogging(t, &log, func(cfg *config.Config) { cfg.Store.RedisURL = redis.URLAs(guard) })
	refused := post(t, s.url, "dev:alice", signIn)
	require.Equal(t, "UNAVAILABLE", refused.code())
	require.NotContains(t, refused.Errors[0].Message, "WRONGPASS", "is the operators' matter")
	require.Equal(t, http.StatusServiceUnavailable, status(t, s.url+"readyz"))
	require.Equal(t, http.StatusOK, status(t, s.url+"healthz"))
	require.Contains(t, log.String(), "WRONGPASS")

	require.NoError(t, redis.Client().Do(t.Context(), "ACL", "SETUSER", "app", "on", ">"+password,
		"~{rollcall:*", "~rollcall:*", "&rollcall:*", "+@all", "-@dangerous", "+info").Err())
	require.Eventually(t, func() bool { return status(t, s.url+"readyz") == http.StatusOK }, patience, 50*time.Millisecond)
	var watcher *socket
	require.Eventually(t, func() bool { // the feed tries again when it is its turn
		watcher = connect(t, s.url, "dev:watcher")
		watcher.subscribe("1", `subscription { presenceChanged { events { type userId } } }`)
		m := watcher.read()
		return m.Type == "next" && !bytes.Contains(m.Payload, []byte("UNAVAILABLE"))
	}, patience, 50*time.Millisecond)
	require.Empty(t, post(t, s.url, "dev:alice", signIn).code())
	var d delta
	watcher.next(&d)
	require.Equal(t, "alice", d.PresenceChanged.Events[0].UserID)

	s.stop(t)
	require.NotContains(t, log.String(), "sesame")
}
