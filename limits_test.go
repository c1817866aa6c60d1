package main

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"rollcall/internal/auth"
	"rollcall/internal/config"
	"rollcall/internal/feed"
	"rollcall/internal/keepalive"
	"rollcall/internal/presence"
	"rollcall/internal/rate"
	"rollcall/internal/redistest"
	"rollcall/internal/users"
	"rollcall/resolvers"
)

// countingStore counts what requests ask of the store.
type countingStore struct {
	presence.Store
	calls atomic.Int64
}

func (s *countingStore) Beat(ctx context.Context, beats []presence.Beat) ([]presence.BeatResult, error) {
	s.calls.Add(1)
	return s.Store.Beat(ctx, beats)
}

func (s *countingStore) End(ctx context.Context, id string, epoch presence.Epoch, reason presence.Reason) (bool, error) {
	s.calls.Add(1)
	return s.Store.End(ctx, id, epoch, reason)
}

func (s *countingStore) Presences(ctx context.Context, ids []string) ([]presence.Presence, error) {
	s.calls.Add(1)
	return s.Store.Presences(ctx, ids)
}

func (s *countingStore) Page(ctx context.Context, req presence.PageRequest) (presence.Page, error) {
	s.calls.Add(1)
	return s.Store.Page(ctx, req)
}

func (s *countingStore) Stats(ctx context.Context) (presence.Stats, error) {
	s.calls.Add(1)
	return s.Store.Stats(ctx)
}

// strangers is a directory that knows nobody.
type strangers struct{ calls *atomic.Int64 }

func (s strangers) Load(context.Context, []string) (map[string]users.Details, error) {
	s.calls.Add(1)
	return nil, nil
}

func (strangers) Refresh(context.Context, []string) error { return nil }

// serveCounting serves the API over a store whose calls are counted.
func serveCounting(t testing.TB, change func(*config.Config)) (url string, calls *atomic.Int64) {
	t.Helper()
	cfg, err := config.Default()
	require.NoError(t, err)
	on := true
	cfg.Limits.Rates = &on
	change(&cfg)
	require.NoError(t, cfg.Check())
	log := slog.New(slog.DiscardHandler)
	memory := memoryStore(cfg.Store)
	counting := &countingStore{Store: memory.Store}
	memory.Store = counting
	hub := feed.NewHub(counting, feed.Config{}, log)
	hub.Start()
	t.Cleanup(hub.Stop)
	service := presence.NewService(counting, cfg.Store.Rules(), nil, log).AnsweringEarly(cfg.Limited().EarlyBeats)
	var running parts
	t.Cleanup(func() { require.NoError(t, running.stop(context.Background())) })
	limits := newLimits(&running, cfg, memory, log)
	api := resolvers.Dependencies{
		Service: limits.service(service), Directory: strangers{&counting.calls}, Feed: hub,
		Keeper: limits.keeper(keepalive.New(service, hub, log)), Beats: presence.NewSweeper(counting, log), Log: log,
	}
	listener, err := new(net.ListenConfig).Listen(context.Background(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	_, err = serveHTTP(&running, cfg, listener, memory, api, limits)
	require.NoError(t, err)
	return "http://" + listener.Addr().String() + "/", &counting.calls
}

const wholePage = `onlineUsers(first: %d) { totalCount pageInfo { hasNextPage hasPreviousPage startCursor endCursor } ` +
	`edges { cursor node { id name avatarUrl level presence { status lastActiveAt onlineSince deviceId } } } }`

// manyOf is a selection, by so many aliases.
func manyOf(n int, selection string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, " a%d: %s", i, selection)
	}
	return b.String()
}

func TestOperationsAreBoundedByWhatTheyCost(t *testing.T) {
	url, calls := serveCounting(t, func(*config.Config) {})
	ids := strings.TrimSpace(strings.Repeat(`"bob" `, 500))
	beats := make([]map[string]any, presence.MaxBeats)
	for i := range beats {
		beats[i] = map[string]any{"userId": fmt.Sprint("u", i), "deviceId": "d"}
	}
	for name, tt := range map[string]struct {
		query     string
		variables map[string]any
		allowed   bool
	}{
		"a page of 500 with details": {query: `{ ` + fmt.Sprintf(wholePage, 500) + ` }`, allowed: true},
		"ten of them":                {query: `{` + manyOf(10, fmt.Sprintf(wholePage, 500)) + ` }`},
		"ten pages of 500 names":     {query: `{` + manyOf(10, `onlineUsers(first: 500) { nodes { id name } }`) + ` }`},
		"ten, by variables": {
			query:     `query($n: Int) {` + manyOf(10, `onlineUsers(first: $n) { nodes { id name } }`) + ` }`,
			variables: map[string]any{"n": 500},
		},
		"ten pages of 50":          {query: `{` + manyOf(10, fmt.Sprintf(wholePage, 50)) + ` }`, allowed: true},
		"users by 500 ids":         {query: `{ users(ids: [` + ids + `]) { id name level presence { status user { name } } } }`, allowed: true},
		"ten times":                {query: `query($ids: [ID!]!) {` + manyOf(10, `users(ids: $ids) { id name level }`) + ` }`, variables: map[string]any{"ids": strings.Fields(strings.ReplaceAll(ids, `"`, ""))}},
		"presence of 500":          {query: `{ presence(userIds: [` + ids + `]) { userId status user { name } } }`, allowed: true},
		"nested presence of 500":   {query: `{ presence(userIds: [` + ids + `]) { ` + strings.Repeat(`user { presence { `, 5) + `status` + strings.Repeat(` } }`, 5) + manyOf(40, `status`) + ` } }`},
		"nested too deep":          {query: `{ me { ` + strings.Repeat(`presence { user { `, 6) + `id` + strings.Repeat(` } }`, 6) + ` } }`},
		"heartbeats of 1000 users": {query: `mutation($i: [UserHeartbeatInput!]!) { heartbeats(input: $i) { accepted results { userId session error } } }`, variables: map[string]any{"i": beats}, allowed: true},
		"three times":              {query: `mutation($i: [UserHeartbeatInput!]!) {` + manyOf(3, `heartbeats(input: $i) { accepted results { userId session error } }`) + ` }`, variables: map[string]any{"i": beats}},
		"the console's":            {query: `{ cluster { online shards { index online } imbalance } onlineHistory(from: "2026-01-01T00:00:00Z", to: "2026-01-02T00:00:00Z") { at peak average } }`, allowed: true},
	} {
		t.Run(name, func(t *testing.T) {
			before := calls.Load()
			a := postBody(t, url, "dev:root:admin", encoded(t, map[string]any{"query": tt.query, "variables": tt.variables}))
			if tt.allowed {
				require.Empty(t, a.Errors)
				return
			}
			require.Len(t, a.Errors, 1)
			require.Equal(t, "GRAPHQL_VALIDATION_FAILED", a.Errors[0].Extensions.Code)
			require.Equal(t, before, calls.Load(), "a refused document asks nothing of the store")
		})
	}
	t.Run("subscriptions", func(t *testing.T) {
		ann := connect(t, url, "dev:ann")
		before := calls.Load()
		ann.subscribe("1", `subscription { onlineUsersChanged(first: 500) { nodes { `+manyOf(50, `name`)+` } } }`)
		refused := ann.read()
		require.Equal(t, "error", refused.Type)
		require.Contains(t, string(refused.Payload), "GRAPHQL_VALIDATION_FAILED")
		require.Equal(t, before, calls.Load())
	})
}

func TestSettingsOfDocuments(t *testing.T) {
	const introspection = `{"query":"{ __schema { queryType { name } } }"}`
	signed := func(cfg *config.Config) {
		cfg.Auth.Mode, cfg.Auth.JWTSecret = auth.JWT, strings.Repeat("s", auth.MinSecretBytes)
	}
	on := true
	for name, tt := range map[string]struct {
		change  func(*config.Config)
		allowed bool
	}{
		"dev":            {func(*config.Config) {}, true},
		"jwt":            {signed, false},
		"jwt, but asked": {func(cfg *config.Config) { signed(cfg); cfg.Limits.Introspection = &on }, true},
	} {
		url, _ := serveCounting(t, tt.change)
		a := postBody(t, url, "", []byte(introspection))
		require.Equal(t, tt.allowed, len(a.Errors) == 0, name)
	}

	path := filepath.Join(t.TempDir(), "manifest.json")
	require.NoError(t, os.WriteFile(path, []byte(`{"count":"{ onlineCount }"}`), 0o600))
	url, _ := serveCounting(t, func(cfg *config.Config) { cfg.Limits.PersistedOnly = path })
	a := postBody(t, url, "dev:ann", []byte(`{"query":"{ me { id } }"}`))
	require.Equal(t, "PERSISTED_QUERY_NOT_IN_LIST", a.Errors[0].Extensions.Code)
	a = postBody(t, url, "dev:ann", []byte(`{"extensions":{"persistedQuery":{"version":1,"sha256Hash":"count"}}}`))
	require.Empty(t, a.Errors)

	for _, content := range []string{"", `{"count":"{ onlineCounts }"}`} {
		require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
		cfg, err := config.Default()
		require.NoError(t, err)
		cfg.HTTP.Addr, cfg.Limits.PersistedOnly = "127.0.0.1:0", path
		cfg.Users.DatabaseURL = "sqlite:" + filepath.Join(t.TempDir(), "rollcall.db")
		require.ErrorContains(t, run(t.Context(), cfg, os.Stderr, slog.New(slog.DiscardHandler)), "ROLLCALL_PERSISTED_ONLY")
	}
}

func TestRatesAreLimited(t *testing.T) {
	url, calls := serveCounting(t, func(cfg *config.Config) {
		cfg.Limits.EarlyBeats = 1
		cfg.Limits.UserBeats = rate.Limit{Count: 6, Per: time.Hour}
		cfg.Limits.UserSignIns = rate.Limit{Count: 2, Per: time.Hour}
		cfg.Limits.UserCost = rate.Limit{Count: 1000, Per: time.Hour}
	})
	requireLimited := func(a answer) {
		t.Helper()
		require.Equal(t, "RATE_LIMITED", a.code())
		require.Positive(t, a.Errors[0].Extensions.RetryAfterMs)
	}
	var in signedIn
	post(t, url, "dev:ann", signIn).into(t, &in)
	beat := func() string {
		return fmt.Sprintf(`mutation { heartbeat(input: {deviceId: "phone", session: %q}) { outcome session } }`, in.Heartbeat.Session)
	}
	before := calls.Load()
	for range 3 {
		require.Empty(t, post(t, url, "dev:ann", beat()).Errors)
	}
	require.Equal(t, before+1, calls.Load(), "early beats are answered from memory")
	post(t, url, "dev:ann", signIn).into(t, &in)
	before = calls.Load()
	requireLimited(post(t, url, "dev:ann", signIn))
	requireLimited(post(t, url, "dev:ann", beat()))

	post(t, url, "dev:bob", `{ onlineUsers(first: 100) { nodes { id } } }`).into(t, new(any))
	require.Equal(t, before+1, calls.Load())
	requireLimited(post(t, url, "dev:bob", `{ onlineUsers(first: 100) { nodes { id } } }`))
	require.Equal(t, before+1, calls.Load(), "what is refused asks nothing of the store")
	for range 5 {
		post(t, url, "dev:root:admin", `{ onlineUsers(first: 100) { nodes { id } } }`).into(t, new(any))
	}
	cleo := connect(t, url, "dev:ann")
	cleo.subscribe("1", `subscription { session(input: {deviceId: "tablet"}) { type } }`)
	require.Contains(t, string(cleo.read().Payload), "RATE_LIMITED")
}

// Sign-ins are counted on all nodes together.
func TestSignInsAreLimitedAcrossNodes(t *testing.T) {
	redis := redistest.Start(t).URL()
	on := true
	few := func(cfg *config.Config) {
		cfg.Limits.Rates = &on
		cfg.Store.RedisURL, cfg.Limits.UserSignIns = redis, rate.Limit{Count: 3, Per: time.Hour}
	}
	a, b := start(t, few), start(t, few)
	for _, url := range []string{a.url, b.url, a.url} {
		require.Empty(t, post(t, url, "dev:ann", signIn).Errors)
	}
	require.Equal(t, "RATE_LIMITED", post(t, b.url, "dev:ann", signIn).code())
	require.Empty(t, post(t, b.url, "dev:bob", signIn).Errors)
}
