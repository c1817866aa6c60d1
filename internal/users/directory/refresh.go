package directory

import (
	"context"
	"fmt"
	"slices"
	"time"

	"rollcall/internal/users"
)

// refreshBudget bounds what Refresh spends on the tier. It is longer than a
// load's budget since a mark that fails leaves the old details in place.
const refreshBudget = 500 * time.Millisecond

// Refresh drops what is cached of any number of ids on every node: a Load that
// begins after it reads the source. Other nodes follow as fast as the tier's
// announcements travel.
//
// An error wraps users.ErrUnavailable and means that this node has dropped
// them but others may not have.
func (d *Directory) Refresh(ctx context.Context, ids []string) error {
	defer d.drop(ids) // last, so that a load after it finds the marks
	if d.opt.Tier == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, refreshBudget)
	defer cancel()
	if err := d.mark(ctx, ids); err != nil {
		return fmt.Errorf("%w: mark stale: %w", users.ErrUnavailable, err)
	}
	for chunk := range slices.Chunk(ids, users.MaxBatch) {
		if err := d.opt.Tier.Announce(ctx, chunk); err != nil {
			return fmt.Errorf("%w: announce to the other nodes: %w", users.ErrUnavailable, err)
		}
	}
	return nil
}

func (d *Directory) mark(ctx context.Context, ids []string) error {
	for chunk := range slices.Chunk(ids, users.MaxBatch) {
		if err := d.opt.Tier.MarkStale(ctx, chunk, d.opt.StaleFor); err != nil {
			return err
		}
	}
	return nil
}
