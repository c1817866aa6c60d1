// Package redisstore keeps presence in Redis: sorted sets and hashes per shard,
// one Lua script per operation, each atomic in its shard's slot.
package redisstore

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"

	"rollcall/internal/presence"
	"rollcall/internal/redisconn"
)

// callTimeout is the time in which a call that finds Redis gone fails, retries
// included.
const callTimeout = 1200 * time.Millisecond

// DefaultBuckets is the number of buckets of all shards together: about 64
// users in each at a million online.
const DefaultBuckets = 1 << 14

// DefaultEventLog is how many entries each shard's event log keeps, about.
const DefaultEventLog = 10_000

// Options say where the store is and how it is laid out.
type Options struct {
	URL    string // see redisconn.Parse
	Prefix string // of all keys; 1 to 64 of a-z A-Z 0-9 . _ -
	Shards int    // see presence.CheckShards
	// Buckets of all shards together; 0 is DefaultBuckets. Stored data is laid out by it.
	Buckets    int
	Rules      presence.Rules
	LevelIndex bool
	EventLog   int // entries of each shard's event log; 0 is DefaultEventLog
	// Now replaces the servers' clock in tests.
	Now func() presence.Millis
}

// Store is a presence.Store in Redis.
type Store struct {
	opts   Options
	layout layout
	node   string // names this store among the nodes that sweep

	client  redis.UniversalClient
	blocked redis.UniversalClient // for the reads that wait: they hold a connection each
	scripts *scripts
	keys    []*shardKeys
	commits []*committer
	sweeps  []*sweep
	// outages tells by shard whether a call has failed since this node last swept it.
	outages []atomic.Bool
	flights sync.WaitGroup // batches under way
}

var _ presence.Store = (*Store)(nil)

// Open prepares a store; it does not connect. See [Store.Check].
func Open(opts Options) (*Store, error) {
	if err := presence.CheckShards(opts.Shards); err != nil {
		return nil, err
	}
	if opts.Buckets == 0 {
		opts.Buckets = DefaultBuckets
	}
	if opts.EventLog == 0 {
		opts.EventLog = DefaultEventLog
	}
	scripts, err := loadScripts()
	if err != nil {
		return nil, err
	}
	address, err := redisconn.Parse(opts.URL)
	if err != nil {
		return nil, fmt.Errorf("redis URL: %w", err)
	}
	s := &Store{
		opts: opts, node: rand.Text(), scripts: scripts,
		client: address.Open(0), blocked: address.Open(opts.Shards + 2),
		outages: make([]atomic.Bool, opts.Shards),
		layout:  layout{shards: opts.Shards, buckets: max(1, opts.Buckets/opts.Shards), levelIndex: opts.LevelIndex},
	}
	for shard := range opts.Shards {
		s.keys = append(s.keys, newShardKeys(opts.Prefix, shard, s.layout.buckets))
		s.commits = append(s.commits, &committer{store: s, shard: shard})
		s.sweeps = append(s.sweeps, newSweep(s.layout.buckets))
	}
	return s, nil
}

// Client is the store's connection, for what else is kept in the same Redis.
func (s *Store) Client() redis.UniversalClient { return s.client }

// Close waits for the batches under way and disconnects.
func (s *Store) Close() error {
	s.flights.Wait()
	return errors.Join(s.client.Close(), s.blocked.Close())
}

// Check reports whether Redis can be reached and holds data of this store's
// layout, or none.
func (s *Store) Check(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	written, err := s.client.HGet(ctx, s.keys[0].meta, "layout").Result()
	switch {
	case errors.Is(err, redis.Nil):
		return nil
	case err != nil:
		return classify(err)
	case written != s.layout.String():
		return fmt.Errorf("prefix %q was written with %s, this node has %s: "+
			"use the same ROLLCALL_SHARDS and ROLLCALL_LEVEL_INDEX, or another ROLLCALL_KEY_PREFIX", s.opts.Prefix, written, s.layout)
	}
	return nil
}

// Shards is the number of shards.
func (s *Store) Shards() int { return s.layout.shards }

// HasLevelIndex tells whether the store keeps the level index.
func (s *Store) HasLevelIndex() bool { return s.opts.LevelIndex }

// now is the ARGV for the time: empty for the server's own.
func (s *Store) now() any {
	if s.opts.Now == nil {
		return ""
	}
	return int64(s.opts.Now())
}

// writeArgs are the ARGV that state.lua takes for a shard, with room for n more.
func (s *Store) writeArgs(shard, n int) []any {
	r := s.opts.Rules
	args := make([]any, 0, 9+n)
	return append(args, s.now(), r.TTL.Milliseconds(), r.BackgroundTTL.Milliseconds(), r.AwayAfter.Milliseconds(),
		r.Gap().Milliseconds(), s.opts.EventLog, s.opts.LevelIndex, s.layout.String(), s.outages[shard].Load())
}

// byShard gathers the positions of ids by their shard; shards without any are nil.
func (s *Store) byShard(n int, id func(i int) string) [][]int {
	lists := make([][]int, s.layout.shards)
	for i := range n {
		shard := presence.Shard(id(i), s.layout.shards)
		lists[shard] = append(lists[shard], i)
	}
	return lists
}
