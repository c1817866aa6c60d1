package throttle

import (
	"context"
	"time"

	"rollcall/internal/auth"
	"rollcall/internal/keepalive"
	"rollcall/internal/presence"
	"rollcall/internal/pulse"
)

// Service is a [presence.Service] whose callers may beat no oftener than a throttle allows.
type Service struct {
	*presence.Service
	Throttle *Throttle
	// Took hears how long the store has taken to accept a heartbeat; nil: nobody does.
	Took func(time.Duration)
}

// fromMemory is less than any store takes that others can keep waiting.
const fromMemory = 50 * time.Microsecond

// Heartbeat is [presence.Service.Heartbeat], or a [*presence.RateLimitedError].
func (s Service) Heartbeat(ctx context.Context, h presence.Heartbeat) (presence.Lease, error) {
	if err := s.Throttle.beat(ctx, h); err != nil {
		return presence.Lease{}, err
	}
	began := time.Now()
	lease, err := s.Service.Heartbeat(ctx, h)
	if took := time.Since(began); s.Took != nil && err == nil && took > fromMemory {
		s.Took(took)
	}
	return lease, err
}

// Keeper is a [keepalive.Keeper] whose callers begin no oftener than a throttle allows. Pongs are not counted: the server asks for them.
type Keeper struct {
	*keepalive.Keeper
	Throttle *Throttle
}

// Keep is [keepalive.Keeper.Keep], or a [*presence.RateLimitedError].
func (k Keeper) Keep(ctx context.Context, h presence.Heartbeat, p *pulse.Pulse) (<-chan keepalive.Event, error) {
	if err := k.Throttle.beat(ctx, h); err != nil {
		return nil, err
	}
	return k.Keeper.Keep(ctx, h, p)
}

func (t *Throttle) beat(ctx context.Context, h presence.Heartbeat) error {
	caller, err := auth.FromContext(ctx)
	if err != nil {
		return err
	}
	return t.Beat(ctx, caller, h.Session == nil)
}
