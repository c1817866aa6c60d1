// Package redisrate keeps a limit across all nodes, in Redis.
package redisrate

import (
	"context"
	_ "embed"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"

	"rollcall/internal/rate"
)

//go:embed take.lua
var source string

const (
	// patience is how long one look may take.
	patience = 100 * time.Millisecond
	// rest is how long Redis is left alone once a look has failed, so that an outage is not made longer for each caller.
	rest = time.Second
)

// Limiter is a limit by key across all nodes of a prefix. While Redis can't be asked everything is allowed: a limit is no reason to
// be unavailable.
type Limiter struct {
	client redis.UniversalClient
	script *redis.Script
	prefix string
	limit  rate.Limit
	log    *slog.Logger

	failedAt atomic.Int64 // Unix nanoseconds
}

// New is a limiter of what name says, such as "signin", over a client that stays its caller's.
func New(client redis.UniversalClient, prefix, name string, limit rate.Limit, log *slog.Logger) *Limiter {
	return &Limiter{client: client, script: redis.NewScript(source), prefix: prefix + ":" + name + ":", limit: limit, log: log}
}

// Take takes one of a key; retryAfter is 0 if there was one.
func (l *Limiter) Take(ctx context.Context, key string) (retryAfter time.Duration) {
	if l.limit.None() || time.Since(time.Unix(0, l.failedAt.Load())) < rest {
		return 0
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	per := l.limit.Per.Microseconds()
	share := float64(per) / float64(l.limit.Count)
	wait, err := l.script.Run(ctx, l.client, []string{l.prefix + key}, fmt.Sprintf("%.3f", share), per).Int64()
	if err != nil {
		l.failedAt.Store(time.Now().UnixNano())
		l.log.DebugContext(ctx, "a limit can't be looked up in Redis; it does not hold across nodes for now", "err", err)
		return 0
	}
	if wait == 0 {
		return 0
	}
	return max(time.Duration(wait)*time.Microsecond, time.Millisecond)
}
