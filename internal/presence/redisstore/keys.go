package redisstore

import (
	"fmt"
	"strconv"

	"rollcall/internal/presence"
)

// All keys of a shard carry the hash tag {prefix:shard}, so that every script
// stays in one slot. See lua/state.lua for what they hold.
type shardKeys struct {
	meta, events, online, level string
	// By bucket. A bucket holds about 64 of the shard's users: few enough for
	// Redis to keep it as a listpack, which costs a fifth of the memory of a
	// large set, and to search it quickly.
	session, seen []string
}

func newShardKeys(prefix string, shard, buckets int) *shardKeys {
	tag := "{" + prefix + ":" + strconv.Itoa(shard) + "}:"
	k := &shardKeys{
		meta: tag + "meta", events: tag + "events", online: tag + "online", level: tag + "level",
		session: make([]string, buckets), seen: make([]string, buckets),
	}
	for b := range buckets {
		n := strconv.Itoa(b)
		k.session[b], k.seen[b] = tag+"session:"+n, tag+"seen:"+n
	}
	return k
}

// recordFormat is the version of the records; see lua/common.lua.
const recordFormat = "v1:"

// layout is what all nodes of a prefix must agree on: where users are, and whether the
// level index has them.
type layout struct {
	shards     int
	buckets    int // in each shard
	levelIndex bool
}

func (l layout) String() string {
	index := "without"
	if l.levelIndex {
		index = "with"
	}
	return fmt.Sprintf(recordFormat+" %d shards of %d buckets %s a level index", l.shards, l.buckets, index)
}

// place is the shard and bucket of a user. The shard takes the low bits of the hash,
// the bucket the high ones.
func (l layout) place(userID string) (shard, bucket int) {
	return presence.Shard(userID, l.shards), int(presence.Hash(userID) >> 32 % uint64(l.buckets))
}

// bucketSet gathers the buckets that one call touches and numbers them in the
// order of its keys.
type bucketSet struct {
	index map[int]int
	list  []int
}

// add returns the number of the bucket among the call's.
func (s *bucketSet) add(bucket int) int {
	if i, ok := s.index[bucket]; ok {
		return i
	}
	if s.index == nil {
		s.index = make(map[int]int)
	}
	i := len(s.list)
	s.index[bucket], s.list = i, append(s.list, bucket)
	return i
}

// writeKeys are the KEYS of a script that begins with state.lua.
func (k *shardKeys) writeKeys(buckets []int) []string {
	keys := make([]string, 0, 4+2*len(buckets))
	return k.appendBuckets(append(keys, k.meta, k.events, k.online, k.level), buckets)
}

// appendBuckets appends each bucket's two keys.
func (k *shardKeys) appendBuckets(keys []string, buckets []int) []string {
	for _, b := range buckets {
		keys = append(keys, k.session[b], k.seen[b])
	}
	return keys
}
