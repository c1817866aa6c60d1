package sqlsource

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"

	"rollcall/internal/backoff"
)

//go:embed migrations
var migrations embed.FS

const (
	// versionTable keeps out of the way of another program's goose.
	versionTable = "rollcall_schema"
	// lockID names Rollcall's advisory lock on PostgreSQL ("rollcall" in ASCII).
	lockID = 0x726f6c6c63616c6c
	// sqliteTries is how often a migration is tried that lost a race.
	sqliteTries = 5
)

// Migrate makes or updates Rollcall's own table; several nodes may do so at
// once. It returns ErrForeign when the table is someone else's.
func (s *Source) Migrate(ctx context.Context) error {
	if s.foreign {
		return ErrForeign
	}
	var err error
	for range sqliteTries {
		if err = s.migrateOnce(ctx); err == nil || ctx.Err() != nil {
			break
		}
		if s.dialect.postgres != nil {
			break // an advisory lock keeps others out
		}
		// On SQLite another process may have made the table between our look
		// at the version and our change. A second look settles it.
		backoff.Sleep(ctx, 50*time.Millisecond)
	}
	if err != nil {
		return fmt.Errorf("migrate the users table (if it was there before Rollcall, "+
			"set ROLLCALL_USERS_QUERY to read it as it is): %w", err)
	}
	return nil
}

func (s *Source) migrateOnce(ctx context.Context) (err error) {
	dir, err := fs.Sub(migrations, s.dialect.migrations)
	if err != nil {
		return err
	}
	options := []goose.ProviderOption{
		goose.WithTableName(versionTable),
		goose.WithDisableGlobalRegistry(true),
		goose.WithLogger(goose.NopLogger()),
	}
	if s.dialect.postgres != nil {
		locker, err := lock.NewPostgresSessionLocker(lock.WithLockID(lockID), lock.WithLockTimeout(1, 60))
		if err != nil {
			return err
		}
		options = append(options, goose.WithSessionLocker(locker))
	}
	provider, err := goose.NewProvider(s.dialect.goose, s.db, dir, options...)
	if err != nil {
		return err
	}
	results, err := provider.Up(ctx)
	for _, r := range results {
		s.log.InfoContext(ctx, "users table migrated", "version", r.Source.Version, "took", r.Duration)
	}
	var partial *goose.PartialError
	if errors.As(err, &partial) {
		return partial.Err // the rest of it repeats our wording
	}
	return err
}
