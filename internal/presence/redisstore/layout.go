package redisstore

import (
	"context"
	"errors"
	"fmt"

	"github.com/redis/go-redis/v9"

	"rollcall/internal/presence"
)

// recordFormat is the version of the records; see lua/common.lua.
const recordFormat = "v1"

// layout is what all nodes of a prefix must agree on: where users are, and whether the
// level index has them. It stands in the meta key of each shard. A shard whose
// users have been moved has there the layout to which they were.
type layout struct {
	shards     int
	buckets    int // in each shard
	levelIndex bool
}

// newLayout lays so many buckets out in so many shards.
func newLayout(shards, buckets int, levelIndex bool) layout {
	return layout{shards: shards, buckets: max(1, buckets/shards), levelIndex: levelIndex}
}

const layoutText = recordFormat + ": %d shards of %d buckets %s a level index"

func (l layout) String() string {
	index := "without"
	if l.levelIndex {
		index = "with"
	}
	return fmt.Sprintf(layoutText, l.shards, l.buckets, index)
}

// parseLayout reads what String writes; false is what it doesn't: another version.
func parseLayout(text string) (layout, bool) {
	var l layout
	var index string
	_, err := fmt.Sscanf(text, layoutText, &l.shards, &l.buckets, &index)
	l.levelIndex = index == "with"
	return l, err == nil && l.String() == text && presence.CheckShards(l.shards) == nil && l.buckets > 0
}

// place is the shard and bucket of a user. The shard takes the low bits of the hash,
// the bucket the high ones.
func (l layout) place(userID string) (shard, bucket int) {
	return presence.Shard(userID, l.shards), int(presence.Hash(userID) >> 32 % uint64(l.buckets))
}

// allBuckets are the numbers of a shard's buckets.
func (l layout) allBuckets() []int {
	all := make([]int, l.buckets)
	for b := range all {
		all[b] = b
	}
	return all
}

// byShard gathers the positions of ids by their shard; shards without any are nil.
func (l layout) byShard(n int, id func(i int) string) [][]int {
	lists := make([][]int, l.shards)
	for i := range n {
		shard := presence.Shard(id(i), l.shards)
		lists[shard] = append(lists[shard], i)
	}
	return lists
}

// findLayout is the layout in which a prefix is stored, as text: "" if nothing is. Once
// it is found, servers that can't be reached don't matter.
func findLayout(ctx context.Context, client redis.UniversalClient, prefix string) (string, error) {
	pipe := client.Pipeline()
	metas := make(map[int]*redis.StringCmd) // by number of shards
	for n := 1; n <= presence.MaxShards; n *= 2 {
		metas[n] = pipe.HGet(ctx, newShardKeys(prefix, layout{shards: n}, 0).meta, "layout")
	}
	_, _ = pipe.Exec(ctx) // each command has its own error
	found := ""
	var unreachable error
	went := make(map[int]layout) // by number of shards: where the users went
	for shards, meta := range metas {
		text, err := meta.Result()
		l, ok := parseLayout(text)
		switch {
		case errors.Is(err, redis.Nil):
		case err != nil:
			unreachable = classify(err)
		case ok && l.shards != shards:
			went[shards] = l
		case found != "":
			return "", fmt.Errorf("prefix %q is stored twice, in %q and in %q: stop the nodes of one of them, "+
				"and delete its keys", prefix, found, text)
		default:
			found = text
		}
	}
	if found == "" && unreachable != nil {
		return "", unreachable
	}
	if found == "" { // or nobody has come yet to where the users went
		return destination(went), nil
	}
	return found, nil
}

// destination is the layout at the end of a chain of moves, as text; "" without any.
func destination(moved map[int]layout) string {
	last := ""
	for _, l := range moved {
		for range moved { // no longer than that, however they point
			if next, on := moved[l.shards]; on {
				l = next
			}
		}
		last = l.String()
	}
	return last
}

// verify is Check, until it has passed once. Nothing is done before: a node that
// was set up differently, and could not know while Redis was away, would begin a list
// of its own.
func (s *Store) verify(ctx context.Context) error {
	if s.checked.Load() {
		return nil
	}
	err := s.Check(ctx)
	if _, unavailable := errors.AsType[*presence.UnavailableError](err); err == nil || unavailable {
		return err
	}
	// Redis was away when this node was started: nobody has been told yet, and what is logged of
	// the sweeps is why they failed at first.
	s.refused.Do(func() { s.log.ErrorContext(ctx, "this node can't serve as it is set up", "err", err) })
	return &presence.UnavailableError{RetryAfter: retryAfter, Cause: err}
}

// Check reports whether Redis can be reached and holds data of this store's
// layout, or none.
func (s *Store) Check(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	stored, err := findLayout(ctx, s.client, s.opts.Prefix)
	if err != nil {
		return err
	}
	own := s.current()
	if stored == "" || stored == own.text {
		s.checked.Store(true)
		return nil
	}
	err = fmt.Errorf("prefix %q is stored in %q, this node wants %q", s.opts.Prefix, stored, own.text)
	if there, ok := parseLayout(stored); ok && there.levelIndex == own.levelIndex && there.shards != own.shards {
		return fmt.Errorf("%w: set ROLLCALL_SHARDS=%d, or move it, while its nodes serve, with: rollcall reshard --shards %d",
			err, there.shards, own.shards)
	}
	return fmt.Errorf("%w: set ROLLCALL_LEVEL_INDEX and ROLLCALL_SHARDS as its other nodes have them, or another ROLLCALL_KEY_PREFIX", err)
}
