package faults

import (
	"context"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"rollcall/internal/redistest"
)

// service is the nodes of one test, which share a store and a database.
type service struct {
	t      *testing.T
	ttl    time.Duration
	client *http.Client
	env    []string

	mu    sync.Mutex
	nodes []*node // those that a balancer would send clients to
}

// newService is a service without nodes yet.
func newService(t *testing.T, redisURL string, ttl time.Duration) *service {
	t.Helper()
	transport := &http.Transport{MaxIdleConnsPerHost: 1024}
	t.Cleanup(transport.CloseIdleConnections)
	return &service{
		t: t, ttl: ttl, client: &http.Client{Transport: transport, Timeout: 20 * time.Second}, // no device of a busy machine gives up
		env: []string{
			"ROLLCALL_HTTP_ADDR=127.0.0.1:0", "ROLLCALL_REDIS_URL=" + redisURL, "ROLLCALL_KEY_PREFIX=" + redistest.Prefix(t),
			"ROLLCALL_TTL=" + ttl.String(), "ROLLCALL_BACKGROUND_TTL=" + backgroundOf(ttl).String(), "ROLLCALL_AWAY_AFTER=1h",
			"ROLLCALL_DATABASE_URL=sqlite:" + filepath.Join(t.TempDir(), "users.db"),
		},
	}
}

// backgroundOf is the lease in the background that goes with a TTL.
func backgroundOf(ttl time.Duration) time.Duration { return 5 * ttl / 2 }

// start adds a node; env overrides the service's settings. It is ready if its
// Redis can be reached.
func (s *service) start(env ...string) *node {
	s.t.Helper()
	return s.startAs(suite.program, env...)
}

// startAs adds a node that runs another build of the program.
func (s *service) startAs(program string, env ...string) *node {
	s.t.Helper()
	n := startNode(s.t, program, append(slices.Clone(s.env), env...))
	require.Eventually(s.t, func() bool { return n.ready(s.client) }, startWithin, tick)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.nodes = append(s.nodes, n)
	return n
}

// setting is the value of one of the nodes' settings.
func (s *service) setting(name string) string {
	for _, variable := range s.env {
		if value, found := strings.CutPrefix(variable, name+"="); found {
			return value
		}
	}
	return ""
}

// urls are the nodes that clients may be sent to. One that has ended is found out
// by its clients.
func (s *service) urls() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	urls := make([]string, len(s.nodes))
	for i, n := range s.nodes {
		urls[i] = n.url
	}
	return urls
}

// forget takes a node out of the balancer's list.
func (s *service) forget(n *node) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.nodes = slices.DeleteFunc(s.nodes, func(other *node) bool { return other == n })
}

// settle waits until the grace of a new store is over, so that leases
// end when they end.
func (s *service) settle() { pass(s.t, s.ttl) }

// pass lets time go by. It is not for waiting for something: the time is the fault.
func pass(t *testing.T, d time.Duration) {
	t.Helper()
	require.True(t, pause(t.Context(), d))
}

// pause waits for d, or returns false when ctx ends before.
func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// list walks the whole online list of a node, in small pages.
func (s *service) list(ctx context.Context, url string) ([]string, error) {
	const query = `query ($after: String) { onlineUsers(first: 100, after: $after, orderBy: UNORDERED) {
		nodes { id } pageInfo { hasNextPage endCursor } } }`
	var users []string
	for after := any(nil); ; {
		var page struct {
			OnlineUsers struct {
				Nodes    []struct{ ID string }
				PageInfo struct {
					HasNextPage bool
					EndCursor   *string
				}
			}
		}
		if err := s.post(ctx, url, admin, query, variables{"after": after}, &page); err != nil {
			return nil, err
		}
		for _, n := range page.OnlineUsers.Nodes {
			users = append(users, n.ID)
		}
		if !page.OnlineUsers.PageInfo.HasNextPage {
			slices.Sort(users)
			return slices.Compact(users), nil // a walk may meet a user twice
		}
		after = page.OnlineUsers.PageInfo.EndCursor
	}
}

// requireOnline waits until every node lists these users and nobody else, and
// counts as many.
func (s *service) requireOnline(within time.Duration, users ...[]string) {
	s.t.Helper()
	want := slices.Concat(users...)
	slices.Sort(want)
	for _, url := range s.urls() {
		var got []string
		equal := func() bool {
			var err error
			got, err = s.list(s.t.Context(), url)
			return err == nil && slices.Equal(want, got)
		}
		awaitQuietly(within, equal)
		require.Equal(s.t, want, got, url)
		var count struct{ OnlineCount int }
		require.NoError(s.t, s.post(s.t.Context(), url, admin, `{ onlineCount }`, nil, &count))
		require.Equal(s.t, len(want), count.OnlineCount, url)
	}
}

// awaitQuietly waits until ok, or for so long; what then is up to the caller.
func awaitQuietly(within time.Duration, ok func() bool) {
	for deadline := time.Now().Add(within); !ok() && time.Now().Before(deadline); {
		<-time.After(tick)
	}
}
