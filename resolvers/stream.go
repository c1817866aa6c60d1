package resolvers

import (
	"context"

	"github.com/99designs/gqlgen/graphql"
)

// stream is the channel of a subscription: what produce sends, in a goroutine
// that ends with produce. An error of produce is the subscription's last answer.
// send waits for the subscriber; its only error is the context's.
func stream[T any](ctx context.Context, produce func(send func(T) error) error) <-chan T {
	out := make(chan T)
	go func() {
		defer close(out)
		defer func() {
			if panicked := recover(); panicked != nil {
				fail(ctx, graphql.GetOperationContext(ctx).RecoverFunc(ctx, panicked))
			}
		}()
		err := produce(func(v T) error {
			select {
			case out <- v:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		})
		if err != nil && ctx.Err() == nil {
			fail(ctx, err)
		}
	}()
	return out
}
