package redisstore

import "strconv"

// All keys of a shard carry the hash tag {prefix:shards:shard}, so that every script
// stays in one slot, and so that two layouts of a prefix have no key in common
// while it is resharded. See lua/state.lua for what they hold, and
// lua/roster.lua for the roster.
type shardKeys struct {
	meta, events, online, level, roster string
	// By bucket. A bucket holds about 64 of the shard's users: few enough for
	// Redis to keep it as a listpack, which costs a fifth of the memory of a
	// large set, and to search it quickly.
	session, seen []string
}

func newShardKeys(prefix string, l layout, shard int) *shardKeys {
	tag := "{" + prefix + ":" + strconv.Itoa(l.shards) + ":" + strconv.Itoa(shard) + "}:"
	k := &shardKeys{
		meta: tag + "meta", events: tag + "events", online: tag + "online", level: tag + "level", roster: tag + "roster",
		session: make([]string, l.buckets), seen: make([]string, l.buckets),
	}
	for b := range l.buckets {
		n := strconv.Itoa(b)
		k.session[b], k.seen[b] = tag+"session:"+n, tag+"seen:"+n
	}
	return k
}

// historyKeys are the rings of the online history, which is of the whole store: they have a
// slot of their own, whatever the layout. See lua/history.lua.
type historyKeys struct{ minute, hour string }

func newHistoryKeys(prefix string) historyKeys {
	tag := "{" + prefix + ":history}:"
	return historyKeys{minute: tag + "minute", hour: tag + "hour"}
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

// readKeys are the KEYS of a script that reads records.
func (k *shardKeys) readKeys(buckets []int) []string {
	return k.appendBuckets(append(make([]string, 0, 1+2*len(buckets)), k.meta), buckets)
}

// appendBuckets appends each bucket's two keys.
func (k *shardKeys) appendBuckets(keys []string, buckets []int) []string {
	for _, b := range buckets {
		keys = append(keys, k.session[b], k.seen[b])
	}
	return keys
}
