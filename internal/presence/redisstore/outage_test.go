package redisstore

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"rollcall/internal/presence"
	"rollcall/internal/presence/presencetest"
	"rollcall/internal/redistest"
)

// patience bounds a wait for a state; slow machines need some.
const patience = 20 * time.Second

// calls are all that the store does.
func calls(s *Store) map[string]func(context.Context) error {
	return map[string]func(context.Context) error{
		"beat": func(ctx context.Context) error {
			_, err := s.Beat(ctx, []presence.Beat{{UserID: "ann", DeviceID: "phone"}})
			return err
		},
		"beats of many": func(ctx context.Context) error {
			_, err := s.Beat(ctx, []presence.Beat{{UserID: "ann", DeviceID: "phone"}, {UserID: "bob", DeviceID: "phone"}, {UserID: "cyd", DeviceID: "phone"}})
			return err
		},
		"end":        func(ctx context.Context) error { _, err := s.End(ctx, "ann", 0, presence.Disconnected); return err },
		"presences":  func(ctx context.Context) error { _, err := s.Presences(ctx, []string{"ann", "bob"}); return err },
		"set levels": func(ctx context.Context) error { return s.SetLevels(ctx, map[string]int{"ann": 1, "bob": 2}) },
		"page": func(ctx context.Context) error {
			_, err := s.Page(ctx, presence.PageRequest{Order: presence.LevelDesc, First: 10})
			return err
		},
		"walk": func(ctx context.Context) error {
			_, err := s.Page(ctx, presence.PageRequest{Order: presence.Unordered, First: 10})
			return err
		},
		"sweep":         func(ctx context.Context) error { _, err := s.Sweep(ctx, 0); return err },
		"stats":         func(ctx context.Context) error { _, err := s.Stats(ctx); return err },
		"tail":          func(ctx context.Context) error { _, err := s.Tail(ctx); return err },
		"check":         s.Check,
		"record online": func(ctx context.Context) error { return s.RecordOnline(ctx, 1) },
		"online history": func(ctx context.Context) error {
			_, err := s.OnlineHistory(ctx, 0, 1<<53-1, presence.ByHour)
			return err
		},
		"range": func(ctx context.Context) error {
			tail, err := s.Tail(ctx)
			if err != nil {
				return err
			}
			_, _, err = s.Range(ctx, 0, tail[0])
			return err
		},
	}
}

// Case 34 (docs/cases.md): refused, hanging, restarted.
func TestOutage(t *testing.T) {
	for name, outage := range map[string]struct{ begin, end func(*redistest.Server) }{
		"refused": {(*redistest.Server).Stop, (*redistest.Server).Restart},
		"hanging": {(*redistest.Server).Pause, (*redistest.Server).Resume},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := redistest.Start(t)
			s := open(t, Options{URL: server.URL(), Prefix: "p", LevelIndex: true, Buckets: 8})
			for call, run := range calls(s) {
				require.NoError(t, run(t.Context()), call)
			}
			outage.begin(server)
			for call, run := range calls(s) {
				requireUnavailable(t, call, run)
			}
			outage.end(server)
			for call, run := range calls(s) {
				require.Eventually(t, func() bool { return run(t.Context()) == nil }, patience, 10*time.Millisecond, call)
			}
		})
	}
}

// requireUnavailable wants the typed error in under 1.5 s. A busy machine gets
// a second chance, a slow store does not.
func requireUnavailable(t *testing.T, call string, run func(context.Context) error) {
	t.Helper()
	const most, attempts = 1500 * time.Millisecond, 3
	var took time.Duration
	for range attempts {
		begun := time.Now()
		err := run(t.Context())
		took = time.Since(begun)
		var unavailable *presence.UnavailableError
		require.ErrorAs(t, err, &unavailable, call)
		require.Positive(t, unavailable.RetryAfter, call)
		if took < most {
			return
		}
	}
	require.Less(t, took, most, call)
}

// Beats that wait behind a batch that hangs fail with it, not after it.
func TestBeatsBehindAHangingBatch(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	s := open(t, Options{URL: server.URL(), Prefix: "p", Shards: 1})
	require.NoError(t, calls(s)["beat"](t.Context()))
	server.Pause()
	defer server.Resume()
	errs := make(chan error)
	for range 3 {
		go func() { errs <- calls(s)["beat"](context.Background()) }()
	}
	requireUnavailable(t, "beat", calls(s)["beat"])
	for range 3 {
		var unavailable *presence.UnavailableError
		require.ErrorAs(t, <-errs, &unavailable)
	}
}

// A caller who goes away gets their own error at once.
func TestCallerGoesAway(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	s := open(t, Options{URL: server.URL(), Prefix: "p", Shards: 1})
	server.Pause()
	defer server.Resume()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, calls(s)["beat"](ctx), context.Canceled)
	require.ErrorIs(t, calls(s)["presences"](ctx), context.Canceled)
}

// Case 15 (docs/cases.md): NOSCRIPT never reaches a caller, in a pipeline neither.
func TestScriptsAreLost(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	s := open(t, Options{URL: server.URL(), Prefix: "p", LevelIndex: true, Buckets: 8})
	for range 3 {
		for call, run := range calls(s) {
			require.NoError(t, server.Client().ScriptFlush(t.Context()).Err())
			require.NoError(t, run(t.Context()), call)
		}
	}
}

// A follower notices within its wait that the log was lost and begun anew.
func TestFollowNoticesALoss(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	s := open(t, Options{URL: server.URL(), Prefix: "p", Shards: 1})
	tail, err := s.Tail(t.Context())
	require.NoError(t, err)
	require.NoError(t, server.Client().FlushAll(t.Context()).Err())
	_, _, err = s.Follow(t.Context(), 0, tail[0], time.Millisecond)
	require.ErrorIs(t, err, presence.ErrTrimmed)
	require.NoError(t, calls(s)["beat"](t.Context()))
	_, _, err = s.Follow(t.Context(), 0, tail[0], time.Second)
	require.ErrorIs(t, err, presence.ErrTrimmed)
}

// A server without memory takes nobody new, and says so in time.
func TestRedisIsFull(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t, "--maxmemory-policy", "noeviction")
	s := open(t, Options{URL: server.URL(), Prefix: "p", Shards: 1, LevelIndex: true})
	require.NoError(t, calls(s)["beat"](t.Context()))
	require.NoError(t, server.Client().ConfigSet(t.Context(), "maxmemory", "1").Err())
	requireUnavailable(t, "sign-in", func(ctx context.Context) error {
		_, err := s.Beat(ctx, []presence.Beat{{UserID: "new", DeviceID: "phone"}})
		return err
	})
	require.NoError(t, server.Client().ConfigSet(t.Context(), "maxmemory", "0").Err())
	require.NoError(t, calls(s)["beat"](t.Context()))
}

func TestClassify(t *testing.T) {
	var unavailable *presence.UnavailableError
	for _, reply := range []string{
		"LOADING Redis is loading", "READONLY You can't write", "OOM command not allowed", "CLUSTERDOWN",
		"NOAUTH Authentication required.", "WRONGPASS invalid", "NOPERM this user", "LAYOUT the shard was written with",
	} {
		require.ErrorAs(t, classify(redisReply(reply)), &unavailable, reply)
	}
	require.NotErrorAs(t, classify(redisReply("WRONGTYPE Operation against a key")), &unavailable)
	require.ErrorAs(t, classify(context.DeadlineExceeded), &unavailable)
	require.NotErrorAs(t, classify(context.Canceled), &unavailable)
}

type redisReply string

func (r redisReply) Error() string { return string(r) }
func (redisReply) RedisError()     {}

var _ redis.Error = redisReply("")

// One server of many is gone: what needs all shards says which is missing, and the
// users of the others keep beating.
func TestAPartOfTheStoreIsGone(t *testing.T) {
	for name, servers := range map[string]func(t *testing.T) (url string, nodes []*redistest.Server){
		"cluster": func(t *testing.T) (string, []*redistest.Server) {
			c := redistest.StartCluster(t, 3, 0)
			for _, node := range c.Nodes { // else all refuse once they have noticed
				require.NoError(t, node.Client().ConfigSet(t.Context(), "cluster-require-full-coverage", "no").Err())
			}
			return c.URL(), c.Nodes
		},
		"ring": func(t *testing.T) (string, []*redistest.Server) {
			r := redistest.StartRing(t, 3)
			return r.URL(), r.Nodes
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url, nodes := servers(t)
			s := open(t, Options{URL: url, Prefix: "p", Shards: 16, Buckets: 32, LevelIndex: true})
			beats := presencetest.SignIn(t, s, 300)
			nodes[0].Stop()

			gone := map[int]bool{}
			for _, b := range beats {
				shard := presence.Shard(b.UserID, s.Shards())
				if gone[shard] {
					continue
				}
				_, err := s.Beat(t.Context(), []presence.Beat{b})
				gone[shard] = err != nil
				if unavailable, ok := errors.AsType[*presence.UnavailableError](err); ok {
					require.Equal(t, fmt.Sprintf("shard %d", shard), unavailable.Part)
				} else {
					require.NoError(t, err)
				}
			}
			lost := 0
			for _, g := range gone {
				if g {
					lost++
				}
			}
			require.Positive(t, lost)
			require.Less(t, lost, s.Shards())

			for _, call := range []string{"page", "walk"} {
				err := calls(s)[call](t.Context())
				unavailable, ok := errors.AsType[*presence.UnavailableError](err)
				require.True(t, ok, "%s: %v", call, err)
				require.Contains(t, unavailable.Public(), "shard ")
			}
		})
	}
}
