package redisstore

import (
	"context"
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"rollcall/internal/presence"
	"rollcall/internal/presence/presencetest"
	"rollcall/internal/redistest"
)

// rights are what docs/operations.md says that the user of the prefix p needs.
var rights = []string{"~{p:*", "~p:*", "&p:*", "+@all", "-@dangerous", "+info"}

// setUser gives the user app of a server a password and rights.
func setUser(t *testing.T, server *redistest.Server, password string, rights ...string) {
	t.Helper()
	args := []any{"ACL", "SETUSER", "app", "reset", "on", ">" + password}
	for _, r := range rights {
		args = append(args, r)
	}
	require.NoError(t, server.Client().Do(t.Context(), args...).Err())
}

// requireServed wants of Redis all that a node does with it: calls, a read that waits
// for an event, and messages to all nodes.
func requireServed(t *testing.T, s *Store) {
	t.Helper()
	const users = 50
	beats := presencetest.SignIn(t, s, users)
	for name, run := range calls(s) {
		require.NoError(t, run(t.Context()), name)
	}
	page, err := s.Page(t.Context(), presence.PageRequest{Order: presence.LastActiveDesc, First: 500})
	require.NoError(t, err)
	require.GreaterOrEqual(t, page.Total, users)
	require.Len(t, page.Rows, page.Total)

	tail, err := s.Tail(t.Context())
	require.NoError(t, err)
	shard := presence.Shard(beats[0].UserID, s.Shards())
	heard := make(chan []presence.Event, 1)
	failed := make(chan error, 1)
	go func() {
		for {
			events, _, err := s.Follow(t.Context(), shard, tail[shard], 2*time.Second)
			switch {
			case err != nil:
				failed <- err
				return
			case len(events) > 0:
				heard <- events
				return
			}
		}
	}()
	_, err = s.End(t.Context(), beats[0].UserID, 0, presence.Disconnected)
	require.NoError(t, err)
	select {
	case events := <-heard:
		require.Equal(t, beats[0].UserID, events[0].Presence.UserID)
	case err := <-failed:
		require.NoError(t, err)
	case <-time.After(patience):
		t.Fatal("no event was heard")
	}

	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	sub := s.Client().Subscribe(ctx, s.opts.Prefix+":users")
	defer func() { require.NoError(t, sub.Close()) }()
	_, err = sub.Receive(ctx) // the subscription is made
	require.NoError(t, err)
	require.NoError(t, s.Client().Publish(ctx, s.opts.Prefix+":users", "ann").Err())
	message, err := sub.ReceiveMessage(ctx)
	require.NoError(t, err)
	require.Equal(t, "ann", message.Payload)
}

// Every layout works with TLS by a private authority and with passwords, and goes on
// after a failover.
func TestTLSAndPasswords(t *testing.T) {
	for layout, start := range map[string]func(t *testing.T, g redistest.Guard) (address string, fail func()){
		"one server": func(t *testing.T, g redistest.Guard) (string, func()) {
			server := g.Start(t)
			return server.URL(), server.Restart
		},
		"cluster": func(t *testing.T, g redistest.Guard) (string, func()) {
			cluster := g.StartCluster(t, 3, 1)
			return cluster.URL(), cluster.Nodes[0].Stop
		},
		"sentinel": func(t *testing.T, g redistest.Guard) (string, func()) {
			sentinel := g.StartSentinel(t, 2, 3)
			return sentinel.URL(), sentinel.Primary.Stop
		},
		"ring": func(t *testing.T, g redistest.Guard) (string, func()) {
			ring := g.StartRing(t, 2)
			return ring.URL(), ring.Nodes[0].Restart
		},
	} {
		t.Run(layout, func(t *testing.T) {
			t.Parallel()
			address, fail := start(t, redistest.NewGuard(t))
			require.Contains(t, address, "ca=")
			s := open(t, Options{URL: address, Prefix: "p", Shards: 16, Buckets: 64, LevelIndex: true})
			requireServed(t, s)
			fail()
			for call, run := range calls(s) {
				require.Eventually(t, func() bool { return run(t.Context()) == nil }, patience, 10*time.Millisecond, call)
			}
			requireServed(t, s)
		})
	}
}

// Whoever Redis does not let in is told why at once, and never with a password; what is
// mended in Redis needs no restart. The rights of docs/operations.md suffice.
func TestRedisLetsNobodyIn(t *testing.T) {
	const password = "sword:fish"
	for name, test := range map[string]struct {
		server func(t *testing.T, g *redistest.Guard) // changes what the server demands
		client func(t *testing.T, g *redistest.Guard) // changes what the store comes with
		rights []string                               // of the user app, if there is one
		cause  string
	}{
		"another authority": {
			client: func(t *testing.T, g *redistest.Guard) { g.TLS = redistest.NewTLS(t, "127.0.0.1") },
			cause:  "certificate signed by unknown authority",
		},
		"the certificate of another host": {
			server: func(t *testing.T, g *redistest.Guard) { g.TLS = redistest.NewTLS(t, "redis.example") },
			cause:  "cannot validate certificate for 127.0.0.1",
		},
		"no TLS where it is demanded": {
			client: func(_ *testing.T, g *redistest.Guard) { g.TLS = nil },
			cause:  "EOF", // all that Redis says
		},
		"TLS where it is not known": {
			server: func(_ *testing.T, g *redistest.Guard) { g.TLS = nil },
			client: func(t *testing.T, g *redistest.Guard) { g.TLS = redistest.NewTLS(t, "127.0.0.1") },
			cause:  "does not look like a TLS handshake|deadline exceeded", // a Redis may wait for the end of the line
		},
		"no password": {
			client: func(_ *testing.T, g *redistest.Guard) { g.Login = redistest.Login{} },
			cause:  "NOAUTH|unauthenticated",
		},
		"an unknown user": {
			client: func(_ *testing.T, g *redistest.Guard) { g.Login = redistest.Login{User: "app", Password: password} },
			cause:  "WRONGPASS",
		},
		"a wrong password": {
			client: func(_ *testing.T, g *redistest.Guard) {
				g.Login = redistest.Login{User: "app", Password: "not " + password}
			},
			rights: rights,
			cause:  "WRONGPASS",
		},
		"a user without rights": {
			client: func(_ *testing.T, g *redistest.Guard) { g.Login = redistest.Login{User: "app", Password: password} },
			rights: []string{"-@all"},
			cause:  "NOPERM",
		},
		"a user who may run scripts that may do nothing": {
			client: func(_ *testing.T, g *redistest.Guard) { g.Login = redistest.Login{User: "app", Password: password} },
			rights: []string{"~{p:*", "~p:*", "&p:*", "+@all", "-@sortedset", "-@hash"},
			cause:  "user executing the script can't|NOPERM",
		},
		"a user of another prefix": {
			client: func(_ *testing.T, g *redistest.Guard) { g.Login = redistest.Login{User: "app", Password: password} },
			rights: []string{"~{q:*", "~q:*", "&q:*", "+@all", "-info"},
			cause:  "NOPERM",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			guard := redistest.NewGuard(t)
			if test.server != nil {
				test.server(t, &guard)
			}
			server := guard.Start(t)
			if test.rights != nil {
				setUser(t, server, password, test.rights...)
			}
			if test.client != nil {
				test.client(t, &guard)
			}
			s := open(t, Options{URL: withPool(t, server.URLAs(guard)), Prefix: "p", LevelIndex: true, Buckets: 8})
			for _, call := range []string{"beat", "set levels", "page", "stats", "check"} {
				err := calls(s)[call](t.Context())
				var unavailable *presence.UnavailableError
				require.ErrorAs(t, err, &unavailable, call)
				require.Regexp(t, test.cause, err.Error(), call)
				require.NotContains(t, err.Error(), password)
				require.NotContains(t, err.Error(), "keeper", "nor the user")
			}
			requireUnavailable(t, "beat", calls(s)["beat"])
			if guard.Login.User != "app" {
				return
			}
			setUser(t, server, guard.Login.Password, rights...)
			for call, run := range calls(s) {
				require.Eventually(t, func() bool { return run(t.Context()) == nil }, patience, 10*time.Millisecond, call)
			}
			requireServed(t, s)
		})
	}
}

// The rights of docs/operations.md suffice for a Cluster too.
func TestRightsInACluster(t *testing.T) {
	t.Parallel()
	guard := redistest.NewGuard(t)
	cluster := guard.StartCluster(t, 2, 0)
	for _, node := range cluster.Nodes {
		setUser(t, node, "sword:fish", rights...)
	}
	guard.Login = redistest.Login{User: "app", Password: "sword:fish"}
	requireServed(t, open(t, Options{URL: cluster.URLAs(guard), Prefix: "p", Shards: 16, Buckets: 64, LevelIndex: true}))
}

// Sentinels and servers have a login each, and each may be wrong.
func TestSentinelLetsNobodyIn(t *testing.T) {
	t.Parallel()
	guard := redistest.NewGuard(t)
	sentinel := guard.StartSentinel(t, 0, 1)
	for name, test := range map[string]struct {
		client func(g *redistest.Guard)
		cause  string
	}{
		"the Sentinels' password":   {func(g *redistest.Guard) { g.Sentinels.Password = "sword:fish" }, "sentinels.*WRONGPASS"},
		"no login at the Sentinels": {func(g *redistest.Guard) { g.Sentinels = redistest.Login{} }, "sentinels.*NOAUTH"},
		"the servers' password":     {func(g *redistest.Guard) { g.Login.Password = "sword:fish" }, "shard 3.*: WRONGPASS"},
		"another authority":         {func(g *redistest.Guard) { g.TLS = redistest.NewTLS(t, "127.0.0.1") }, "sentinels.*unknown authority"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client := guard
			test.client(&client)
			s := open(t, Options{URL: withPool(t, sentinel.URLAs(client)), Prefix: "p"})
			requireUnavailable(t, name, calls(s)["beat"])
			err := calls(s)["beat"](t.Context())
			require.Regexp(t, test.cause, err.Error())
			require.NotContains(t, err.Error(), "sword:fish")
		})
	}
}

// A server that hangs is noticed in time with TLS too, on new connections as on old ones.
func TestOutageWithTLS(t *testing.T) {
	t.Parallel()
	server := redistest.NewGuard(t).Start(t)
	s := open(t, Options{URL: withPool(t, server.URL()), Prefix: "p", LevelIndex: true, Buckets: 8})
	for call, run := range calls(s) {
		require.NoError(t, run(t.Context()), call)
	}
	server.Pause()
	for call, run := range calls(s) {
		requireUnavailable(t, call, run)
	}
	server.Resume()
	for call, run := range calls(s) {
		require.Eventually(t, func() bool { return run(t.Context()) == nil }, patience, 10*time.Millisecond, call)
	}
}

// withPool gives a client so many connections that their failures never add up to what
// makes go-redis dial in the background, which it does for a second beyond its end.
func withPool(t *testing.T, raw string) string {
	t.Helper()
	u, err := url.Parse(raw)
	require.NoError(t, err)
	params := u.Query()
	params.Set("pool_size", "1000")
	u.RawQuery = params.Encode()
	return u.String()
}
