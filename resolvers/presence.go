package resolvers

import (
	"context"

	"rollcall/graph"
	"rollcall/internal/auth"
	"rollcall/internal/presence"
)

type presenceResolver struct{}

func (presenceResolver) User(_ context.Context, p *presence.Presence) (*graph.User, error) {
	return &graph.User{ID: p.UserID}, nil
}

// DeviceID is for the user and for admins only.
func (presenceResolver) DeviceID(ctx context.Context, p *presence.Presence) (*string, error) {
	caller, err := auth.FromContext(ctx)
	if err != nil {
		return nil, err
	}
	if p.DeviceID == "" || (caller.ID != p.UserID && caller.Role != auth.Admin) {
		return nil, nil
	}
	return &p.DeviceID, nil
}
