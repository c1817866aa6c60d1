package directory_test

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"rollcall/internal/pgtest"
	"rollcall/internal/redistest"
	"rollcall/internal/users"
	"rollcall/internal/users/directory"
	"rollcall/internal/users/redistier"
	"rollcall/internal/users/sqlsource"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(pgtest.Main(redistest.Main(m))) }

// fakeSource is a source in memory that counts its loads and can be made to
// wait or fail.
type fakeSource struct {
	mu    sync.Mutex
	names map[string]string
	loads int
	asked int // ids over all loads
	err   error
	// reached and release, if set, hold a load after it has read its rows.
	reached, release chan struct{}
}

func newFakeSource(ids ...string) *fakeSource {
	s := &fakeSource{names: map[string]string{}}
	for _, id := range ids {
		s.names[id] = "old " + id
	}
	return s
}

func (s *fakeSource) Load(ctx context.Context, ids []string) (map[string]users.Details, error) {
	found, reached, release, err := s.read(ids)
	if release != nil {
		select {
		case reached <- struct{}{}:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		select {
		case <-release:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return found, err
}

func (s *fakeSource) read(ids []string) (found map[string]users.Details, reached, release chan struct{}, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(ids) > users.MaxBatch {
		return nil, nil, nil, fmt.Errorf("%d ids in one batch", len(ids))
	}
	s.loads++
	s.asked += len(ids)
	if s.err != nil {
		return nil, s.reached, s.release, s.err
	}
	found = map[string]users.Details{}
	for _, id := range ids {
		if name, ok := s.names[id]; ok {
			found[id] = users.Details{ID: id, Name: &name}
		}
	}
	return found, s.reached, s.release, nil
}

func (s *fakeSource) rename(id, name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.names[id] = name
}

func (s *fakeSource) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.err = err
}

func (s *fakeSource) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.loads
}

// hold makes each load wait, once it has read its rows, until let go.
func (s *fakeSource) hold() (reached <-chan struct{}, letGo func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	release := make(chan struct{})
	s.reached, s.release = make(chan struct{}), release
	return s.reached, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.reached, s.release = nil, nil
		close(release)
	}
}

// counted counts the loads of another source.
type counted struct {
	users.Source
	mu    sync.Mutex
	loads int
}

func (c *counted) Load(ctx context.Context, ids []string) (map[string]users.Details, error) {
	c.mu.Lock()
	c.loads++
	c.mu.Unlock()
	return c.Source.Load(ctx, ids)
}

func (c *counted) count() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.loads
}

// onBoth runs a test on a migrated table of each kind of database.
func onBoth(t *testing.T, test func(t *testing.T, source *sqlsource.Source)) {
	t.Helper()
	for name, url := range map[string]func(t *testing.T) string{
		"sqlite":   func(t *testing.T) string { return "sqlite:" + filepath.Join(t.TempDir(), "users.db") },
		"postgres": func(t *testing.T) string { return pgtest.Database(t) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			// A busy machine must not turn a slow query into a failure.
			s, err := sqlsource.Open(sqlsource.Config{URL: url(t), QueryTimeout: 20 * time.Second})
			require.NoError(t, err)
			t.Cleanup(func() { require.NoError(t, s.Close()) })
			require.NoError(t, s.Migrate(t.Context()))
			test(t, s)
		})
	}
}

// patient are times for tests that are not about slowness: no load gives up on
// the tier because the machine is busy.
func patient(opt directory.Options) directory.Options {
	opt.TierBudget = 20 * time.Second
	opt.LockWait = 20 * time.Second
	return opt
}

func newNode(t *testing.T, source users.Source, opt directory.Options) *directory.Directory {
	t.Helper()
	d, err := directory.New(source, opt)
	require.NoError(t, err)
	return d
}

// run keeps a node informed until the test ends.
func run(t *testing.T, d *directory.Directory) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		d.Run(ctx)
	}()
	t.Cleanup(func() {
		cancel()
		select {
		case <-done:
		case <-time.After(5 * time.Second):
			t.Error("Run did not end with its context")
		}
	})
}

func newTier(t *testing.T, client redis.UniversalClient, prefix string) *redistier.Tier {
	t.Helper()
	tier, err := redistier.New(client, prefix)
	require.NoError(t, err)
	return tier
}

// sharedTier is one tier's view of the test binary's Redis.
func sharedTier(t *testing.T) *redistier.Tier {
	t.Helper()
	return newTier(t, redistest.Shared(t).Client(), redistest.Prefix(t))
}

func nameOf(t *testing.T, d *directory.Directory, id string) string {
	t.Helper()
	found, err := d.Load(t.Context(), []string{id})
	require.NoError(t, err)
	u, ok := found[id]
	if !ok {
		return ""
	}
	return *u.Name
}

// startLoad loads a user in the background. The channel brings the name, or
// nothing but "" if there is none.
func startLoad(t *testing.T, d *directory.Directory, id string) <-chan string {
	t.Helper()
	got := make(chan string, 1)
	go func() {
		defer close(got)
		if found, err := d.Load(t.Context(), []string{id}); err == nil && found[id].Name != nil {
			got <- *found[id].Name
		}
	}()
	return got
}

func eventually(t *testing.T, condition func() bool) {
	t.Helper()
	require.Eventually(t, condition, 15*time.Second, 5*time.Millisecond)
}

func numbered(prefix string, n int) []string {
	ids := make([]string, n)
	for i := range ids {
		ids[i] = fmt.Sprintf("%s%d", prefix, i+1)
	}
	return ids
}
