package directory

import (
	"context"
	"time"

	"rollcall/internal/users"
)

// Entry is what a cache holds for an id: details, or that there is no such user.
type Entry struct {
	Details users.Details
	// Known is false for an id that the source does not have.
	Known bool
	// TTL is how long the entry may still be kept.
	TTL time.Duration
}

// Tier is the cache that the nodes share. All calls take at most
// users.MaxBatch ids, and any may fail: the directory then does without.
type Tier interface {
	// Get returns the entries there are, and which ids are marked stale. TTL is
	// set in entries of unknown ids only.
	Get(ctx context.Context, ids []string) (found map[string]Entry, stale []string, err error)
	// Add stores entries for their TTL, each only if its id has neither an
	// entry nor a mark: atomically per id.
	Add(ctx context.Context, entries map[string]Entry) error
	// MarkStale puts a mark in place of whatever is stored for each id; it
	// keeps entries from being added for the given time.
	MarkStale(ctx context.Context, ids []string, keep time.Duration) error
	// TryLock takes the lock of this set of ids, whatever their order, if no
	// node has it. unlock may be called after ctx has ended. A lock whose holder
	// died ends by itself.
	TryLock(ctx context.Context, ids []string) (unlock func(), ok bool, err error)
	// Announce tells the other nodes to drop ids from their memory.
	Announce(ctx context.Context, ids []string) error
	// Changes delivers what is announced, by this node too.
	Changes
}

// Changes is a stream of ids whose details changed.
type Changes interface {
	// Watch calls changed with ids, and gap when some may have been missed. It
	// reconnects by itself and returns soon after ctx ends. The calls come one
	// at a time.
	Watch(ctx context.Context, changed func(ids []string), gap func())
}
