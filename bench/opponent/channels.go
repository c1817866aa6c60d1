package opponent

import (
	"context"

	"rollcall/graph"
	"rollcall/internal/feed"
)

// channels answers presenceChanged by a channel for each subscriber, as gqlgen has it. Of the
// schema it has the fields that the subscription of package socket asks for.
type channels struct {
	graph.ResolverRoot // nil: nothing else is asked

	feed *feed.Hub
}

func (c *channels) Subscription() graph.SubscriptionResolver   { return subscriptions{feed: c.feed} }
func (c *channels) PresenceDelta() graph.PresenceDeltaResolver { return deltas{} }

type subscriptions struct {
	graph.SubscriptionResolver

	feed *feed.Hub
}

func (s subscriptions) PresenceChanged(ctx context.Context, userIDs []string, _ *string) (<-chan *feed.Delta, error) {
	sub, err := s.feed.Subscribe(ctx, feed.Options{Users: userIDs})
	if err != nil {
		return nil, err
	}
	out := make(chan *feed.Delta)
	go func() {
		defer close(out)
		defer sub.Close()
		for {
			delta, err := sub.Next(ctx)
			if err != nil {
				return
			}
			select {
			case out <- delta:
			case <-ctx.Done():
				return
			}
		}
	}()
	return out, nil
}

type deltas struct{}

func (deltas) Cursor(_ context.Context, d *feed.Delta) (string, error) {
	return d.Position.Cursor(), nil
}

func (deltas) Events(_ context.Context, d *feed.Delta) ([]graph.PresenceEvent, error) {
	events := make([]graph.PresenceEvent, len(d.Events))
	for i, e := range d.Events {
		events[i] = graph.PresenceEvent{
			Type: e.Type, UserID: e.Presence.UserID, At: e.At,
			User: graph.User{ID: e.Presence.UserID}, Presence: e.Presence,
		}
	}
	return events, nil
}
