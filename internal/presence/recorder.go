package presence

import (
	"context"
	"log/slog"
	"time"
)

// RunHistory counts the users online every [SampleEvery] and records them, until ctx ends. Every
// node runs it; the store keeps one sample of all. What fails leaves a gap in the history
// and is told in the log, a line for an outage; nothing else depends on it.
func RunHistory(ctx context.Context, store Store, log *slog.Logger) {
	tick := time.NewTicker(SampleEvery)
	defer tick.Stop()
	failing := false
	for {
		err := recordOnline(ctx, store)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil && !failing:
			log.WarnContext(ctx, "the online history has a gap; trying on", "err", err)
		case err == nil && failing:
			log.InfoContext(ctx, "the online history goes on")
		}
		failing = err != nil
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

func recordOnline(ctx context.Context, store Store) error {
	page, err := store.Page(ctx, PageRequest{Order: LastActiveDesc})
	if err != nil {
		return err
	}
	return store.RecordOnline(ctx, page.Total)
}
