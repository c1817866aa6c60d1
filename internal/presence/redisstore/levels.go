package redisstore

import (
	"context"
	"maps"
	"slices"
)

// SetLevels implements presence.Store by levels.lua.
func (s *Store) SetLevels(ctx context.Context, levels map[string]int) error {
	g := s.current()
	ids := slices.Collect(maps.Keys(levels))
	var calls []call
	for shard, at := range g.byShard(len(ids), func(i int) string { return ids[i] }) {
		if len(at) == 0 {
			continue
		}
		var buckets bucketSet
		args := s.writeArgs(g, shard, 3*len(at))
		for _, i := range at {
			_, bucket := g.place(ids[i])
			args = append(args, ids[i], levels[ids[i]], buckets.add(bucket))
		}
		calls = append(calls, call{shard, g.keys[shard].writeKeys(buckets.list), args})
	}
	_, err := s.run(ctx, g, s.scripts.levels, calls)
	return err
}
