package sqlsource

import (
	"context"
	"fmt"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"rollcall/internal/users"
)

func ptr[T any](v T) *T { return &v }

func TestLoadReadsWhatIsThere(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, _ database, url string) {
		s := migrated(t, url)
		exec(t, s,
			`INSERT INTO users (id, name, avatar_url, level) VALUES ('ann', 'Ann Ünal', '/ann.png', 7)`,
			`INSERT INTO users (id) VALUES ('bare')`,
			`INSERT INTO users (id, name) VALUES ('Ann', 'Another')`,
			`INSERT INTO users (id, name) VALUES ('42', 'Number')`,
			`INSERT INTO users (id, name) VALUES ('q"''<\', 'Quotes')`)

		got, err := s.Load(t.Context(), []string{"ann", "bare", "42", `q"'<\`, "ann", "nobody", "nul\x00", "bad\xff"})
		require.NoError(t, err)
		require.Equal(t, map[string]users.Details{
			"ann":   {ID: "ann", Name: ptr("Ann Ünal"), AvatarURL: ptr("/ann.png"), Level: ptr(7)},
			"bare":  {ID: "bare"},
			"42":    {ID: "42", Name: ptr("Number")},
			`q"'<\`: {ID: `q"'<\`, Name: ptr("Quotes")},
		}, got)
	})
}

func TestBatchIsOneStatement(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, _ database, url string) {
		s, queries := openCounting(t, Config{URL: url})
		require.NoError(t, s.Migrate(t.Context()))
		_, err := s.Seed(t.Context(), users.MaxBatch, nil)
		require.NoError(t, err)
		ids := []string{"alice", "bob", "carol"}
		for i := 1; len(ids) < users.MaxBatch; i++ {
			ids = append(ids, fmt.Sprintf("user-%d", i))
		}

		queries.Store(0)
		got, err := s.Load(t.Context(), ids)
		require.NoError(t, err)
		require.Len(t, got, users.MaxBatch)
		require.EqualValues(t, 1, queries.Load())

		_, err = s.Load(t.Context(), nil)
		require.NoError(t, err)
		require.EqualValues(t, 1, queries.Load(), "nothing to ask, nothing asked")

		_, err = s.Load(t.Context(), append(ids, "one more"))
		require.ErrorContains(t, err, "at most 500")
	})
}

func TestInMemorySQLiteIsOneDatabase(t *testing.T) {
	t.Parallel()
	s := migrated(t, "sqlite::memory:")
	_, err := s.Seed(t.Context(), 10, nil)
	require.NoError(t, err)
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			got, err := s.Load(t.Context(), []string{"alice"})
			if err != nil || len(got) != 1 {
				t.Errorf("got %v, %v", got, err)
			}
		})
	}
	wg.Wait()
}

func TestOpenRefusesURLs(t *testing.T) {
	t.Parallel()
	for url, want := range map[string]string{
		"":                           "no database URL",
		"sqlite:":                    "no path",
		"mysql://root:secret@db/app": `scheme "mysql"`,
		"postgres://h:notaport/db":   "database URL",
	} {
		_, err := Open(Config{URL: url})
		require.ErrorContains(t, err, want)
		require.NotContains(t, err.Error(), "secret")
	}
}

func TestDatabaseThatIsGone(t *testing.T) {
	t.Parallel()
	s := open(t, Config{URL: "postgres://u@127.0.0.1:1/db?sslmode=disable"})
	require.ErrorIs(t, s.Check(t.Context()), users.ErrUnavailable)
	_, err := s.Load(t.Context(), []string{"ann"})
	require.ErrorIs(t, err, users.ErrUnavailable)
}

func TestDatabaseThatHangsCostsTheTimeout(t *testing.T) {
	t.Parallel()
	silent, err := net.Listen("tcp", "127.0.0.1:0") // accepts, never answers
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, silent.Close()) })
	s := open(t, Config{
		URL:          fmt.Sprintf("postgres://u@%s/db?sslmode=disable", silent.Addr()),
		QueryTimeout: 100 * time.Millisecond,
	})

	start := time.Now()
	_, err = s.Load(t.Context(), []string{"ann"})
	require.ErrorIs(t, err, users.ErrUnavailable)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.Less(t, time.Since(start), 3*time.Second)
}
