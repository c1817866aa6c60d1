package resolvers

import (
	"context"
	"slices"

	"rollcall/graph"
	"rollcall/internal/auth"
)

func (r *queryResolver) Cluster(ctx context.Context) (*graph.ClusterStatus, error) {
	if _, err := auth.Require(ctx, auth.Admin); err != nil {
		return nil, err
	}
	stats, err := r.Service.Stats(ctx)
	if err != nil {
		return nil, err
	}
	subscribers, err := r.Service.Subscribers(ctx, r.Feed.Subscribers())
	if err != nil {
		return nil, err
	}
	status := &graph.ClusterStatus{
		Shards:              make([]graph.ShardStatus, len(stats.OnlineByShard)),
		Imbalance:           imbalance(stats.OnlineByShard),
		HeartbeatsPerSecond: r.Beats.BeatsPerSecond(),
		Subscribers:         subscribers,
		UsedMemoryBytes:     float64(stats.UsedMemory),
		MaxMemoryBytes:      float64(stats.MaxMemory),
	}
	for i, online := range stats.OnlineByShard {
		status.Shards[i] = graph.ShardStatus{Index: i, Online: online}
		status.Online += online
	}
	return status, nil
}

// imbalance is (largest - smallest) / mean; 0 with one shard or nobody online.
func imbalance(onlineByShard []int) float64 {
	var sum int
	for _, online := range onlineByShard {
		sum += online
	}
	if sum == 0 {
		return 0
	}
	spread := slices.Max(onlineByShard) - slices.Min(onlineByShard)
	return float64(spread) * float64(len(onlineByShard)) / float64(sum)
}
