package redistest_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"rollcall/internal/redistest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(redistest.Main(m)) }

func TestServerSurvivesRestartOnSamePort(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	s := redistest.Start(t)
	c := s.Client()
	require.NoError(t, c.Set(ctx, "k", "v", 0).Err())

	s.Stop()
	require.Error(t, c.Ping(ctx).Err())

	s.Restart()
	require.NoError(t, c.Ping(ctx).Err())
	n, err := c.Exists(ctx, "k").Result()
	require.NoError(t, err)
	require.Zero(t, n, "nothing is kept on disk")
}

func TestPauseHoldsAnswersUntilResume(t *testing.T) {
	t.Parallel()
	s := redistest.Start(t)
	c := s.Client()
	require.NoError(t, c.Ping(t.Context()).Err())

	s.Pause()
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	require.Error(t, c.Ping(ctx).Err())

	s.Resume()
	require.NoError(t, c.Ping(t.Context()).Err())
}

func TestArgumentsReachTheServer(t *testing.T) {
	t.Parallel()
	got, err := redistest.Start(t, "--maxmemory", "64mb").Client().ConfigGet(t.Context(), "maxmemory").Result()
	require.NoError(t, err)
	require.Equal(t, "67108864", got["maxmemory"])
}

func TestSharedIsOneServerWithPrefixes(t *testing.T) {
	t.Parallel()
	require.Equal(t, redistest.Shared(t).URL(), redistest.Shared(t).URL())
	require.NotEqual(t, redistest.Prefix(t), redistest.Prefix(t))
	require.NoError(t, redistest.Shared(t).Client().Ping(t.Context()).Err())
}
