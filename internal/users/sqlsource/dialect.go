package sqlsource

import (
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"modernc.org/sqlite"
)

// dialect is what differs between the databases.
type dialect struct {
	connector driver.Connector
	// oneConn is true where each connection would see a database of its own.
	oneConn bool
	// query reads Rollcall's own table; its parameter comes from bindIDs.
	query   string
	bindIDs func(ids []string) any
	// seed inserts users given as one JSON array, leaving existing rows alone.
	seed string
	// goose names the dialect, and the folder of its migrations.
	goose      goose.Dialect
	migrations string
	// postgres is what a listener connects with; nil for SQLite.
	postgres *pgx.ConnConfig
}

// parseURL picks the dialect. A foreign database is opened as it is: not
// created, and its journal not changed.
func parseURL(raw string, foreign bool) (dialect, error) {
	scheme, rest, _ := strings.Cut(raw, ":")
	switch scheme {
	case "sqlite":
		return sqliteDialect(rest, foreign)
	case "postgres", "postgresql":
		return postgresDialect(raw)
	case "":
		return dialect{}, errors.New("no database URL: want sqlite:PATH or postgres://…")
	default:
		// The rest may hold a password and is not repeated.
		return dialect{}, fmt.Errorf("database URL has scheme %q: want sqlite:PATH or postgres://…", scheme)
	}
}

func sqliteDialect(path string, foreign bool) (dialect, error) {
	if path == "" {
		return dialect{}, errors.New("database URL has no path: want sqlite:PATH")
	}
	params := url.Values{"_busy_timeout": {"5000"}, "_txlock": {"immediate"}}
	if foreign {
		params.Set("mode", "rw")
	} else {
		params.Set("_journal_mode", "WAL")
		params.Set("_synchronous", "NORMAL")
	}
	dsn := "file:" + (&url.URL{Path: path}).EscapedPath() + "?" + params.Encode()
	memory := path == ":memory:"
	if memory {
		dsn = ":memory:"
	}
	connector, err := sqlite.NewConnector(dsn)
	if err != nil {
		return dialect{}, fmt.Errorf("database URL: %w", err)
	}
	return dialect{
		connector: connector,
		oneConn:   memory,
		query: `SELECT id, name, avatar_url, level FROM users
			WHERE id IN (SELECT value FROM json_each(?))`,
		bindIDs: func(ids []string) any {
			b, _ := json.Marshal(ids) // strings always marshal
			return string(b)
		},
		// WHERE true keeps the parser from reading ON as the start of a join.
		seed: `INSERT INTO users (id, name, avatar_url, level)
			SELECT value->>'id', value->>'name', value->>'avatarUrl', value->>'level'
			FROM json_each(?) WHERE true
			ON CONFLICT (id) DO NOTHING`,
		goose:      goose.DialectSQLite3,
		migrations: "migrations/sqlite",
	}, nil
}

func postgresDialect(raw string) (dialect, error) {
	cfg, err := pgx.ParseConfig(raw)
	if err != nil {
		return dialect{}, fmt.Errorf("database URL: %w", err) // pgx hides the password
	}
	return dialect{
		connector: stdlib.GetConnector(*cfg),
		query:     `SELECT id, name, avatar_url, level FROM users WHERE id = ANY($1)`,
		bindIDs:   func(ids []string) any { return ids },
		seed: `INSERT INTO users (id, name, avatar_url, level)
			SELECT id, name, "avatarUrl", level
			FROM json_to_recordset($1::json) AS u(id text, name text, "avatarUrl" text, level int)
			ON CONFLICT (id) DO NOTHING`,
		goose:      goose.DialectPostgres,
		migrations: "migrations/postgres",
		postgres:   cfg,
	}, nil
}
