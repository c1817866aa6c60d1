package redisstore

import (
	"math"
	"sync/atomic"
)

// shardShare is how many rows to ask of each shard: its part of the page and three
// standard deviations, which makes a second round trip rare.
func shardShare(first, shards int) int {
	if shards == 1 || first == 0 {
		return first
	}
	mean := float64(first) / float64(shards)
	return min(first, int(math.Ceil(mean+3*math.Sqrt(mean)))+1)
}

// margin is how many rows more than its share each shard is asked for. It grows while pages
// need a second round trip, and shrinks while they don't: beats that were committed together
// have the same time, so neighbours in the list of a busy store are often of one shard.
type margin struct{ rows atomic.Int64 }

const (
	marginStep = 4
	maxMargin  = 64
)

func (m *margin) more() int { return int(m.rows.Load()) }

func (m *margin) learn(tooFew bool) {
	rows := m.rows.Load()
	switch {
	case tooFew:
		m.rows.CompareAndSwap(rows, min(2*rows+marginStep, maxMargin))
	case rows > 0:
		m.rows.CompareAndSwap(rows, rows-1)
	}
}
