package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"rollcall/internal/config"
	"rollcall/internal/presence/redisstore"
)

type reshardCommand struct {
	Redis  config.Redis `embed:""`
	Shards int          `required:"" name:"shards" env:"ROLLCALL_SHARDS" placeholder:"N" help:"The new number of shards, a power of two up to 256."`
	Log    config.Log   `embed:""`
}

// Run moves what is stored in Redis to another number of shards.
func (c reshardCommand) Run(ctx context.Context, out output) error {
	if c.Redis.RedisURL == "" {
		return errors.New("set ROLLCALL_REDIS_URL: presence in memory has no other shards to move to")
	}
	if err := c.Redis.Check(); err != nil {
		return err
	}
	// The total is known once it begins, the bar is shown before: it counts as if the layout had the usual number.
	const buckets = redisstore.DefaultBuckets
	tell := progress(out.stderr, "buckets", 2*buckets)
	done, err := redisstore.Reshard(ctx, redisstore.Options{
		URL: c.Redis.RedisURL, Prefix: c.Redis.KeyPrefix, Shards: c.Shards, Log: out.logger(c.Log),
	}, func(done, total int) { tell(done * 2 * buckets / total) })
	if err != nil {
		return fmt.Errorf("reshard: %w", err)
	}
	if done.From == done.To {
		_, err = fmt.Fprintf(out.stdout, "prefix %q has %d shards already\n", c.Redis.KeyPrefix, done.To)
		return err
	}
	_, err = fmt.Fprintf(out.stdout, "%d users moved from %d shards to %d; heartbeats were refused for %v.\n"+
		"The nodes follow by themselves. Set ROLLCALL_SHARDS=%d before any of them is restarted.\n",
		done.Users, done.From, done.To, done.Refusing.Round(time.Millisecond), done.To)
	return err
}
