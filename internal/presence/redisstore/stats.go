package redisstore

import (
	"bufio"
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/redis/go-redis/v9"

	"rollcall/internal/presence"
)

// Stats implements presence.Store by the totals of page.lua, and INFO.
func (s *Store) Stats(ctx context.Context) (presence.Stats, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	g := s.current()
	var st presence.Stats
	parts, err := s.fetch(ctx, g, presence.PageRequest{Order: presence.LastActiveDesc}, newHeads(g, nil), 0)
	if err != nil {
		return st, err
	}
	for _, p := range parts {
		st.OnlineByShard = append(st.OnlineByShard, p.total)
	}
	var mu sync.Mutex // servers are asked at the same time
	err = s.eachServer(ctx, func(ctx context.Context, server *redis.Client) error {
		memory, err := server.Info(ctx, "memory").Result()
		if err != nil {
			return classify(fmt.Errorf("stats: %w", err))
		}
		mu.Lock()
		defer mu.Unlock()
		st.UsedMemory += infoNumber(memory, "used_memory")
		st.MaxMemory += infoNumber(memory, "maxmemory")
		return nil
	})
	return st, err
}

// eachServer calls do for each server that takes writes.
func (s *Store) eachServer(ctx context.Context, do func(context.Context, *redis.Client) error) error {
	switch c := s.client.(type) {
	case *redis.ClusterClient:
		return c.ForEachMaster(ctx, do)
	case *redis.Ring:
		return c.ForEachShard(ctx, do)
	case *redis.Client:
		return do(ctx, c)
	}
	return fmt.Errorf("stats: an unknown client, %T", s.client)
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
