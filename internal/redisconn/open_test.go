package redisconn_test

import (
	"testing"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"rollcall/internal/redisconn"
	"rollcall/internal/redistest"
)

// A pipeline on a connection that the server refuses fails with each of its commands, in
// every layout, and none looks as if it had been done.
func TestARefusedPipelineFails(t *testing.T) {
	t.Parallel()
	guard := redistest.NewGuard(t)
	wrong := guard
	wrong.Login.Password = "wrong"
	for layout, url := range map[string]string{
		"one server": guard.Start(t).URLAs(wrong),
		"sentinel":   guard.StartSentinel(t, 0, 1).URLAs(wrong),
		"cluster":    guard.StartCluster(t, 1, 0).URLAs(wrong),
		"ring":       guard.StartRing(t, 2).URLAs(wrong),
	} {
		t.Run(layout, func(t *testing.T) {
			t.Parallel()
			address, err := redisconn.Parse(url)
			require.NoError(t, err)
			client := address.Open(0)
			defer func() { require.NoError(t, client.Close()) }()
			var cmds []redis.Cmder
			_, err = client.Pipelined(t.Context(), func(p redis.Pipeliner) error {
				for _, key := range []string{"a", "b", "c", "d"} {
					cmds = append(cmds, p.Set(t.Context(), key, "1", 0))
				}
				return nil
			})
			require.ErrorContains(t, err, "WRONGPASS")
			for _, cmd := range cmds {
				require.ErrorContains(t, cmd.Err(), "WRONGPASS")
			}
		})
	}
}

// A command that fails in a pipeline fails alone.
func TestAPipelineThatWasSent(t *testing.T) {
	t.Parallel()
	address, err := redisconn.Parse(redistest.Start(t).URL())
	require.NoError(t, err)
	client := address.Open(0)
	defer func() { require.NoError(t, client.Close()) }()
	pipe := client.Pipeline()
	before, bad, after := pipe.Set(t.Context(), "text", "x", 0), pipe.Incr(t.Context(), "text"), pipe.Get(t.Context(), "text")
	_, err = pipe.Exec(t.Context())
	require.ErrorContains(t, err, "not an integer")
	require.NoError(t, before.Err())
	require.ErrorContains(t, bad.Err(), "not an integer")
	require.Equal(t, "x", after.Val())
}
