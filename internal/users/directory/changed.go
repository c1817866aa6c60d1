package directory

import (
	"context"
	"sync"
)

// sourceChanged handles changes told by the source. Every node hears of them,
// so nothing is announced; and nobody waits for an answer, so marks that fail
// are left to retryMarks.
func (d *Directory) sourceChanged(ctx context.Context, ids []string) {
	defer d.drop(ids) // last, as in Refresh
	if d.opt.Tier == nil {
		return
	}
	if !d.tierUsable() {
		d.unmarked.add(ids)
		return
	}
	call, cancel := context.WithTimeout(ctx, refreshBudget)
	defer cancel()
	if err := d.mark(call, ids); err != nil {
		d.tierFailed(ctx, "mark stale", err)
		d.unmarked.add(ids)
	}
}

// maxUnmarked bounds the memory of an outage. What is beyond it stays in the
// tier for at most SharedTTL.
const maxUnmarked = 100_000

// unmarked are ids that changed while the tier could not be told.
type unmarked struct {
	mu  sync.Mutex
	ids map[string]struct{}
}

func (u *unmarked) add(ids []string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.ids == nil {
		u.ids = map[string]struct{}{}
	}
	for _, id := range ids {
		if len(u.ids) < maxUnmarked {
			u.ids[id] = struct{}{}
		}
	}
}

func (u *unmarked) take() []string {
	u.mu.Lock()
	defer u.mu.Unlock()
	ids := make([]string, 0, len(u.ids))
	for id := range u.ids {
		ids = append(ids, id)
	}
	u.ids = nil
	return ids
}
