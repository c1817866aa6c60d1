package redisstore

import (
	"context"
	"maps"
	"slices"
)

// SetLevels implements presence.Store by levels.lua.
func (s *Store) SetLevels(ctx context.Context, levels map[string]int) error {
	ids := slices.Collect(maps.Keys(levels))
	var calls []call
	for shard, at := range s.byShard(len(ids), func(i int) string { return ids[i] }) {
		if len(at) == 0 {
			continue
		}
		var buckets bucketSet
		args := s.writeArgs(shard, 3*len(at))
		for _, i := range at {
			_, bucket := s.layout.place(ids[i])
			args = append(args, ids[i], levels[ids[i]], buckets.add(bucket))
		}
		calls = append(calls, call{shard, s.keys[shard].writeKeys(buckets.list), args})
	}
	_, err := s.run(ctx, s.scripts.levels, calls)
	return err
}
