package directory_test

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"rollcall/internal/pgtest"
	"rollcall/internal/users/directory"
	"rollcall/internal/users/sqlsource"
)

func TestChangeInPostgresReachesEveryNode(t *testing.T) {
	t.Parallel()
	url := pgtest.Database(t)
	source, err := sqlsource.Open(sqlsource.Config{URL: url})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, source.Close()) })
	require.NoError(t, source.Migrate(t.Context()))
	_, err = source.Seed(t.Context(), 3, nil)
	require.NoError(t, err)
	conn, err := pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, conn.Close(context.Background())) })

	opt := patient(directory.Options{Tier: sharedTier(t), Changes: source})
	withTier, also := newNode(t, source, opt), newNode(t, source, opt)
	alone := newNode(t, source, directory.Options{Changes: source})
	for _, d := range []*directory.Directory{withTier, also, alone} {
		run(t, d)
		require.Equal(t, "Alice Arden", nameOf(t, d, "alice"))
	}

	for _, d := range []*directory.Directory{withTier, also, alone} {
		eventually(t, func() bool {
			// Again and again, since a node may not be listening yet.
			_, err = conn.Exec(t.Context(), `UPDATE users SET name = 'Alice New' WHERE id = 'alice'`)
			require.NoError(t, err)
			return nameOf(t, d, "alice") == "Alice New"
		})
	}
	_, err = conn.Exec(t.Context(), `DELETE FROM users WHERE id = 'alice'`)
	require.NoError(t, err)
	for _, d := range []*directory.Directory{withTier, also, alone} {
		eventually(t, func() bool { return nameOf(t, d, "alice") == "" })
	}
}
