package resolvers

import (
	"context"

	"rollcall/internal/auth"
	"rollcall/internal/presence"
)

func (r *queryResolver) OnlineHistory(ctx context.Context, from presence.Millis, to *presence.Millis, resolution presence.Resolution) ([]presence.OnlinePoint, error) {
	if _, err := auth.Require(ctx, auth.Admin); err != nil {
		return nil, err
	}
	return r.Service.OnlineHistory(ctx, from, to, resolution)
}
