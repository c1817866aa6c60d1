package pgtest_test

import (
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"rollcall/internal/pgtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(pgtest.Main(m)) }

func TestDatabasesAreSeparate(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	for range 2 {
		conn, err := pgx.Connect(ctx, pgtest.Database(t))
		require.NoError(t, err)
		_, err = conn.Exec(ctx, `CREATE TABLE here (x int)`)
		require.NoError(t, err, "a table of the other database is not seen")
		require.NoError(t, conn.Close(ctx))
	}
}
