package main

import (
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	"rollcall/internal/config"
	"rollcall/internal/redistest"
)

// A Redis that hangs does not hold up the end: neither the reads that wait for events
// nor the sweeps under way.
func TestTheEndIsQuickWhileRedisHangs(t *testing.T) {
	redis := redistest.Start(t)
	s := start(t, func(cfg *config.Config) { cfg.Store.RedisURL = redis.URL() })
	watcher := connect(t, s.url, "dev:watcher")
	watcher.subscribe("1", `subscription { presenceChanged { cursor } }`)
	var d delta
	watcher.next(&d)
	require.Empty(t, post(t, s.url, "dev:alice", signIn).code())

	redis.Pause()
	defer redis.Resume()
	code := make(chan websocket.StatusCode, 1)
	go func() { code <- watcher.closed() }()
	require.Less(t, s.stop(t), 5*time.Second) // 3.4 s, of which the machine's speed is no part
	require.Equal(t, websocket.StatusServiceRestart, <-code)
}
