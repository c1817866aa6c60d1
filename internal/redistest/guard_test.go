package redistest_test

import (
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"rollcall/internal/redistest"
)

func TestGuardLetsNobodyElseIn(t *testing.T) {
	t.Parallel()
	guard := redistest.NewGuard(t)
	for name, server := range map[string]*redistest.Server{
		"server":   guard.Start(t),
		"sentinel": guard.StartSentinel(t, 0, 1).Sentinels[0],
		"cluster":  guard.StartCluster(t, 1, 0).Nodes[0],
	} {
		require.NoError(t, server.Client().Ping(t.Context()).Err(), name)
		plain := redis.NewClient(&redis.Options{Addr: server.Addr})
		require.Error(t, plain.Ping(t.Context()).Err(), name)
		require.NoError(t, plain.Close())

		anybody := *server.Client().Options()
		anybody.Username, anybody.Password = "", ""
		client := redis.NewClient(&anybody)
		require.ErrorContains(t, client.Ping(t.Context()).Err(), "NOAUTH", name)
		require.NoError(t, client.Close())
	}
}

func TestURLsOfGuardedServers(t *testing.T) {
	t.Parallel()
	guard := redistest.NewGuard(t)
	server := guard.Start(t)
	require.True(t, strings.HasPrefix(server.URL(), "rediss://keeper:"))
	require.Contains(t, server.URL(), "@"+server.Addr+"/0?ca=")
	require.Equal(t, "redis://"+server.Addr+"/0", server.URLAs(redistest.Guard{}))
	require.Contains(t, guard.StartSentinel(t, 0, 1).URL(), "&sentinel_password=")
}
