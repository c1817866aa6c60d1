package redisrate

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"rollcall/internal/rate"
	"rollcall/internal/redistest"
)

func TestALimitHoldsAcrossNodes(t *testing.T) {
	server := redistest.Start(t)
	node := func() *Limiter {
		o, err := redis.ParseURL(server.URL())
		require.NoError(t, err)
		client := redis.NewClient(o)
		t.Cleanup(func() { require.NoError(t, client.Close()) })
		return New(client, "test", "signin", rate.Limit{Count: 4, Per: 2 * time.Second}, slog.New(slog.DiscardHandler))
	}
	a, b := node(), node()
	for range 2 {
		require.Zero(t, a.Take(t.Context(), "ann"))
		require.Zero(t, b.Take(t.Context(), "ann"))
	}
	wait := a.Take(t.Context(), "ann")
	require.Greater(t, wait, time.Duration(0))
	require.LessOrEqual(t, wait, 500*time.Millisecond)
	require.NotZero(t, b.Take(t.Context(), "ann"))
	require.Zero(t, b.Take(t.Context(), "bob"))
	require.Eventually(t, func() bool { return b.Take(t.Context(), "ann") == 0 }, 10*time.Second, 10*time.Millisecond)

	left, err := a.client.PTTL(t.Context(), "test:signin:ann").Result()
	require.NoError(t, err)
	require.Greater(t, left, time.Duration(0))
	require.LessOrEqual(t, left, 2*time.Second, "it is forgotten when it is full")
}

func TestWithoutRedisAllIsAllowed(t *testing.T) {
	client := redis.NewClient(&redis.Options{Addr: "127.0.0.1:1", MaxRetries: -1})
	t.Cleanup(func() { require.NoError(t, client.Close()) })
	l := New(client, "test", "signin", rate.Limit{Count: 1, Per: time.Hour}, slog.New(slog.DiscardHandler))
	for range 10 {
		require.Zero(t, l.Take(context.Background(), "ann"))
	}
	require.Zero(t, New(client, "test", "signin", rate.Limit{}, slog.New(slog.DiscardHandler)).Take(t.Context(), "ann"))
}
