package redisconn

import (
	"context"

	"github.com/redis/go-redis/v9"
)

// refused gives the commands of a pipeline that was never sent the reason as their
// error. go-redis does so unless the server itself refused the connection, as it does a
// wrong password: then each command looks as if it had been done, with no answer.
type refused struct{}

var _ redis.Hook = refused{}

// DialHook implements redis.Hook.
func (refused) DialHook(next redis.DialHook) redis.DialHook { return next }

// ProcessHook implements redis.Hook.
func (refused) ProcessHook(next redis.ProcessHook) redis.ProcessHook { return next }

// ProcessPipelineHook implements redis.Hook.
func (refused) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		err := next(ctx, cmds)
		if err == nil {
			return nil
		}
		for _, cmd := range cmds {
			if cmd.Err() != nil {
				return err // it was sent
			}
		}
		for _, cmd := range cmds {
			cmd.SetErr(err)
		}
		return err
	}
}
