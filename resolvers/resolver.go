// Package resolvers answers the schema's fields: each authorises, calls the
// domain and converts. What goes wrong is put into the contract's codes by one
// table (errors.go).
package resolvers

import (
	"context"
	"log/slog"

	"rollcall/dataloader"
	"rollcall/graph"
	"rollcall/internal/feed"
	"rollcall/internal/keepalive"
	"rollcall/internal/presence"
	"rollcall/internal/pulse"
)

// Service is the part of [presence.Service] that the resolvers need.
type Service interface {
	Heartbeat(ctx context.Context, h presence.Heartbeat) (presence.Lease, error)
	Heartbeats(ctx context.Context, hs []presence.Heartbeat) ([]presence.HeartbeatResult, error)
	GoOffline(ctx context.Context, userID, deviceID, session string) (bool, error)
	Disconnect(ctx context.Context, userID string) (bool, error)
	Presences(ctx context.Context, userIDs []string) ([]presence.Presence, error)
	Page(ctx context.Context, req presence.PageRequest) (presence.Page, error)
	Count(ctx context.Context) (int, error)
	Total(ctx context.Context, req presence.PageRequest) (int, error)
	RefreshLevels(ctx context.Context, userIDs []string) error
	Stats(ctx context.Context) (presence.Stats, error)
	Subscribers(ctx context.Context, own int) (int, error)
	OnlineHistory(ctx context.Context, from presence.Millis, to *presence.Millis, r presence.Resolution) ([]presence.OnlinePoint, error)
}

// Directory is where user details come from, and can be told to forget some.
type Directory interface {
	dataloader.Directory
	Refresh(ctx context.Context, ids []string) error
}

// Feed is where events come from.
type Feed interface {
	Subscribe(ctx context.Context, o feed.Options) (*feed.Subscription, error)
	Subscribers() int
}

// Keeper keeps a session alive by its connection's pongs.
type Keeper interface {
	Keep(ctx context.Context, h presence.Heartbeat, p *pulse.Pulse) (<-chan keepalive.Event, error)
}

// BeatRate is how many heartbeats are accepted a second.
type BeatRate interface{ BeatsPerSecond() float64 }

var (
	_ Service  = (*presence.Service)(nil)
	_ Feed     = (*feed.Hub)(nil)
	_ Keeper   = (*keepalive.Keeper)(nil)
	_ BeatRate = (*presence.Sweeper)(nil)
)

// Dependencies are what the resolvers answer from; all are needed.
type Dependencies struct {
	Service   Service
	Directory Directory
	Feed      Feed
	Keeper    Keeper
	Beats     BeatRate
	Log       *slog.Logger
}

// root has a resolver for each type of the schema that needs one.
type root struct {
	Dependencies
	readings readings
}

var _ graph.ResolverRoot = (*root)(nil)

func (r *root) Query() graph.QueryResolver               { return (*queryResolver)(r) }
func (r *root) Mutation() graph.MutationResolver         { return (*mutationResolver)(r) }
func (r *root) Subscription() graph.SubscriptionResolver { return (*subscriptionResolver)(r) }
func (r *root) User() graph.UserResolver                 { return userResolver{} }
func (r *root) Presence() graph.PresenceResolver         { return presenceResolver{} }
func (r *root) PresenceDelta() graph.PresenceDeltaResolver {
	return deltaResolver{}
}

func (r *root) OnlineUserConnection() graph.OnlineUserConnectionResolver {
	return connectionResolver{}
}
