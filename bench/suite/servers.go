package suite

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"rollcall/bench/opponent"
	"rollcall/bench/process"
	"rollcall/internal/presence"
	"rollcall/internal/presence/redisstore"
)

const (
	shards    = 16
	keyPrefix = "rollcall"
	// long is a time in which no lease ends by itself.
	long = time.Hour
)

// rules are those of cases in which nobody goes.
func rules() presence.Rules {
	return presence.Rules{TTL: long, BackgroundTTL: long, AwayAfter: long}
}

// rollcall starts the server, with presence in a Redis; nil keeps it in memory.
func (r *Run) rollcall(ctx context.Context, redis *process.Child, rules presence.Rules) (*process.Child, error) {
	addr, err := process.FreeAddr(ctx)
	if err != nil {
		return nil, err
	}
	env := []string{
		"ROLLCALL_HTTP_ADDR=" + addr, "ROLLCALL_LOG_LEVEL=warn", "ROLLCALL_KEY_PREFIX=" + keyPrefix,
		"ROLLCALL_DATABASE_URL=sqlite:" + r.database(),
		fmt.Sprintf("ROLLCALL_TTL=%v", rules.TTL), fmt.Sprintf("ROLLCALL_BACKGROUND_TTL=%v", rules.BackgroundTTL),
		fmt.Sprintf("ROLLCALL_AWAY_AFTER=%v", rules.AwayAfter), fmt.Sprintf("ROLLCALL_SHARDS=%d", shards),
		// A few users send what many would; every heartbeat is to reach the store. All other limits are the defaults.
		"ROLLCALL_RATES=true", "ROLLCALL_EARLY_BEATS=1000000000", "ROLLCALL_USER_BEATS=0", "ROLLCALL_USER_SIGN_INS=0", "ROLLCALL_USER_COST=0",
	}
	if redis != nil {
		env = append(env, "ROLLCALL_REDIS_URL=redis://"+redis.Addr+"/0")
	}
	var profiles string
	if r.Profiles != "" {
		if profiles, err = process.FreeAddr(ctx); err != nil {
			return nil, err
		}
		env = append(env, process.ProfileVariable+"="+profiles)
	}
	child, err := process.Start(ctx, process.Program{
		Name: "rollcall", Path: r.Rollcall, Args: []string{"serve"}, Env: env, Dir: r.Dir, Addr: addr,
		Ready: process.OK("http://" + addr + "/readyz"),
	})
	if err != nil {
		return nil, err
	}
	child.Profiles = profiles
	return child, nil
}

// database is the file of the users' details.
func (r *Run) database() string { return filepath.Join(r.Dir, "users.db") }

// bare starts the server that does nothing but what any must do.
func (r *Run) bare(ctx context.Context) (*process.Child, error) { return r.opponent(ctx, "bare") }

// stock starts stock gqlgen over the same store.
func (r *Run) stock(ctx context.Context, redis *process.Child) (*process.Child, error) {
	return r.opponent(ctx, "stock", "--redis-url", "redis://"+redis.Addr+"/0", "--database-url", "sqlite:"+r.database())
}

// opponent starts this program as one of the servers that Rollcall is compared with.
func (r *Run) opponent(ctx context.Context, name string, args ...string) (*process.Child, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	addr, err := process.FreeAddr(ctx)
	if err != nil {
		return nil, err
	}
	return process.Start(ctx, process.Program{
		Name: name, Path: self, Args: append([]string{"serve-" + name, "--addr", addr}, args...), Dir: r.Dir, Addr: addr,
		Ready: process.OK("http://" + addr + "/readyz"),
	})
}

// store is the presence store in a Redis, as a node has it.
func store(redis *process.Child) (*redisstore.Store, error) {
	return redisstore.Open(redisstore.Options{
		URL: "redis://" + redis.Addr + "/0", Prefix: keyPrefix, Shards: shards, Rules: rules(), LevelIndex: true,
	})
}

// StockOver is where the stock server has its data from.
func StockOver(addr, redisURL, databaseURL string) opponent.Stock {
	return opponent.Stock{
		Addr: addr, RedisURL: redisURL, DatabaseURL: databaseURL, KeyPrefix: keyPrefix, Shards: shards, Rules: rules(),
	}
}
