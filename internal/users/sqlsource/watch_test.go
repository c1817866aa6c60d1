package sqlsource

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"rollcall/internal/logtest"
	"rollcall/internal/pgtest"
)

// heard records what Watch tells.
type heard struct {
	mu   sync.Mutex
	ids  []string
	gaps int
}

func (h *heard) changed(ids []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ids = append(h.ids, ids...)
}

func (h *heard) gap() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.gaps++
}

func (h *heard) all() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Sorted(slices.Values(h.ids))
}

func (h *heard) gapCount() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.gaps
}

func watch(t *testing.T, s *Source) *heard {
	t.Helper()
	h := &heard{}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.Watch(ctx, h.changed, h.gap)
	}()
	t.Cleanup(func() {
		cancel()
		select {
		case <-done:
		case <-time.After(5 * time.Second):
			t.Error("Watch did not end with its context")
		}
	})
	return h
}

func connected(t *testing.T, h *heard, times int) {
	t.Helper()
	require.Eventually(t, func() bool { return h.gapCount() >= times }, 10*time.Second, 5*time.Millisecond)
}

func TestEveryKindOfChangeIsHeard(t *testing.T) {
	t.Parallel()
	s := migrated(t, pgtest.Database(t))
	h := watch(t, s)
	connected(t, h, 1)

	exec(t, s, `INSERT INTO users (id) VALUES ('in'), ('up'), ('before')`)
	require.Eventually(t, func() bool { return len(h.all()) == 3 }, 10*time.Second, 5*time.Millisecond)
	exec(t, s,
		`UPDATE users SET name = 'x' WHERE id = 'up'`,
		`UPDATE users SET id = 'after' WHERE id = 'before'`,
		`DELETE FROM users WHERE id = 'in'`)
	want := []string{"after", "before", "before", "in", "in", "up", "up"}
	require.Eventually(t, func() bool { return slices.Equal(want, h.all()) }, 10*time.Second, 5*time.Millisecond)
}

func TestWatchOutlivesAQuietTimeAndALostConnection(t *testing.T) {
	t.Parallel()
	s := migrated(t, pgtest.Database(t))
	s.keepAlive = 20 * time.Millisecond
	h := watch(t, s)
	connected(t, h, 1)

	exec(t, s, `SELECT pg_sleep(0.2)`) // ten times keepAlive
	exec(t, s, `INSERT INTO users (id) VALUES ('quiet')`)
	require.Eventually(t, func() bool { return slices.Contains(h.all(), "quiet") }, 10*time.Second, 5*time.Millisecond)
	require.Equal(t, 1, h.gapCount(), "a quiet connection is kept")

	exec(t, s, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
		WHERE datname = current_database() AND pid <> pg_backend_pid()
			AND (query LIKE 'LISTEN%' OR query = '-- ping')`)
	connected(t, h, 2)
	exec(t, s, `INSERT INTO users (id) VALUES ('back')`)
	require.Eventually(t, func() bool { return slices.Contains(h.all(), "back") }, 10*time.Second, 5*time.Millisecond)
}

// However often it is tried, an outage is one line.
func TestDatabaseThatCannotBeHeardIsLoggedOnce(t *testing.T) {
	t.Parallel()
	log, logged := logtest.New(slog.LevelInfo)
	refused, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	var attempts atomic.Int32
	done := make(chan struct{})
	go func() { // hangs up on everybody
		defer close(done)
		for {
			conn, err := refused.Accept()
			if err != nil {
				return
			}
			attempts.Add(1)
			_ = conn.Close()
		}
	}()
	t.Cleanup(func() { require.NoError(t, refused.Close()); <-done })
	watch(t, open(t, Config{URL: fmt.Sprintf("postgres://u@%s/db?sslmode=disable", refused.Addr()), Logger: log}))
	require.Eventually(t, func() bool { return attempts.Load() >= 4 }, 10*time.Second, 5*time.Millisecond)
	require.Equal(t, 1, logged.Count(slog.LevelWarn), logged)
}

func TestWatchOnSQLiteOnlyWaits(t *testing.T) {
	t.Parallel()
	s := migrated(t, sqliteFile(t))
	h := &heard{}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	s.Watch(ctx, h.changed, h.gap)
	require.Error(t, ctx.Err(), "it returns no sooner than its context ends")
	require.Zero(t, h.gapCount())
	require.Empty(t, h.all())
}
