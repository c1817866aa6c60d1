// Package redistier keeps user details in Redis, where all nodes share them:
// as cache entries, locks that keep nodes from loading the same users at once,
// and announcements of what to drop.
//
// Every user has a key of their own without a hash tag, so that a Ring or a
// Cluster spreads them, and no command takes more than one key.
package redistier

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-redsync/redsync/v4"
	"github.com/go-redsync/redsync/v4/redis/goredis/v9"
	"github.com/redis/go-redis/v9"

	"rollcall/internal/users/directory"
)

// Tier is directory.Tier over any go-redis client.
type Tier struct {
	client redis.UniversalClient
	prefix string
	locks  *redsync.Redsync
	// quiet is how long Watch hears nothing before it asks whether the server
	// is there, and again until it takes silence for a no.
	quiet time.Duration
}

var _ directory.Tier = (*Tier)(nil)

// New makes a tier whose keys begin with prefix and a colon. The client stays
// the caller's to close. It must heed the deadlines of contexts
// (ContextTimeoutEnabled), or a hanging Redis would hold loads up for its read
// timeout.
func New(client redis.UniversalClient, prefix string) (*Tier, error) {
	if !heedsDeadlines(client) {
		return nil, errors.New("redistier: the client needs ContextTimeoutEnabled")
	}
	return &Tier{
		client: client,
		prefix: prefix,
		locks:  redsync.New(goredis.NewPool(client)),
		quiet:  3 * time.Second,
	}, nil
}

func heedsDeadlines(client redis.UniversalClient) bool {
	switch c := client.(type) {
	case *redis.Client:
		return c.Options().ContextTimeoutEnabled
	case *redis.ClusterClient:
		return c.Options().ContextTimeoutEnabled
	case *redis.Ring:
		return c.Options().ContextTimeoutEnabled
	default: // a wrapper of someone's; they know
		return true
	}
}

// Get implements directory.Tier.
func (t *Tier) Get(ctx context.Context, ids []string) (map[string]directory.Entry, []string, error) {
	replies := make([]*redis.StringCmd, len(ids))
	_, err := t.client.Pipelined(ctx, func(p redis.Pipeliner) error {
		for i, id := range ids {
			replies[i] = p.Get(ctx, t.userKey(id))
		}
		return nil
	})
	if err != nil && !errors.Is(err, redis.Nil) {
		return nil, nil, fmt.Errorf("get user entries: %w", err)
	}

	found := make(map[string]directory.Entry, len(ids))
	var stale, unknown, unreadable []string
	for i, id := range ids {
		value, err := replies[i].Bytes()
		switch {
		case errors.Is(err, redis.Nil):
			continue
		case err != nil: // one shard of many may fail alone
			return nil, nil, fmt.Errorf("get user entry: %w", err)
		}
		u, kind := decode(id, value)
		switch kind {
		case knownUser:
			found[id] = directory.Entry{Details: u, Known: true}
		case unknownUser:
			unknown = append(unknown, id)
		case staleMark:
			stale = append(stale, id)
		case unreadableEntry:
			unreadable = append(unreadable, id)
		}
	}
	if err := t.addUnknown(ctx, unknown, found); err != nil {
		return nil, nil, err
	}
	return found, stale, t.clear(ctx, unreadable)
}

// addUnknown looks up how long ids stay unknown: the time counts from the load
// that missed them, over all tiers.
func (t *Tier) addUnknown(ctx context.Context, ids []string, found map[string]directory.Entry) error {
	if len(ids) == 0 {
		return nil
	}
	replies := make([]*redis.DurationCmd, len(ids))
	_, err := t.client.Pipelined(ctx, func(p redis.Pipeliner) error {
		for i, id := range ids {
			replies[i] = p.PTTL(ctx, t.userKey(id))
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("get time to live of user entries: %w", err)
	}
	for i, id := range ids {
		if ttl := replies[i].Val(); ttl > 0 { // else it ended between the calls
			found[id] = directory.Entry{TTL: ttl}
		}
	}
	return nil
}

// clear puts short marks in place of entries that this version can't read, so
// that they can be added anew.
func (t *Tier) clear(ctx context.Context, ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	return t.MarkStale(ctx, ids, time.Second)
}

// Add implements directory.Tier.
func (t *Tier) Add(ctx context.Context, entries map[string]directory.Entry) error {
	_, err := t.client.Pipelined(ctx, func(p redis.Pipeliner) error {
		for id, e := range entries {
			p.SetNX(ctx, t.userKey(id), encode(e), e.TTL)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("add user entries: %w", err)
	}
	return nil
}

// MarkStale implements directory.Tier.
func (t *Tier) MarkStale(ctx context.Context, ids []string, keep time.Duration) error {
	_, err := t.client.Pipelined(ctx, func(p redis.Pipeliner) error {
		for _, id := range ids {
			p.Set(ctx, t.userKey(id), []byte{tagStale}, keep)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("mark user entries: %w", err)
	}
	return nil
}
