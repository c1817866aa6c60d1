package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"rollcall/internal/config"
	"rollcall/internal/users"
	"rollcall/internal/users/demo"
	"rollcall/internal/users/sqlsource"
)

// openUsers opens the database of users, making an embedded one and Rollcall's
// own table where they are absent. A database elsewhere that can't be reached is
// no error here: presence does without, and each read tries again.
func openUsers(ctx context.Context, cfg config.Users, log *slog.Logger) (*sqlsource.Source, error) {
	if err := makeFolder(cfg); err != nil {
		return nil, err
	}
	source, err := sqlsource.Open(sqlsource.Config{URL: cfg.DatabaseURL, Query: cfg.Query, Logger: log})
	if err != nil {
		return nil, fmt.Errorf("users: %w", err)
	}
	err = prepareUsers(ctx, source, cfg)
	_, embedded := cfg.EmbeddedPath()
	switch {
	case err == nil:
	case errors.Is(err, users.ErrUnavailable) && !embedded:
		log.WarnContext(ctx, "the database of users can't be reached; their details are missing until it can", "err", err)
	default:
		return nil, errors.Join(fmt.Errorf("users: %w", err), source.Close())
	}
	return source, nil
}

func prepareUsers(ctx context.Context, source *sqlsource.Source, cfg config.Users) error {
	err := source.Check(ctx)
	if cfg.Query != "" || errors.Is(err, users.ErrUnavailable) {
		return err
	}
	// Whatever else is wrong with Rollcall's own table, a migration mends it.
	if err := source.Migrate(ctx); err != nil {
		return err
	}
	if _, embedded := cfg.EmbeddedPath(); !embedded {
		return nil
	}
	_, err = source.Seed(ctx, demo.Users, nil)
	return err
}

// makeFolder makes the folder of an embedded database.
func makeFolder(cfg config.Users) error {
	path, embedded := cfg.EmbeddedPath()
	if !embedded || strings.HasPrefix(path, ":") {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		return fmt.Errorf("users: %w", err)
	}
	return nil
}
