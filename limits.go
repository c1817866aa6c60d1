package main

import (
	"fmt"
	"log/slog"
	"time"

	"rollcall/internal/config"
	"rollcall/internal/keepalive"
	"rollcall/internal/presence"
	"rollcall/internal/rate/redisrate"
	"rollcall/internal/server"
	"rollcall/internal/server/shed"
	"rollcall/internal/throttle"
)

// limits are what a node refuses by.
type limits struct {
	throttle *throttle.Throttle
	gate     *shed.Gate // nil: none
}

// newLimits keeps the limits of a node, and that of users' sign-ins across all nodes of a store.
func newLimits(running *parts, cfg config.Config, s *store, log *slog.Logger) limits {
	l := cfg.Limited()
	var signIns throttle.Shared // a node that is alone has its own limit
	if s.redis != nil {
		signIns = redisrate.New(s.redis, cfg.Store.KeyPrefix, "signin", l.UserSignIns, log)
	}
	all := limits{throttle: throttle.New(throttle.Limits{
		UserBeats: l.UserBeats, AddressBeats: l.AddressBeats, UserSignIns: l.UserSignIns, AddressSignIns: l.AddressSignIns,
		UserCost: l.UserCost, AddressCost: l.AddressCost,
	}, signIns, time.Now)}
	if l.Shed {
		all.gate = shed.New(log)
		running.loop("overload", all.gate.Run)
	}
	return all
}

func (l limits) service(s *presence.Service) throttle.Service {
	return throttle.Service{Service: s, Throttle: l.throttle, Took: l.gate.BeatTook}
}

func (l limits) keeper(k *keepalive.Keeper) throttle.Keeper {
	return throttle.Keeper{Keeper: k, Throttle: l.throttle}
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
