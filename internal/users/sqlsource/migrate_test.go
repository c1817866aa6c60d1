package sqlsource

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestManyNodesMigrateAtOnce(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, _ database, url string) {
		var wg sync.WaitGroup
		errs := make([]error, 8)
		for i := range errs {
			s := open(t, Config{URL: url})
			wg.Go(func() { errs[i] = s.Migrate(t.Context()) })
		}
		wg.Wait()
		for _, err := range errs {
			require.NoError(t, err)
		}
		require.NoError(t, open(t, Config{URL: url}).Check(t.Context()))
	})
}

func TestMigrateLeavesAnothersTableAlone(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, _ database, url string) {
		members(t, url, `CREATE TABLE users (uid text)`)
		s := open(t, Config{URL: url})
		require.ErrorContains(t, s.Migrate(t.Context()), "ROLLCALL_USERS_QUERY")
		var unfit *QueryError
		require.ErrorAs(t, s.Check(t.Context()), &unfit)
	})
}

func TestSeedTwice(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, _ database, url string) {
		s := migrated(t, url)
		exec(t, s, `INSERT INTO users (id, name) VALUES ('alice', 'The real Alice')`)
		var progress []int
		added, err := s.Seed(t.Context(), 2500, func(done int) { progress = append(progress, done) })
		require.NoError(t, err)
		require.Equal(t, 2499, added)
		require.Equal(t, []int{1000, 2000, 2500}, progress)

		added, err = s.Seed(t.Context(), 2500, nil)
		require.NoError(t, err)
		require.Zero(t, added)

		got, err := s.Load(t.Context(), []string{"alice", "bob", "user-2497", "user-2498"})
		require.NoError(t, err)
		require.Len(t, got, 3)
		require.Equal(t, "The real Alice", *got["alice"].Name, "what is there stays")
		require.Equal(t, 17, *got["bob"].Level)
	})
}

func TestSeedOfFiftyThousandTakesSeconds(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, _ database, url string) {
		s := migrated(t, url)
		start := time.Now()
		added, err := s.Seed(t.Context(), 50_000, nil)
		require.NoError(t, err)
		require.Equal(t, 50_000, added)
		require.Less(t, time.Since(start), 30*time.Second) // about 1 s; machines differ
		t.Logf("%.1f s", time.Since(start).Seconds())
	})
}

func TestUpdatedAtMoves(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, _ database, url string) {
		s := migrated(t, url)
		exec(t, s, `INSERT INTO users (id, updated_at) VALUES ('ann', '2001-01-01T00:00:00Z')`,
			`UPDATE users SET name = 'Ann' WHERE id = 'ann'`)
		var fresh bool
		require.NoError(t, s.db.QueryRow(`SELECT updated_at > '2002-01-01T00:00:00Z' FROM users`).Scan(&fresh))
		require.True(t, fresh)
	})
}

func TestTableKeepsToTheRuleForIDs(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, _ database, url string) {
		s := migrated(t, url)
		long := make([]byte, 129)
		for i := range long {
			long[i] = 'a'
		}
		for _, id := range []string{"", string(long)} {
			_, err := s.db.Exec(`INSERT INTO users (id) VALUES ('` + id + `')`)
			require.Error(t, err)
		}
		exec(t, s, `INSERT INTO users (id) VALUES ('`+string(long[:128])+`')`)
		_, err := s.Load(t.Context(), []string{string(long)})
		require.NoError(t, err)
	})
}
