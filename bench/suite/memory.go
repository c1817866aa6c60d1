package suite

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/redis/go-redis/v9"

	"rollcall/bench/figure"
	"rollcall/bench/process"
)

// levelPart is the part of the keys that only an order by level needs, eventPart the log of events.
const (
	levelPart = "level"
	eventPart = "events"
)

// measureMemory takes what a user online costs in Redis, by part, next to the layouts that most
// people build.
func (r *Run) measureMemory(ctx context.Context, p *population) error {
	client := p.client()
	defer func() { _ = client.Close() }()
	parts, err := memoryByPart(ctx, client)
	if err != nil {
		return err
	}
	n := float64(len(p.beats))
	whole := 0.0
	for _, part := range slices.Sorted(maps.Keys(parts)) {
		each := float64(parts[part]) / n
		r.Table.Figure(11, fmt.Sprintf("bytes a user of %s: `%s`", p.title(), part), figure.Series{each}, nil)
		if part != eventPart {
			whole += each
		}
	}
	without, with := figure.AtMost(200), figure.AtMost(300)
	bare := figure.Series{whole - float64(parts[levelPart])/n}
	r.Table.Figure(11, "together, without the event log and the level index", bare, &without)
	r.Table.Figure(11, "together, without the event log", figure.Series{whole}, &with)
	less := figure.AtMost(1)
	for _, layout := range []struct {
		title string
		add   func(context.Context, redis.Pipeliner, int)
	}{
		{"a zset, and a hash for each session", hashEach},
		{"a zset, and one hash of all sessions as JSON", oneHash},
	} {
		each, err := r.plain(ctx, len(p.beats), layout.add)
		if err != nil {
			return err
		}
		r.Table.Ratio(11, "the same as that layout keeps, without event log and level index", bare, figure.Series{each}, layout.title, &less)
	}
	return nil
}

// hashEach keeps a user's session in a hash of its own.
func hashEach(ctx context.Context, pipe redis.Pipeliner, i int) {
	pipe.ZAdd(ctx, "online", redis.Z{Score: float64(1_767_000_000_000 + i), Member: numericID(i)})
	pipe.HSet(ctx, "session:"+numericID(i), "device", device(i), "epoch", strconv.Itoa(1_767_000_000_000+i), "since", strconv.Itoa(1_767_000_000_000+i))
}

// oneHash keeps all sessions in a hash.
func oneHash(ctx context.Context, pipe redis.Pipeliner, i int) {
	pipe.ZAdd(ctx, "online", redis.Z{Score: float64(1_767_000_000_000 + i), Member: numericID(i)})
	pipe.HSet(ctx, "sessions", numericID(i), fmt.Sprintf(`{"device":"%s","epoch":%d,"since":%d}`, device(i), 1_767_000_000_000+i, 1_767_000_000_000+i))
}

// plain is the bytes a user that a layout takes, by MEMORY USAGE as for ours.
func (r *Run) plain(ctx context.Context, n int, add func(context.Context, redis.Pipeliner, int)) (float64, error) {
	server, err := process.StartRedis(ctx, r.Dir, "redis-layout")
	if err != nil {
		return 0, err
	}
	defer server.Stop()
	client := redis.NewClient(&redis.Options{Addr: server.Addr})
	defer func() { _ = client.Close() }()
	const each = 1000
	for from := 0; from < n; from += each {
		if _, err := client.Pipelined(ctx, func(pipe redis.Pipeliner) error {
			for i := from; i < min(n, from+each); i++ {
				add(ctx, pipe, i)
			}
			return nil
		}); err != nil {
			return 0, err
		}
	}
	parts, err := memoryByPart(ctx, client)
	sum := 0.0
	for _, bytes := range parts {
		sum += float64(bytes)
	}
	return sum / float64(n), err
}

// memoryByPart sums MEMORY USAGE over all keys by what they hold, which their names tell: ours
// behind the hash tag.
func memoryByPart(ctx context.Context, client *redis.Client) (map[string]int64, error) {
	const step = 1000
	parts := make(map[string]int64)
	var cursor uint64
	for more := true; more; more = cursor != 0 {
		keys, next, err := client.Scan(ctx, cursor, "", step).Result()
		if err != nil {
			return nil, err
		}
		sizes := make([]*redis.IntCmd, len(keys))
		if _, err = client.Pipelined(ctx, func(pipe redis.Pipeliner) error {
			for i, key := range keys {
				sizes[i] = pipe.MemoryUsage(ctx, key, 0) // 0: all members, no sample
			}
			return nil
		}); err != nil && !errors.Is(err, redis.Nil) { // a key may have expired
			return nil, err
		}
		for i, key := range keys {
			if _, tail, tagged := strings.Cut(key, "}:"); tagged {
				key = tail
			}
			part, _, _ := strings.Cut(key, ":")
			parts[part] += sizes[i].Val()
		}
		cursor = next
	}
	return parts, nil
}
