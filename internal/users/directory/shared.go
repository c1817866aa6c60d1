package directory

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"
)

// tierRestFor is how long the tier is left alone after a failure, so that an
// unresponsive one does not cost every load its budget.
const tierRestFor = time.Second

func (d *Directory) tierUsable() bool {
	return d.opt.Tier != nil && !d.tierRest.on(d.opt.Now())
}

// tierGet is Tier.Get within its budget; the entries' TTL is then how long this
// process may keep them.
func (d *Directory) tierGet(ctx context.Context, ids []string) (map[string]Entry, []string, error) {
	call, cancel := context.WithTimeout(ctx, d.opt.TierBudget)
	defer cancel()
	found, stale, err := d.opt.Tier.Get(call, ids)
	if err != nil {
		d.tierFailed(ctx, "get", err)
		return map[string]Entry{}, nil, err
	}
	d.tierOutage.succeeded(d.opt.Now())
	for id, e := range found {
		if e.Known {
			e.TTL = d.opt.LocalTTL
			found[id] = e
		}
	}
	return found, stale, nil
}

// tierAdd puts what was loaded into the tier. The request may be over by then;
// the result is worth keeping all the same.
func (d *Directory) tierAdd(ctx context.Context, loaded map[string]Entry) {
	if len(loaded) == 0 || !d.tierUsable() {
		return
	}
	shared := make(map[string]Entry, len(loaded))
	for id, e := range loaded {
		if e.Known {
			e.TTL = spread(d.opt.SharedTTL)
		}
		shared[id] = e
	}
	call, cancel := context.WithTimeout(context.WithoutCancel(ctx), d.opt.TierBudget)
	defer cancel()
	if err := d.opt.Tier.Add(call, shared); err != nil {
		d.tierFailed(ctx, "add", err)
	}
}

// spread moves a time to live by up to ±10 %.
func spread(ttl time.Duration) time.Duration {
	return ttl - ttl/10 + rand.N(ttl/5+1)
}

func (d *Directory) tierTryLock(ctx context.Context, ids []string) (unlock func(), ok bool, err error) {
	call, cancel := context.WithTimeout(ctx, d.opt.TierBudget)
	defer cancel()
	unlock, ok, err = d.opt.Tier.TryLock(call, ids)
	if err != nil {
		d.tierFailed(ctx, "lock", err)
	}
	return unlock, ok, err
}

// tierFailed lets the tier rest. A caller that gave up says nothing of the tier.
func (d *Directory) tierFailed(ctx context.Context, call string, err error) {
	if ctx.Err() != nil {
		return
	}
	now := d.opt.Now()
	d.tierRest.begin(now, tierRestFor)
	d.tierOutage.failed(ctx, now, fmt.Errorf("%s: %w", call, err))
}
