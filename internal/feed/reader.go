package feed

import (
	"context"
	"errors"
	"fmt"
	"time"

	"rollcall/internal/backoff"
	"rollcall/internal/presence"
)

// followWait is how long one read waits for events.
const followWait = 2 * time.Second

// read is what a reader got from one shard.
type read struct {
	shard  int
	events []presence.Event
	last   presence.EventID
}

// run reads until ctx ends, from the logs' ends on, and again so once the place
// is lost.
func (h *Hub) run(ctx context.Context) {
	for {
		place, ok := h.findPlace(ctx)
		if !ok {
			return
		}
		h.moveTo(place)
		err := h.readFrom(ctx, place)
		if ctx.Err() != nil {
			return
		}
		h.log.WarnContext(ctx, "an event log no longer holds what was read last; subscribers are told to start afresh", "err", err)
		if !backoff.Sleep(ctx, h.cfg.Window) { // a log that is always too short must not keep the store busy
			return
		}
	}
}

// findPlace finds the logs' ends, as soon as the store can be reached.
func (h *Hub) findPlace(ctx context.Context) (presence.Position, bool) {
	retry := h.newRetry()
	defer retry.end()
	for {
		place, err := h.src.Tail(ctx)
		if err == nil {
			return place, true
		}
		h.notFound(err)
		if !retry.failed(ctx, err) {
			return nil, false
		}
	}
}

// readFrom publishes what comes after place, until ctx ends or the log of a
// shard no longer holds what was read last; the error says which.
func (h *Hub) readFrom(ctx context.Context, place presence.Position) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	reads := make(chan read)
	for shard, after := range place {
		h.wg.Go(func() {
			if err := h.follow(ctx, reads, shard, after); err != nil {
				stop(err)
			}
		})
	}
	h.publishReads(ctx, reads)
	return context.Cause(ctx)
}

// follow reads one shard until ctx ends, or until its place is lost.
func (h *Hub) follow(ctx context.Context, reads chan<- read, shard int, after presence.EventID) error {
	retry := h.newRetry()
	defer retry.end()
	for {
		events, last, err := h.src.Follow(ctx, shard, after, followWait)
		switch {
		case ctx.Err() != nil:
			return nil
		case errors.Is(err, presence.ErrTrimmed):
			return fmt.Errorf("shard %d: %w", shard, err)
		case err != nil:
			if !retry.failed(ctx, err) {
				return nil
			}
			continue
		}
		retry.end()
		if last == after {
			continue
		}
		select {
		case reads <- read{shard: shard, events: events, last: last}:
			after = last
		case <-ctx.Done():
			return nil
		}
		// A busy shard is read once a window, not once an event.
		if !backoff.Sleep(ctx, h.cfg.Window) {
			return nil
		}
	}
}
