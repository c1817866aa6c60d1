package resolvers

import (
	"context"

	"rollcall/graph"
	"rollcall/internal/feed"
	"rollcall/internal/presence"
)

type deltaResolver struct{}

func (deltaResolver) Cursor(_ context.Context, d *feed.Delta) (string, error) {
	return d.Position.Cursor(), nil
}

// Events come with the presence after each, so the store is not asked.
func (deltaResolver) Events(ctx context.Context, d *feed.Delta) ([]graph.PresenceEvent, error) {
	events := make([]graph.PresenceEvent, len(d.Events))
	ids := make([]string, len(d.Events))
	for i := range d.Events {
		e := &d.Events[i] // shared with other subscribers: not to be changed
		ids[i] = e.Presence.UserID
		events[i] = graph.PresenceEvent{
			Type: e.Type, UserID: e.Presence.UserID, At: e.At,
			User: graph.User{ID: e.Presence.UserID, Seen: &e.Presence}, Presence: e.Presence,
		}
		if e.Type == presence.EventOffline {
			events[i].Reason = &e.Reason
		}
	}
	loadDetails(ctx, ids)
	return events, nil
}
