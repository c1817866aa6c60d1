package redisstore

import (
	"context"
	"fmt"
	"hash/maphash"

	"github.com/redis/go-redis/v9"
)

const (
	readAtOnce  = 64  // buckets read at a time
	writeAtOnce = 500 // users written by one script call
)

// copier copies the users of one generation to another, and on the next call those
// who have changed since.
type copier struct {
	store    *Store
	from, to *generation
	// copied has for each user, by hash, the hash of the record that was copied last.
	copied map[uint64]uint64
	seed   maphash.Seed
	tell   func(done, total int)
	done   int // buckets, over both passes
}

func newCopier(s *Store, from, to *generation, tell func(done, total int)) copier {
	return copier{store: s, from: from, to: to, copied: make(map[uint64]uint64), seed: maphash.MakeSeed(), tell: tell}
}

// copy makes one pass over all buckets. keep is called all the while.
func (c *copier) copy(ctx context.Context, keep func(context.Context) error) error {
	for shard := range c.from.shards {
		for bucket := 0; bucket < c.from.buckets; bucket += readAtOnce {
			if err := keep(ctx); err != nil {
				return err
			}
			n := min(readAtOnce, c.from.buckets-bucket)
			if err := c.copyBuckets(ctx, shard, bucket, n); err != nil {
				return err
			}
			c.done += n
			c.tell(c.done, 2*c.from.shards*c.from.buckets)
		}
	}
	return nil
}

// copyBuckets copies n buckets of a shard from one on.
func (c *copier) copyBuckets(ctx context.Context, shard, bucket, n int) error {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	keys, pipe := c.from.keys[shard], c.store.client.Pipeline()
	var hashes []*redis.MapStringStringCmd
	for b := bucket; b < bucket+n; b++ {
		// Who leaves in between is found in both: the later word counts.
		hashes = append(hashes, pipe.HGetAll(ctx, keys.session[b]), pipe.HGetAll(ctx, keys.seen[b]))
	}
	if _, err := pipe.Exec(ctx); err != nil {
		return classify(fmt.Errorf("records of shard %d: %w", shard, err))
	}
	loads := make(map[int]*load)
	var calls []call
	for _, hash := range hashes {
		for user, record := range hash.Val() {
			id, now := maphash.String(c.seed, user), maphash.String(c.seed, record)
			if before, copied := c.copied[id]; copied && before == now {
				continue
			}
			c.copied[id] = now
			shard, bucket := c.to.place(user)
			l := loads[shard]
			if l == nil {
				l = &load{args: append(c.store.readArgs(c.from, 1), c.to.levelIndex)}
				loads[shard] = l
			}
			l.args = append(l.args, user, record, l.buckets.add(bucket))
			if l.users++; l.users == writeAtOnce {
				calls = append(calls, c.call(shard, l))
				delete(loads, shard)
			}
		}
	}
	for shard, l := range loads {
		calls = append(calls, c.call(shard, l))
	}
	_, err := c.store.run(ctx, c.to, c.store.scripts.copy, calls)
	return err
}

// load is the users of one call of copy.lua.
type load struct {
	buckets bucketSet
	args    []any
	users   int
}

func (c *copier) call(shard int, l *load) call {
	k := c.to.keys[shard]
	return call{shard, k.appendBuckets([]string{k.meta, k.online, k.level}, l.buckets.list), l.args}
}
