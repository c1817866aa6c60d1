package resolvers

import (
	"context"

	"rollcall/dataloader"
	"rollcall/graph"
	"rollcall/internal/presence"
	"rollcall/internal/users"
)

type userResolver struct{}

func (userResolver) Name(ctx context.Context, u *graph.User) (*string, error) {
	d, err := details(ctx, u.ID)
	return d.Name, err
}

func (userResolver) AvatarURL(ctx context.Context, u *graph.User) (*string, error) {
	d, err := details(ctx, u.ID)
	return d.AvatarURL, err
}

func (userResolver) Level(ctx context.Context, u *graph.User) (*int, error) {
	d, err := details(ctx, u.ID)
	return d.Level, err
}

// details of an unknown user are empty, and so are those that can't be read: the
// first field that meets this says so, for all of the response.
func details(ctx context.Context, userID string) (users.Details, error) {
	loaders := dataloader.For(ctx)
	d, err := loaders.Details(ctx, userID)
	if d == nil {
		return users.Details{}, loaders.Once(err)
	}
	return *d, nil
}

// Presence is what came with the user if that is enough, and else the store's.
func (userResolver) Presence(ctx context.Context, u *graph.User) (*presence.Presence, error) {
	switch {
	case u.Seen != nil:
		return u.Seen, nil
	case !selectsPresence(ctx):
		return &presence.Presence{UserID: u.ID}, nil
	case u.Row != nil && !selectsSession(ctx):
		return &presence.Presence{UserID: u.ID, Status: u.Row.Status, LastActiveAt: u.Row.LastActiveAt}, nil
	}
	return dataloader.For(ctx).Presence(ctx, u.ID)
}
