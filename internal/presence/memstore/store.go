// Package memstore keeps presence in the memory of one process: the store of a
// single node without Redis, and the oracle that other stores are tested against.
//
// There is one list of all users, whatever the number of shards: only what the
// contract has per shard (event logs, sweeps, grace, counts) is kept so.
package memstore

import (
	"sync"
	"time"

	"rollcall/internal/presence"
)

// DefaultEventLog is how many entries each shard's event log keeps unless told
// otherwise; an entry takes some 200 bytes.
const DefaultEventLog = 10_000

// Options of a store. The zero value of each field but LevelIndex is a sensible choice.
type Options struct {
	Shards     int            // a power of two; 0 is 1
	Rules      presence.Rules // zero: the default rules
	LevelIndex bool           // whether the list can be ordered and filtered by level
	EventLog   int            // entries kept in each shard's log; 0 is DefaultEventLog
	Now        func() presence.Millis
}

// Store is a [presence.Store] in memory. Nothing it does can fail for want of
// a connection, so it never returns a [presence.UnavailableError].
type Store struct {
	rules      presence.Rules
	levelIndex bool
	now        func() presence.Millis

	mu      sync.RWMutex // guards everything below
	shards  []*shard
	users   map[string]*user
	list    list
	history history
}

var _ presence.Store = (*Store)(nil)

// New is an empty store.
func New(o Options) *Store {
	if o.Shards == 0 {
		o.Shards = 1
	}
	if o.Rules == (presence.Rules{}) {
		o.Rules = presence.DefaultRules()
	}
	if o.EventLog == 0 {
		o.EventLog = DefaultEventLog
	}
	if o.Now == nil {
		o.Now = systemClock
	}
	s := &Store{rules: o.Rules, levelIndex: o.LevelIndex, now: o.Now, shards: make([]*shard, o.Shards)}
	for i := range s.shards {
		s.shards[i] = newShard(i, o.EventLog)
	}
	s.empty()
	return s
}

// Lose drops all data, as a store that crashed would; for tests.
func (s *Store) Lose() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.empty()
	for _, sh := range s.shards {
		sh.lose()
	}
}

func (s *Store) empty() {
	s.users = make(map[string]*user)
	s.list = newList()
	s.history = history{}
}

// Shards implements [presence.Store].
func (s *Store) Shards() int { return len(s.shards) }

// HasLevelIndex implements [presence.Store].
func (s *Store) HasLevelIndex() bool { return s.levelIndex }

func (s *Store) shardOf(userID string) *shard {
	return s.shards[presence.Shard(userID, len(s.shards))]
}

func systemClock() presence.Millis { return presence.Millis(time.Now().UnixMilli()) }
