package directory

import (
	"context"
	"slices"
	"sync"
	"time"

	"rollcall/internal/users"
)

// Run keeps the local cache informed: of what other nodes dropped, and of
// changes at the source. It returns when ctx ends and all its goroutines have.
// Without it, details are as old as LocalTTL allows.
func (d *Directory) Run(ctx context.Context) {
	var wg sync.WaitGroup
	defer wg.Wait()
	if d.opt.Changes != nil {
		wg.Go(func() {
			d.opt.Changes.Watch(ctx, func(ids []string) { d.sourceChanged(ctx, ids) }, d.dropAll)
		})
	}
	if d.opt.Tier != nil {
		wg.Go(func() { d.opt.Tier.Watch(ctx, d.drop, d.dropAll) })
		wg.Go(func() { d.retryMarks(ctx) })
	}
}

// retryMarks makes up for marks that failed while the tier was away.
func (d *Directory) retryMarks(ctx context.Context) {
	tick := time.NewTicker(tierRestFor)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			for chunk := range slices.Chunk(d.unmarked.take(), users.MaxBatch) {
				// It drops them here once more, since they may have been
				// loaded from the tier's old entries meanwhile.
				d.sourceChanged(ctx, chunk)
			}
		}
	}
}
