package resolvers

import (
	"context"
	"time"

	"rollcall/graph"
	"rollcall/internal/auth"
	"rollcall/internal/feed"
	"rollcall/internal/keepalive"
	"rollcall/internal/presence"
	"rollcall/internal/pulse"
)

// An error of a subscription's source ends it, UNAVAILABLE included: a client
// that is told nothing could not know that what it shows is no longer true, and
// retryAfterMs says when to come back.
type subscriptionResolver root

func (r *subscriptionResolver) PresenceChanged(ctx context.Context, userIDs []string, since *string) (<-chan *feed.Delta, error) {
	if _, err := auth.FromContext(ctx); err != nil {
		return nil, err
	}
	if err := presence.CheckUserIDs(userIDs); err != nil {
		return nil, err
	}
	options := feed.Options{Users: userIDs}
	if since != nil {
		var err error
		if options.Since, err = presence.ParsePosition(*since); err != nil {
			return nil, err
		}
	}
	sub, err := r.Feed.Subscribe(ctx, options)
	if err != nil {
		return nil, err
	}
	return stream(ctx, func(send func(*feed.Delta) error) error {
		defer sub.Close()
		for {
			delta, err := sub.Next(ctx)
			if err != nil {
				return err
			}
			if err := send(&delta); err != nil {
				return err
			}
		}
	}), nil
}

// Bounds of intervalMs.
const (
	leastInterval = time.Second
	mostInterval  = time.Minute
)

// OnlineUsersChanged reads and answers the page anew every interval rather than
// on events, since activity moves users in the list without any, and their names
// change elsewhere. An answer that says what the last one said is not told.
func (r *subscriptionResolver) OnlineUsersChanged(ctx context.Context, first *int, orderBy *presence.Order, filter *graph.OnlineFilter, intervalMs *int) (<-chan *graph.OnlineUserConnection, error) {
	if _, err := auth.FromContext(ctx); err != nil {
		return nil, err
	}
	req, err := pageRequest(first, nil, orderBy, filter)
	if err != nil {
		return nil, err
	}
	interval := leastInterval
	if intervalMs != nil {
		interval = time.Duration(*intervalMs) * time.Millisecond
	}
	if interval < leastInterval || interval > mostInterval {
		return nil, presence.Invalid("intervalMs is %d; it must be %d to %d",
			*intervalMs, leastInterval.Milliseconds(), mostInterval.Milliseconds())
	}
	now, err := (*root)(r).page(ctx, req)
	if err != nil {
		return nil, err
	}
	tellChanges(ctx)
	return stream(ctx, func(send func(*graph.OnlineUserConnection) error) error {
		rest := time.NewTimer(interval)
		defer rest.Stop()
		for {
			if err := send(now); err != nil {
				return err
			}
			rest.Reset(interval) // not before: a slow reader is not told twice at once
			select {
			case <-rest.C:
			case <-ctx.Done():
				return ctx.Err()
			}
			var err error
			if now, err = (*root)(r).page(ctx, req); err != nil {
				return err
			}
		}
	}), nil
}

// countInterval is the least time between two counts.
const countInterval = time.Second

func (r *subscriptionResolver) OnlineCountChanged(ctx context.Context) (<-chan int, error) {
	if _, err := auth.FromContext(ctx); err != nil {
		return nil, err
	}
	// Before the first count, so that no change after it is missed.
	sub, err := r.Feed.Subscribe(ctx, feed.Options{})
	if err != nil {
		return nil, err
	}
	count, err := r.Service.Count(ctx)
	if err != nil {
		sub.Close()
		return nil, err
	}
	return stream(ctx, func(send func(int) error) error {
		defer sub.Close()
		rest := time.NewTimer(countInterval)
		defer rest.Stop()
		for told := -1; ; {
			if count != told {
				if err := send(count); err != nil {
					return err
				}
				told = count
			}
			if err := awaitTurnover(ctx, sub); err != nil {
				return err
			}
			select { // what happens meanwhile waits in the subscription
			case <-rest.C:
			case <-ctx.Done():
				return ctx.Err()
			}
			var err error
			if count, err = r.Service.Count(ctx); err != nil {
				return err
			}
			rest.Reset(countInterval)
		}
	}), nil
}

// awaitTurnover returns when the number of users online may have changed.
func awaitTurnover(ctx context.Context, sub *feed.Subscription) error {
	for {
		delta, err := sub.Next(ctx)
		if err != nil {
			return err
		}
		if delta.Reset {
			return nil
		}
		for _, e := range delta.Events {
			if e.Type != presence.EventUpdated {
				return nil
			}
		}
	}
}

func (r *subscriptionResolver) Session(ctx context.Context, in graph.HeartbeatInput) (<-chan *keepalive.Event, error) {
	caller, err := auth.FromContext(ctx)
	if err != nil {
		return nil, err
	}
	events, err := r.Keeper.Keep(ctx, callersBeat(caller, in), pulse.FromContext(ctx))
	if err != nil {
		return nil, err
	}
	return stream(ctx, func(send func(*keepalive.Event) error) error {
		for e := range events {
			if err := send(&e); err != nil {
				return err
			}
			if e.Type != keepalive.Started {
				return nil
			}
		}
		return feed.ErrStopped // else the keeper would have said how the session ended
	}), nil
}
