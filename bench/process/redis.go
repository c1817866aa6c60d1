package process

import (
	"context"
	"net"

	"github.com/redis/go-redis/v9"
)

// StartRedis starts a redis-server that keeps nothing on disk.
func StartRedis(ctx context.Context, dir, name string) (*Child, error) {
	addr, err := FreeAddr(ctx)
	if err != nil {
		return nil, err
	}
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, err
	}
	return Start(ctx, Program{
		Name: name, Path: "redis-server", Dir: dir, Addr: addr,
		Args: []string{"--port", port, "--bind", host, "--save", "", "--appendonly", "no"},
		Ready: func(ctx context.Context) error {
			client := redis.NewClient(&redis.Options{Addr: addr, MaxRetries: -1})
			defer func() { _ = client.Close() }()
			return client.Ping(ctx).Err()
		},
	})
}
