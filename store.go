package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/redis/go-redis/v9"

	"rollcall/internal/config"
	"rollcall/internal/presence"
	"rollcall/internal/presence/memstore"
	"rollcall/internal/presence/redisstore"
	"rollcall/internal/users/directory"
	"rollcall/internal/users/redistier"
)

// store is the presence store of the configuration, and what comes with it.
type store struct {
	presence.Store
	// check says why the store can't be used now.
	check func(context.Context) error
	close func() error
	// tier keeps user details in the same Redis; nil without one.
	tier directory.Tier
	// redis is where all nodes find the same; nil without one.
	redis redis.UniversalClient
}

// openStore opens the store. A Redis that can't be reached is no error here:
// the server says that it is not ready, and goes on trying.
func openStore(ctx context.Context, cfg config.Store, log *slog.Logger) (*store, error) {
	if cfg.RedisURL == "" {
		return memoryStore(cfg), nil
	}
	presences, err := redisstore.Open(redisstore.Options{
		URL: cfg.RedisURL, Prefix: cfg.KeyPrefix, Shards: cfg.Shards,
		Rules: cfg.Rules(), LevelIndex: cfg.LevelIndex, EventLog: cfg.EventLog, Log: log,
	})
	if err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	tier, err := redistier.New(presences.Client(), cfg.KeyPrefix)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("cache of user details: %w", err), presences.Close())
	}
	err = presences.Check(ctx)
	if _, unavailable := errors.AsType[*presence.UnavailableError](err); unavailable {
		log.WarnContext(ctx, "Redis can't be reached; trying on", "err", err)
	} else if err != nil {
		return nil, errors.Join(fmt.Errorf("store: %w", err), presences.Close())
	}
	return &store{Store: presences, check: presences.Check, close: presences.Close, tier: tier, redis: presences.Client()}, nil
}

func memoryStore(cfg config.Store) *store {
	return &store{
		Store: memstore.New(memstore.Options{
			Shards: cfg.Shards, Rules: cfg.Rules(), LevelIndex: cfg.LevelIndex, EventLog: cfg.EventLog,
		}),
		check: func(context.Context) error { return nil },
		close: func() error { return nil },
	}
}

// levels are the levels of the list, by the directory.
type levels struct{ *directory.Directory }

var _ presence.Levels = levels{}

// Levels implements [presence.Levels].
func (l levels) Levels(ctx context.Context, userIDs []string) (map[string]int, error) {
	details, err := l.Load(ctx, userIDs)
	if err != nil {
		return nil, err
	}
	levels := make(map[string]int, len(userIDs))
	for _, id := range userIDs {
		levels[id] = presence.ClampLevel(details[id].Level)
	}
	return levels, nil
}
