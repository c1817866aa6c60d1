// Package sqlsource reads user details from SQLite or PostgreSQL: from
// Rollcall's own table, which it makes and can fill with demo users, or by a
// given query from a table that someone else owns.
package sqlsource

import (
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"
	"unicode/utf8"

	"rollcall/internal/users"
)

// Config says where the users are.
type Config struct {
	// URL is sqlite:PATH, sqlite::memory: or postgres://….
	URL string
	// Query replaces the query on Rollcall's own table; the database is then
	// someone else's and is only read.
	//
	// Its one parameter takes the ids: a text[] on PostgreSQL ($1), a JSON
	// array of strings on SQLite (?). Result columns count by name, in any
	// order and case: id is required; name, avatar_url and level are
	// optional; others are ignored.
	Query string
	// QueryTimeout bounds each Load; 0 means 1 s.
	QueryTimeout time.Duration
	// MaxConns bounds the connections used for reading; 0 means 8.
	MaxConns int
	// Logger takes what no caller is told; nil: nowhere.
	Logger *slog.Logger
}

// Source is users.Source over a database/sql pool.
type Source struct {
	db      *sql.DB
	dialect dialect
	query   string
	foreign bool
	timeout time.Duration
	log     *slog.Logger
	// keepAlive is how long Watch trusts a quiet connection.
	keepAlive time.Duration
}

var _ users.Source = (*Source)(nil)

// Open prepares a Source. It does not connect yet: Migrate and Check do.
func Open(cfg Config) (*Source, error) {
	return openThrough(cfg, func(c driver.Connector) driver.Connector { return c })
}

// openThrough is Open with the driver's connector wrapped.
func openThrough(cfg Config, wrap func(driver.Connector) driver.Connector) (*Source, error) {
	foreign := strings.TrimSpace(cfg.Query) != ""
	d, err := parseURL(cfg.URL, foreign)
	if err != nil {
		return nil, err
	}
	s := &Source{
		db:      sql.OpenDB(wrap(d.connector)),
		dialect: d,
		query:   d.query,
		foreign: foreign,
		timeout: cmp.Or(cfg.QueryTimeout, time.Second),
		log:     cfg.Logger,

		keepAlive: 30 * time.Second,
	}
	if foreign {
		s.query = cfg.Query
	}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	conns := cmp.Or(cfg.MaxConns, 8)
	if d.oneConn {
		conns = 1
	} else {
		s.db.SetConnMaxIdleTime(5 * time.Minute)
	}
	s.db.SetMaxOpenConns(conns)
	s.db.SetMaxIdleConns(conns)
	return s, nil
}

// Close ends all connections.
func (s *Source) Close() error { return s.db.Close() }

// Load implements users.Source. Rows for ids that were not asked for are
// ignored, so a query that compares without regard to case finds no strangers.
func (s *Source) Load(ctx context.Context, ids []string) (map[string]users.Details, error) {
	if len(ids) > users.MaxBatch {
		return nil, fmt.Errorf("load of %d users: at most %d", len(ids), users.MaxBatch)
	}
	wanted := make(map[string]struct{}, len(ids))
	distinct := make([]string, 0, len(ids))
	for _, id := range ids {
		if _, dup := wanted[id]; dup || !storable(id) {
			continue
		}
		wanted[id] = struct{}{}
		distinct = append(distinct, id)
	}
	if len(distinct) == 0 {
		return map[string]users.Details{}, nil
	}

	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	found, err := s.read(ctx, distinct, wanted)
	var unreadable *ValueError
	var unfit *QueryError
	if err != nil && !errors.As(err, &unreadable) && !errors.As(err, &unfit) {
		err = fmt.Errorf("%w: %w", users.ErrUnavailable, err)
	}
	return found, err
}

// storable reports whether a text column can hold id at all. PostgreSQL
// answers any other with an error for the whole batch.
func storable(id string) bool {
	return utf8.ValidString(id) && strings.IndexByte(id, 0) < 0
}

// read runs the query. An unreadable row is left out, and the first one is
// returned as the error once the others are read.
func (s *Source) read(ctx context.Context, ids []string, wanted map[string]struct{}) (map[string]users.Details, error) {
	rows, err := s.db.QueryContext(ctx, s.query, s.dialect.bindIDs(ids))
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	scan, err := newScanner(rows)
	if err != nil {
		return nil, err
	}
	found := make(map[string]users.Details, len(ids))
	var firstBad error
	for rows.Next() {
		u, err := scan.row()
		var bad *ValueError
		switch {
		case errors.As(err, &bad):
			if firstBad == nil {
				firstBad = err
			}
		case err != nil:
			return found, err
		default:
			if _, asked := wanted[u.ID]; asked {
				found[u.ID] = u
			}
		}
	}
	if err := rows.Err(); err != nil {
		return found, err
	}
	return found, firstBad
}
