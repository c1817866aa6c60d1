package redistier

import (
	"context"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"rollcall/internal/redistest"
	"rollcall/internal/users"
	"rollcall/internal/users/directory"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(redistest.Main(m)) }

func newTier(t *testing.T) (*Tier, *redis.Client) {
	t.Helper()
	client := redistest.Shared(t).Client()
	tier, err := New(client, redistest.Prefix(t))
	require.NoError(t, err)
	return tier, client
}

func named(id, name string) directory.Entry {
	return directory.Entry{Details: users.Details{ID: id, Name: &name}, Known: true, TTL: time.Hour}
}

func TestEntriesComeBackWithTheirTimes(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	tier, client := newTier(t)
	require.NoError(t, tier.Add(ctx, map[string]directory.Entry{
		"ann":    named("ann", "Ann"),
		"nobody": {TTL: time.Minute},
	}))

	found, stale, err := tier.Get(ctx, []string{"ann", "nobody", "never-asked"})
	require.NoError(t, err)
	require.Empty(t, stale)
	require.Len(t, found, 2)
	require.Equal(t, named("ann", "Ann").Details, found["ann"].Details)
	require.False(t, found["nobody"].Known)
	require.InDelta(t, time.Minute, found["nobody"].TTL, float64(10*time.Second))
	require.InDelta(t, time.Hour, client.PTTL(ctx, tier.userKey("ann")).Val(), float64(time.Minute))
}

func TestMarkKeepsLateEntriesOut(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	tier, _ := newTier(t)
	require.NoError(t, tier.Add(ctx, map[string]directory.Entry{"ann": named("ann", "Old")}))
	require.NoError(t, tier.MarkStale(ctx, []string{"ann"}, 200*time.Millisecond))
	require.NoError(t, tier.Add(ctx, map[string]directory.Entry{"ann": named("ann", "Old")}))

	found, stale, err := tier.Get(ctx, []string{"ann"})
	require.NoError(t, err)
	require.Empty(t, found)
	require.Equal(t, []string{"ann"}, stale)

	require.Eventually(t, func() bool {
		require.NoError(t, tier.Add(ctx, map[string]directory.Entry{"ann": named("ann", "New")}))
		found, _, err := tier.Get(ctx, []string{"ann"})
		return err == nil && found["ann"].Known && *found["ann"].Details.Name == "New"
	}, 5*time.Second, 10*time.Millisecond)
}

func TestAddDoesNotReplace(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	tier, _ := newTier(t)
	require.NoError(t, tier.Add(ctx, map[string]directory.Entry{"ann": named("ann", "First")}))
	require.NoError(t, tier.Add(ctx, map[string]directory.Entry{"ann": named("ann", "Second")}))
	found, _, err := tier.Get(ctx, []string{"ann"})
	require.NoError(t, err)
	require.Equal(t, "First", *found["ann"].Details.Name)
}

func TestUnreadableEntryIsReplaceable(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	tier, client := newTier(t)
	require.NoError(t, client.Set(ctx, tier.userKey("ann"), "2 from the future", 0).Err())

	found, _, err := tier.Get(ctx, []string{"ann"})
	require.NoError(t, err)
	require.Empty(t, found)
	ttl := client.PTTL(ctx, tier.userKey("ann")).Val()
	require.Positive(t, ttl, "what nobody can read must not stay for ever")
	require.LessOrEqual(t, ttl, time.Second)
}

func TestLockIsOfTheSetAndEndsByItself(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	tier, client := newTier(t)
	unlock, ok, err := tier.TryLock(ctx, []string{"a", "b"})
	require.NoError(t, err)
	require.True(t, ok)

	_, ok, err = tier.TryLock(ctx, []string{"b", "a"})
	require.NoError(t, err)
	require.False(t, ok, "order does not matter")
	ttl := client.PTTL(ctx, tier.loadKey([]string{"a", "b"})).Val()
	require.Positive(t, ttl)
	require.LessOrEqual(t, ttl, lockExpiry)

	_, ok, err = tier.TryLock(ctx, []string{"a"})
	require.NoError(t, err)
	require.True(t, ok, "another set is another lock")

	unlock()
	_, ok, err = tier.TryLock(ctx, []string{"a", "b"})
	require.NoError(t, err)
	require.True(t, ok)
}

// log records what Watch tells.
type log struct {
	mu   sync.Mutex
	ids  []string
	gaps int
}

func (l *log) changed(ids []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ids = append(l.ids, ids...)
}

func (l *log) gap() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.gaps++
}

func (l *log) seen() (ids []string, gaps int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]string(nil), l.ids...), l.gaps
}

func watch(t *testing.T, tier *Tier) *log {
	t.Helper()
	l := &log{}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		tier.Watch(ctx, l.changed, l.gap)
	}()
	t.Cleanup(func() {
		cancel()
		select {
		case <-done:
		case <-time.After(5 * time.Second):
			t.Error("Watch did not end with its context")
		}
	})
	return l
}

func TestWatchTellsAnnouncementsAndGaps(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	server := redistest.Start(t)
	tier, err := New(server.Client(), "p")
	require.NoError(t, err)
	l := watch(t, tier)
	gaps := func(n int) func() bool {
		return func() bool { _, g := l.seen(); return g >= n }
	}
	require.Eventually(t, gaps(1), 10*time.Second, 5*time.Millisecond)

	require.NoError(t, tier.Announce(ctx, []string{"a", `b"ü`}))
	require.Eventually(t, func() bool {
		ids, _ := l.seen()
		return len(ids) == 2 && ids[0] == "a" && ids[1] == `b"ü`
	}, 10*time.Second, 5*time.Millisecond)

	server.Restart()
	require.Eventually(t, gaps(2), 10*time.Second, 5*time.Millisecond, "a new connection is a gap")

	require.NoError(t, tier.client.Publish(ctx, tier.channel(), "not JSON").Err())
	require.Eventually(t, gaps(3), 10*time.Second, 5*time.Millisecond, "so is what can't be read")
}

func TestWatchLeavesASilentServer(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	tier, err := New(server.Client(), "p")
	require.NoError(t, err)
	tier.quiet = 50 * time.Millisecond
	l := watch(t, tier)
	require.Eventually(t, func() bool { _, g := l.seen(); return g == 1 }, 10*time.Second, 5*time.Millisecond)

	server.Pause()
	// Each attempt to resubscribe leaves a connection that the server finds
	// when it wakes up.
	require.Eventually(t, func() bool { return tier.client.(*redis.Client).PoolStats().PubSubStats.Created > 1 },
		10*time.Second, 5*time.Millisecond)
	server.Resume()
	require.Eventually(t, func() bool { _, g := l.seen(); return g > 1 }, 10*time.Second, 5*time.Millisecond)
}

func TestWorksOnARing(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	ring := redis.NewRing(&redis.RingOptions{
		Addrs:                 map[string]string{"a": redistest.Start(t).Addr, "b": redistest.Start(t).Addr},
		ContextTimeoutEnabled: true,
	})
	t.Cleanup(func() { require.NoError(t, ring.Close()) })
	tier, err := New(ring, "p")
	require.NoError(t, err)

	entries, ids := map[string]directory.Entry{}, []string{}
	for i := range users.MaxBatch {
		id := strconv.Itoa(i)
		ids = append(ids, id)
		entries[id] = named(id, "N"+id)
	}
	require.NoError(t, tier.Add(ctx, entries))
	found, _, err := tier.Get(ctx, ids)
	require.NoError(t, err)
	require.Len(t, found, users.MaxBatch)
	unlock, ok, err := tier.TryLock(ctx, ids)
	require.NoError(t, err)
	require.True(t, ok)
	unlock()

	l := watch(t, tier)
	require.Eventually(t, func() bool { _, g := l.seen(); return g == 1 }, 10*time.Second, 5*time.Millisecond)
	require.NoError(t, tier.Announce(ctx, []string{"x"}))
	require.Eventually(t, func() bool { ids, _ := l.seen(); return len(ids) == 1 }, 10*time.Second, 5*time.Millisecond)
}

func TestClientMustHeedDeadlines(t *testing.T) {
	t.Parallel()
	client := redis.NewClient(&redis.Options{Addr: "127.0.0.1:1"})
	defer func() { require.NoError(t, client.Close()) }()
	_, err := New(client, "p")
	require.ErrorContains(t, err, "ContextTimeoutEnabled")
}
