package main

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"rollcall/internal/config"
	"rollcall/internal/redistest"
)

func TestReshardWhileServing(t *testing.T) {
	url, prefix := redistest.Start(t).URL(), redistest.Prefix(t)
	on := func(cfg *config.Config) {
		cfg.Store.RedisURL, cfg.Store.KeyPrefix, cfg.Store.Shards = url, prefix, 4
		cfg.Store.TTL, cfg.Store.BackgroundTTL = time.Minute, time.Minute
	}
	s := start(t, on)
	watcher := connect(t, s.url, "dev:watcher")
	watcher.subscribe("1", `subscription { presenceChanged { cursor reset events { type userId } } }`)
	var d delta
	watcher.next(&d)
	var in signedIn
	post(t, s.url, "dev:alice", signIn).into(t, &in)
	watcher.next(&d)
	require.Len(t, d.PresenceChanged.Events, 1)

	reshard := []string{"reshard", "--redis-url=" + url, "--key-prefix=" + prefix, "--shards=8"}
	stdout, stderr, code := execution(t, reshard...)
	require.Zero(t, code, stderr)
	require.Contains(t, stdout, "1 users moved from 4 shards to 8")
	require.Contains(t, stderr, "buckets")

	d = delta{}
	watcher.next(&d) // the node has noticed by itself
	require.True(t, d.PresenceChanged.Reset)
	beat := strings.Replace(signIn, `"phone"`, `"phone", session: "`+in.Heartbeat.Session+`"`, 1)
	post(t, s.url, "dev:alice", beat).into(t, &in)
	require.Equal(t, "REFRESHED", in.Heartbeat.Outcome)
	var cluster struct {
		Cluster struct{ Shards []struct{ Online int } }
	}
	post(t, s.url, "dev:root:admin", `{ cluster { shards { online } } }`).into(t, &cluster)
	require.Len(t, cluster.Cluster.Shards, 8)
	require.Equal(t, http.StatusOK, status(t, s.url+"readyz"))

	_, stderr, code = execution(t, "--redis-url="+url, "--key-prefix="+prefix, "--shards=4", "--http-addr=127.0.0.1:0",
		"--database-url=sqlite::memory:")
	require.Equal(t, 1, code)
	require.Contains(t, stderr, "ROLLCALL_SHARDS=8")
	require.Contains(t, stderr, "rollcall reshard --shards 4")

	stdout, _, code = execution(t, reshard...)
	require.Zero(t, code)
	require.Contains(t, stdout, "has 8 shards already")
}
