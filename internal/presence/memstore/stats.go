package memstore

import (
	"context"
	"math"
	"runtime/debug"
	"runtime/metrics"

	"rollcall/internal/presence"
)

// Stats implements [presence.Store]. The memory is that of the whole process,
// which the store is part of.
func (s *Store) Stats(context.Context) (presence.Stats, error) {
	used := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(used)
	stats := presence.Stats{UsedMemory: int64(used[0].Value.Uint64())}
	if limit := debug.SetMemoryLimit(-1); limit != math.MaxInt64 {
		stats.MaxMemory = limit
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	for _, sh := range s.shards {
		stats.OnlineByShard = append(stats.OnlineByShard, sh.leases.tree.Len())
	}
	return stats, nil
}

// Subscribers implements [presence.Store]: there is no other node.
func (*Store) Subscribers(_ context.Context, own int) (int, error) { return own, nil }
