// Package dataloader loads user details and presences in bulk. A set of loaders
// lives as long as one response, that is one query, one mutation or one event
// of a subscription; never as long as a socket, whose later events would show
// what was true at its first.
package dataloader

import (
	"context"
	"sync/atomic"

	"rollcall/internal/presence"
	"rollcall/internal/users"
)

// Directory is where user details come from. With an error the map holds what
// could be read; nothing is then known of the ids that are absent from it.
type Directory interface {
	Load(ctx context.Context, ids []string) (map[string]users.Details, error)
}

// Presences is where presences come from: one for each id, in their order.
type Presences interface {
	Presences(ctx context.Context, ids []string) ([]presence.Presence, error)
}

// Loaders are the loaders of one response.
type Loaders struct {
	details   loader[*users.Details]
	presences loader[*presence.Presence]
	told      atomic.Bool
}

// New makes the loaders of a response.
func New(directory Directory, store Presences) *Loaders {
	l := new(Loaders)
	l.details.fetch = func(ctx context.Context, ids []string) []result[*users.Details] {
		found, err := directory.Load(ctx, ids)
		results := make([]result[*users.Details], len(ids))
		for i, id := range ids {
			if d, ok := found[id]; ok {
				results[i].value = &d
			} else {
				results[i].err = err
			}
		}
		return results
	}
	l.presences.fetch = func(ctx context.Context, ids []string) []result[*presence.Presence] {
		found, err := store.Presences(ctx, ids)
		results := make([]result[*presence.Presence], len(ids))
		for i := range results {
			if results[i].err = err; err == nil {
				results[i].value = &found[i]
			}
		}
		return results
	}
	return l
}

// Details is what the directory knows of a user; nil if it doesn't know them.
// An error says that this can't be read now.
func (l *Loaders) Details(ctx context.Context, id string) (*users.Details, error) {
	return l.details.load(ctx, id)
}

// LoadDetails loads the details of users who will be asked for, by one call of
// the directory for every [batch] users.
func (l *Loaders) LoadDetails(ctx context.Context, ids []string) { l.details.loadAll(ctx, ids) }

// Once is the first error that it is given in this response, and nil from then
// on: a directory that fails is one error a page, not one a user.
func (l *Loaders) Once(err error) error {
	if err == nil || l.told.Swap(true) {
		return nil
	}
	return err
}

// Presence is a user's presence.
func (l *Loaders) Presence(ctx context.Context, id string) (*presence.Presence, error) {
	return l.presences.load(ctx, id)
}

// LoadPresences loads the presences of users who will be asked for, by one
// call of the store for every [batch] users.
func (l *Loaders) LoadPresences(ctx context.Context, ids []string) error {
	l.presences.loadAll(ctx, ids)
	for _, id := range ids {
		if _, err := l.presences.load(ctx, id); err != nil {
			return err
		}
	}
	return nil
}

// Forget drops what was loaded of users whom a mutation has changed, so that the
// fields after it see the change.
func (l *Loaders) Forget(ids ...string) {
	l.details.forget(ids)
	l.presences.forget(ids)
}

type loadersKey struct{}

// With is ctx with new loaders, for the answer that is made with it.
func With(ctx context.Context, directory Directory, store Presences) context.Context {
	return context.WithValue(ctx, loadersKey{}, New(directory, store))
}

// For is the loaders of the response in the making. It panics where there are none.
func For(ctx context.Context) *Loaders { return ctx.Value(loadersKey{}).(*Loaders) }
