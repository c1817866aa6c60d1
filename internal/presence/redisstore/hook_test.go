package redisstore

import (
	"context"

	"github.com/redis/go-redis/v9"
)

// onSend sees a client's commands before they are sent, those of a pipeline together.
type onSend func(cmds ...redis.Cmder)

var _ redis.Hook = onSend(nil)

// DialHook implements redis.Hook.
func (see onSend) DialHook(next redis.DialHook) redis.DialHook { return next }

// ProcessHook implements redis.Hook.
func (see onSend) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		see(cmd)
		return next(ctx, cmd)
	}
}

// ProcessPipelineHook implements redis.Hook.
func (see onSend) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		see(cmds...)
		return next(ctx, cmds)
	}
}
