package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"rollcall/internal/config"
	"rollcall/internal/users"
	"rollcall/internal/users/demo"
	"rollcall/internal/users/sqlsource"
)

// serveUsers is the database of users for a running server. A database elsewhere
// that can't be reached is no error here: presence does without, each read tries
// again, and the table is made when the database is back.
func serveUsers(ctx context.Context, running *parts, cfg config.Users, log *slog.Logger) (*sqlsource.Source, error) {
	source, err := openUsers(cfg, log)
	if err != nil {
		return nil, err
	}
	running.add("users", closing(source.Close))
	err = prepareUsers(ctx, source, cfg)
	if _, embedded := cfg.EmbeddedPath(); errors.Is(err, users.ErrUnavailable) && !embedded {
		log.WarnContext(ctx, "the database of users can't be reached; their details are missing until it can", "err", err)
		running.loop("users table", func(ctx context.Context) { prepareLater(ctx, source, cfg, log) })
		err = nil
	}
	return source, err
}

func openUsers(cfg config.Users, log *slog.Logger) (*sqlsource.Source, error) {
	if err := makeFolder(cfg); err != nil {
		return nil, err
	}
	source, err := sqlsource.Open(sqlsource.Config{URL: cfg.DatabaseURL, Query: cfg.Query, Logger: log})
	if err != nil {
		return nil, fmt.Errorf("users: %w", err)
	}
	return source, nil
}

// prepareEvery is how often a database that could not be reached at the start is
// tried.
const prepareEvery = 2 * time.Second

// prepareLater does what the start could not, once the database can be reached. It
// never gives up: whoever mends the database should not have to restart the server.
func prepareLater(ctx context.Context, source *sqlsource.Source, cfg config.Users, log *slog.Logger) {
	told := "" // what is wrong is told once
	tick := time.NewTicker(prepareEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		err := prepareUsers(ctx, source, cfg)
		switch {
		case err == nil:
			log.InfoContext(ctx, "the database of users can be used")
			return
		case ctx.Err() == nil && !errors.Is(err, users.ErrUnavailable) && err.Error() != told:
			told = err.Error()
			log.WarnContext(ctx, "the database of users can be reached, but not used; trying on", "err", err)
		}
	}
}

// prepareUsers checks the users query, and makes Rollcall's own table and an embedded
// database's demo users where they are absent.
func prepareUsers(ctx context.Context, source *sqlsource.Source, cfg config.Users) error {
	err := source.Check(ctx)
	if cfg.Query == "" && !errors.Is(err, users.ErrUnavailable) {
		err = source.Migrate(ctx) // whatever else is wrong with Rollcall's own table, this mends it
	}
	if err != nil {
		return fmt.Errorf("users: %w", err)
	}
	if _, embedded := cfg.EmbeddedPath(); embedded && cfg.Query == "" {
		if _, err := source.Seed(ctx, demo.Users, nil); err != nil {
			return fmt.Errorf("users: %w", err)
		}
	}
	return nil
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
