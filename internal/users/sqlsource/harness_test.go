package sqlsource

import (
	"context"
	"database/sql/driver"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"rollcall/internal/pgtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(pgtest.Main(m)) }

// database is one kind of database that the tests run on.
type database struct {
	name     string
	url      func(t *testing.T) string
	postgres bool
}

func sqliteFile(t *testing.T) string { return "sqlite:" + filepath.Join(t.TempDir(), "us?rs #1%.db") }

// onBoth runs a test on an empty database of each kind.
func onBoth(t *testing.T, test func(t *testing.T, db database, url string)) {
	t.Helper()
	for _, db := range []database{
		{name: "sqlite", url: sqliteFile},
		{name: "postgres", url: func(t *testing.T) string { return pgtest.Database(t) }, postgres: true},
	} {
		t.Run(db.name, func(t *testing.T) {
			t.Parallel()
			test(t, db, db.url(t))
		})
	}
}

// open opens a source and closes it with the test.
func open(t *testing.T, cfg Config) *Source {
	t.Helper()
	s, _ := openCounting(t, cfg)
	return s
}

func openCounting(t *testing.T, cfg Config) (*Source, *atomic.Int64) {
	t.Helper()
	var queries atomic.Int64
	s, err := openThrough(cfg, func(c driver.Connector) driver.Connector {
		return countingConnector{c, &queries}
	})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s, &queries
}

// migrated opens a source over Rollcall's own, empty table.
func migrated(t *testing.T, url string) *Source {
	t.Helper()
	s := open(t, Config{URL: url})
	require.NoError(t, s.Migrate(t.Context()))
	require.NoError(t, s.Check(t.Context()))
	return s
}

func exec(t *testing.T, s *Source, statements ...string) {
	t.Helper()
	for _, q := range statements {
		_, err := s.db.ExecContext(t.Context(), q)
		require.NoError(t, err, q)
	}
}

// countingConnector counts the queries that reach the driver.
type countingConnector struct {
	driver.Connector
	queries *atomic.Int64
}

func (c countingConnector) Connect(ctx context.Context) (driver.Conn, error) {
	conn, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return countingConn{conn.(fullConn), c.queries}, nil
}

// fullConn is what both drivers' connections can do and database/sql uses.
type fullConn interface {
	driver.Conn
	driver.ConnBeginTx
	driver.ConnPrepareContext
	driver.ExecerContext
	driver.QueryerContext
	driver.Pinger
	driver.SessionResetter
}

type countingConn struct {
	fullConn
	queries *atomic.Int64
}

func (c countingConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	c.queries.Add(1)
	return c.fullConn.QueryContext(ctx, query, args)
}

// CheckNamedValue lets pgx have its arrays.
func (c countingConn) CheckNamedValue(v *driver.NamedValue) error {
	if checker, ok := c.fullConn.(driver.NamedValueChecker); ok {
		return checker.CheckNamedValue(v)
	}
	return driver.ErrSkip
}
