package sqlsource

import (
	"context"
	"fmt"
	"time"

	"rollcall/internal/users"
)

const (
	// checkTimeout is longer than a query's, since a start may find the
	// database cold.
	checkTimeout = 5 * time.Second
	// probeID is an id that no table is expected to hold.
	probeID = "rollcall-check"
)

// Check connects and tries the users query once, so that a wrong URL or query
// is told at start rather than at the first read. An unreachable database is
// users.ErrUnavailable; an unfit query is a *QueryError that says what to mend.
func (s *Source) Check(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	if err := s.db.PingContext(ctx); err != nil {
		return fmt.Errorf("%w: connect to the database: %w", users.ErrUnavailable, err)
	}
	rows, err := s.db.QueryContext(ctx, s.query, s.dialect.bindIDs([]string{probeID}))
	if err != nil {
		return s.refused(ctx, err)
	}
	defer func() { _ = rows.Close() }()
	scan, err := newScanner(rows)
	if err != nil {
		return err
	}
	for rows.Next() {
		u, err := scan.row()
		if err != nil {
			return err
		}
		if u.ID != probeID {
			return &QueryError{Reason: "it returns users that were not asked for; " + s.parameterHint()}
		}
	}
	if err := rows.Err(); err != nil {
		return s.refused(ctx, err)
	}
	return nil
}

func (s *Source) refused(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("%w: %w", users.ErrUnavailable, err)
	}
	if !s.foreign {
		return &QueryError{Reason: "Rollcall's own users table is missing or was changed", Err: err}
	}
	return &QueryError{Reason: "the database refused it (" + s.parameterHint() + ")", Err: err}
}

func (s *Source) parameterHint() string {
	if s.dialect.postgres != nil {
		return "select by the one parameter, a text[]: WHERE my_id::text = ANY($1)"
	}
	return "select by the one parameter, a JSON array: WHERE my_id IN (SELECT value FROM json_each(?))"
}
