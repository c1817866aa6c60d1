package feed

import (
	"context"
	"errors"
	"time"

	"rollcall/internal/backoff"
	"rollcall/internal/presence"
)

// followWait is how long one read waits for events; it bounds how long Stop
// may wait for a store that doesn't heed its context.
const followWait = 2 * time.Second

// read is what a reader got from one shard.
type read struct {
	shard  int
	events []presence.Event
	last   presence.EventID
	// lost says that events before last were missed.
	lost bool
}

// findPlace begins at the logs' ends, as soon as the store can be reached.
func (h *Hub) findPlace(ctx context.Context) (presence.Position, bool) {
	retry := h.newRetry()
	for attempt := 0; ; attempt++ {
		place, err := h.src.Tail(ctx)
		h.mu.Lock()
		h.place, h.broken = place, err
		if err != nil {
			h.place = nil
		}
		h.mu.Unlock()
		if attempt == 0 {
			close(h.tried)
		}
		if err == nil {
			retry.succeeded()
			return place, true
		}
		if !retry.failed(ctx, err) {
			return nil, false
		}
	}
}

// follow reads one shard until ctx ends.
func (h *Hub) follow(ctx context.Context, shard int, after presence.EventID) {
	retry := h.newRetry()
	for {
		r, err := h.readAfter(ctx, shard, after)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			if !retry.failed(ctx, err) {
				return
			}
			continue
		}
		retry.succeeded()
		if r.last == after && !r.lost {
			continue
		}
		select {
		case h.reads <- r:
			after = r.last
		case <-ctx.Done():
			return
		}
		// A busy shard is read once a window, not once an event.
		if !backoff.Sleep(ctx, h.cfg.Window) {
			return
		}
	}
}

func (h *Hub) readAfter(ctx context.Context, shard int, after presence.EventID) (read, error) {
	events, last, err := h.src.Follow(ctx, shard, after, followWait)
	if !errors.Is(err, presence.ErrTrimmed) {
		return read{shard: shard, events: events, last: last}, err
	}
	tail, err := h.src.Tail(ctx)
	if err != nil {
		return read{}, err // the next Follow finds the same
	}
	h.log.WarnContext(ctx, "an event log was trimmed or lost; subscribers are told to start afresh", "shard", shard)
	return read{shard: shard, last: tail[shard], lost: true}, nil
}
