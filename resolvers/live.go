package resolvers

import (
	"context"

	"github.com/99designs/gqlgen/graphql"

	"rollcall/internal/auth"
	"rollcall/internal/live"
)

// scopeHere is whom the answers to the current field are for.
func scopeHere(ctx context.Context, caller auth.Caller) string {
	return scopeOf(graphql.GetOperationContext(ctx), graphql.GetFieldContext(ctx).Field.Selections, caller)
}

// answer is the channel of the one answer that an item makes, by value; or of an error,
// which is the last.
func answer[T any](ctx context.Context, item live.Item, value func() T) <-chan T {
	out := make(chan T, 1)
	defer close(out)
	if end, ok := item.(live.End); ok {
		fail(ctx, end.Err)
		return out
	}
	out <- value()
	return out
}

// accepted is the channel of a subscription whose transport takes its answers itself.
func accepted[T any](o *live.Offer, s live.Subscription) <-chan T {
	o.Accept(s)
	none := make(chan T)
	close(none)
	return none
}
