package resolvers

import (
	"context"
	"fmt"
	"time"

	"github.com/99designs/gqlgen/graphql"

	"rollcall/graph"
	"rollcall/internal/auth"
	"rollcall/internal/feed"
	"rollcall/internal/keepalive"
	"rollcall/internal/live"
	"rollcall/internal/presence"
	"rollcall/internal/pulse"
	"rollcall/resolvers/heartbeat"
)

// An error of a subscription's source ends it, UNAVAILABLE included: a client
// that is told nothing could not know that what it shows is no longer true, and
// retryAfterMs says when to come back.
type subscriptionResolver root

func (r *subscriptionResolver) PresenceChanged(ctx context.Context, userIDs []string, since *string) (<-chan *feed.Delta, error) {
	if item := live.ItemOf(ctx); item != nil {
		return answer(ctx, item, func() *feed.Delta { return item.(*feed.Delta) }), nil
	}
	caller, err := auth.FromContext(ctx)
	if err != nil {
		return nil, err
	}
	if err := presence.CheckUserIDs(userIDs); err != nil {
		return nil, err
	}
	offer := live.OfferOf(ctx)
	options := feed.Options{Users: userIDs, Notify: offer.Notify}
	if since != nil {
		if options.Since, err = presence.ParsePosition(*since); err != nil {
			return nil, err
		}
	}
	sub, err := r.Feed.Subscribe(ctx, options)
	if err != nil {
		return nil, err
	}
	return accepted[*feed.Delta](offer, live.Subscription{Source: deltas{sub}, Scope: scopeHere(ctx, caller)}), nil
}

// deltas are the source of a subscription to events.
type deltas struct{ *feed.Subscription }

// Poll is the next delta, if there is one.
func (d deltas) Poll() (live.Item, error) {
	delta, err := d.Subscription.Poll()
	if delta == nil {
		return nil, err
	}
	return delta, nil
}

// Bounds of intervalMs, and the least time between two counts.
const (
	leastInterval = time.Second
	mostInterval  = time.Minute
)

// OnlineUsersChanged reads and answers the page anew every interval rather than
// on events, since activity moves users in the list without any, and their names
// change elsewhere.
func (r *subscriptionResolver) OnlineUsersChanged(ctx context.Context, first *int, orderBy *presence.Order, filter *graph.OnlineFilter, intervalMs *int) (<-chan *graph.OnlineUserConnection, error) {
	if item := live.ItemOf(ctx); item != nil {
		return answer(ctx, item, func() *graph.OnlineUserConnection { return valueOf[*graph.OnlineUserConnection](item) }), nil
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
	lists := selectsList(ctx)
	levels := orElse(req.Filter.Levels, presence.LevelRange{Min: presence.NoLevel, Max: presence.NoLevel})
	key := fmt.Sprint("page", lists, req.First, req.Order, req.Filter.Status, levels)
	return watched[*graph.OnlineUserConnection](ctx, (*root)(r), key, interval, func(ctx context.Context) (any, error) {
		return (*root)(r).page(ctx, req, lists)
	})
}

// OnlineCountChanged counts anew every second, which costs less than to follow all events.
func (r *subscriptionResolver) OnlineCountChanged(ctx context.Context) (<-chan int, error) {
	if item := live.ItemOf(ctx); item != nil {
		return answer(ctx, item, func() int { return valueOf[int](item) }), nil
	}
	return watched[int](ctx, (*root)(r), "count", leastInterval, func(ctx context.Context) (any, error) {
		return r.Service.Count(ctx)
	})
}

// valueOf is what was read for a watch.
func valueOf[T any](item live.Item) T { return item.(*reading).value.(T) }

// watched answers a subscription with what is read every interval.
func watched[T any](ctx context.Context, r *root, key string, interval time.Duration, read func(context.Context) (any, error)) (<-chan T, error) {
	caller, err := auth.FromContext(ctx)
	if err != nil {
		return nil, err
	}
	offer := live.OfferOf(ctx)
	w := startWatch(&r.readings, key, interval, offer.Notify, func(unbound context.Context) (value any, err error) {
		defer func() { // gqlgen does not guard what no field is waiting for
			if panicked := recover(); panicked != nil {
				err = graphql.GetOperationContext(ctx).RecoverFunc(ctx, panicked)
			}
		}()
		return read(unbound)
	})
	return accepted[T](offer, live.Subscription{Source: w, Scope: scopeHere(ctx, caller), OnlyNews: true}), nil
}

func (r *subscriptionResolver) Session(ctx context.Context, in heartbeat.Input) (<-chan *keepalive.Event, error) {
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
