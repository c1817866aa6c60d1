// Package execution runs operations for the transports that stream their answers, WebSocket and SSE.
package execution

import (
	"context"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"rollcall/internal/server/response"
)

// Prepare parses and validates an operation. One that can't be run is nil, and refusal says why in the words
// for the client.
func Prepare(
	ctx context.Context, exec graphql.GraphExecutor, params *graphql.RawParams,
) (op *graphql.OperationContext, refusal gqlerror.List) {
	op, errs := exec.CreateOperationContext(graphql.StartOperationTrace(ctx), params)
	if len(errs) > 0 {
		return nil, exec.DispatchError(graphql.WithOperationContext(ctx, op), errs).Errors
	}
	return op, nil
}

// Drain hands each of an operation's responses, encoded as JSON, to send. It returns when the operation or ctx
// has ended, or send has failed. A payload stays as it is after send has returned, so it may be queued.
//
// A panic outside of the resolvers, where gqlgen does not guard, ends the operation; failure is then what to
// tell the client.
func Drain(
	ctx context.Context, op *graphql.OperationContext, responses Responses, send func(payload []byte) error,
) (failure gqlerror.List) {
	defer func() {
		if r := recover(); r != nil {
			failure = recovered(ctx, op, r)
		}
	}()
	for ctx.Err() == nil {
		answer := responses()
		if answer == nil || send(response.Encode(answer)) != nil {
			return nil
		}
	}
	return nil
}

// recovered is what the client is told of a panic: what the server's recover function makes of it. No response
// interceptor gets to see it, since one of them may be what has panicked.
func recovered(ctx context.Context, op *graphql.OperationContext, panicked any) gqlerror.List {
	return gqlerror.List{gqlerror.WrapIfUnwrapped(op.RecoverFunc(ctx, panicked))}
}
