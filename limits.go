package main

import (
	"fmt"
	"log/slog"
	"time"

	"rollcall/internal/config"
	"rollcall/internal/rate/redisrate"
	"rollcall/internal/server"
	"rollcall/internal/throttle"
)

// newThrottle keeps the limits of a node, and that of users' sign-ins across all nodes of a store.
func newThrottle(cfg config.Config, s *store, log *slog.Logger) *throttle.Throttle {
	l := cfg.Limits
	var signIns throttle.Shared // a node that is alone has its own limit
	if s.redis != nil {
		signIns = redisrate.New(s.redis, cfg.Store.KeyPrefix, "signins", l.UserSignIns, log)
	}
	return throttle.New(throttle.Limits{
		UserBeats: l.UserBeats, AddressBeats: l.AddressBeats, UserSignIns: l.UserSignIns, AddressSignIns: l.AddressSignIns,
		UserCost: l.UserCost, AddressCost: l.AddressCost,
	}, signIns, time.Now)
}

// manifest is the documents that alone are executed; nil if all are.
func manifest(cfg config.Limits) (*server.Manifest, error) {
	if cfg.PersistedOnly == "" {
		return nil, nil
	}
	only, err := server.ReadManifest(cfg.PersistedOnly)
	if err != nil {
		return nil, fmt.Errorf("ROLLCALL_PERSISTED_ONLY: %w", err)
	}
	return only, nil
}
