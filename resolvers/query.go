package resolvers

import (
	"context"

	"github.com/99designs/gqlgen/graphql"

	"rollcall/dataloader"
	"rollcall/graph"
	"rollcall/internal/auth"
	"rollcall/internal/presence"
)

type queryResolver root

func (r *queryResolver) Me(ctx context.Context) (*graph.User, error) {
	caller, err := auth.FromContext(ctx)
	if err != nil {
		return nil, err
	}
	return &graph.User{ID: caller.ID}, nil
}

func (r *queryResolver) User(ctx context.Context, id string) (*graph.User, error) {
	found, err := r.find(ctx, []string{id})
	if err != nil {
		return nil, err
	}
	return found[0], nil
}

func (r *queryResolver) Users(ctx context.Context, ids []string) ([]*graph.User, error) {
	return r.find(ctx, ids)
}

// find is each user, nil where neither the directory nor the online list knows
// the id. Where the directory can't be read nobody is called unknown.
func (r *queryResolver) find(ctx context.Context, ids []string) ([]*graph.User, error) {
	if _, err := auth.FromContext(ctx); err != nil {
		return nil, err
	}
	if err := presence.CheckUserIDs(ids); err != nil {
		return nil, err
	}
	loaders := dataloader.For(ctx)
	loaders.LoadDetails(ctx, ids)
	found := make([]*graph.User, len(ids))
	var unlisted []string // in the directory
	for i, id := range ids {
		d, err := loaders.Details(ctx, id)
		if d == nil && err == nil {
			unlisted = append(unlisted, id)
			continue
		}
		graphql.AddError(ctx, loaders.Once(err))
		found[i] = &graph.User{ID: id}
	}
	needed := unlisted
	if selectsPresence(ctx) {
		needed = ids
	}
	if err := loaders.LoadPresences(ctx, needed); err != nil {
		return nil, err
	}
	for i, id := range ids {
		if found[i] != nil {
			continue
		}
		p, err := loaders.Presence(ctx, id)
		if err != nil {
			return nil, err
		}
		if p.Status != presence.Offline {
			found[i] = &graph.User{ID: id}
		}
	}
	return found, nil
}

func (r *queryResolver) Presence(ctx context.Context, userIDs []string) ([]presence.Presence, error) {
	if _, err := auth.FromContext(ctx); err != nil {
		return nil, err
	}
	presences, err := r.Service.Presences(ctx, userIDs)
	if err != nil {
		return nil, err
	}
	loadDetails(ctx, userIDs)
	return presences, nil
}

func (r *queryResolver) OnlineUsers(ctx context.Context, first *int, after *string, orderBy *presence.Order, filter *graph.OnlineFilter) (*graph.OnlineUserConnection, error) {
	if _, err := auth.FromContext(ctx); err != nil {
		return nil, err
	}
	req, err := pageRequest(first, after, orderBy, filter)
	if err != nil {
		return nil, err
	}
	return (*root)(r).page(ctx, req, selectsList(ctx))
}

func (r *queryResolver) OnlineCount(ctx context.Context) (int, error) {
	if _, err := auth.FromContext(ctx); err != nil {
		return 0, err
	}
	return r.Service.Count(ctx)
}
