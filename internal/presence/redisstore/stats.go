package redisstore

import (
	"bufio"
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/redis/go-redis/v9"

	"rollcall/internal/presence"
)

// Stats implements presence.Store by ZCARD and INFO.
func (s *Store) Stats(ctx context.Context) (presence.Stats, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	var st presence.Stats
	pipe := s.client.Pipeline()
	cards := make([]*redis.IntCmd, s.layout.shards)
	for shard, k := range s.keys {
		cards[shard] = pipe.ZCard(ctx, k.online)
	}
	memory := pipe.Info(ctx, "memory")
	if _, err := pipe.Exec(ctx); err != nil {
		return st, classify(fmt.Errorf("stats: %w", err))
	}
	for _, card := range cards {
		st.OnlineByShard = append(st.OnlineByShard, int(card.Val()))
	}
	st.UsedMemory = infoNumber(memory.Val(), "used_memory")
	st.MaxMemory = infoNumber(memory.Val(), "maxmemory")
	return st, nil
}

// infoNumber is a field of an INFO answer; 0 if it isn't there.
func infoNumber(info, field string) int64 {
	lines := bufio.NewScanner(strings.NewReader(info))
	for lines.Scan() {
		if value, ok := strings.CutPrefix(lines.Text(), field+":"); ok {
			n, _ := strconv.ParseInt(value, 10, 64)
			return n
		}
	}
	return 0
}
