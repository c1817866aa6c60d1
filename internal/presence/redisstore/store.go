// Package redisstore keeps presence in Redis: sorted sets and hashes per shard,
// one Lua script per operation, each atomic in its shard's slot.
package redisstore

import (
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
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

// maxBlocked bounds the reads that wait, one a shard; those of a layout that has just
// ended may still do so.
const maxBlocked = 2 * presence.MaxShards

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
	Log *slog.Logger // nil: none
}

// Store is a presence.Store in Redis.
type Store struct {
	opts Options
	node string // names this store among the nodes that sweep
	log  *slog.Logger

	client     redis.UniversalClient
	blocked    redis.UniversalClient // for the reads that wait: they hold a connection each
	scripts    *scripts
	generation atomic.Pointer[generation]
	checked    atomic.Bool    // Check has passed
	refused    sync.Once      // the log has been told that it can't
	flights    sync.WaitGroup // batches and waiting reads under way
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
		opts: opts, node: rand.Text(), scripts: scripts, log: cmp.Or(opts.Log, slog.New(slog.DiscardHandler)),
		client: address.Open(0), blocked: address.Open(maxBlocked),
	}
	s.generation.Store(s.newGeneration(newLayout(opts.Shards, opts.Buckets, opts.LevelIndex)))
	return s, nil
}

// Client is the store's connection, for what else is kept in the same Redis.
func (s *Store) Client() redis.UniversalClient { return s.client }

// Close ends the reads that wait, waits for the batches under way and disconnects.
func (s *Store) Close() error {
	err := s.blocked.Close()
	s.flights.Wait()
	return errors.Join(err, s.client.Close())
}

// Shards is the number of shards.
func (s *Store) Shards() int { return s.current().shards }

// HasLevelIndex tells whether the store keeps the level index.
func (s *Store) HasLevelIndex() bool { return s.opts.LevelIndex }

// now is the ARGV for the time: empty for the server's own.
func (s *Store) now() any {
	if s.opts.Now == nil {
		return ""
	}
	return int64(s.opts.Now())
}

// readArgs are the ARGV that clock.lua and common.lua take, with room for n more.
func (s *Store) readArgs(g *generation, n int) []any {
	return append(make([]any, 0, 2+n), s.now(), g.text)
}

// writeArgs are the ARGV that state.lua takes for a shard, with room for n more.
func (s *Store) writeArgs(g *generation, shard, n int) []any {
	r := s.opts.Rules
	return append(s.readArgs(g, 8+n), r.TTL.Milliseconds(), r.BackgroundTTL.Milliseconds(), r.AwayAfter.Milliseconds(),
		r.Gap().Milliseconds(), s.opts.EventLog, s.opts.LevelIndex, g.outages[shard].Load(), false)
}

// beginArg is where in writeArgs it says that an empty shard may be begun.
const beginArg = 9
