// Package execution runs operations for the transports that stream their answers, WebSocket and SSE.
package execution

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/gqlerror"
)

// Prepare parses and validates an operation. One that can't be run is nil, and refusal says why in the words
// for the client.
func Prepare(
	ctx context.Context, exec graphql.GraphExecutor, params *graphql.RawParams,
) (op *graphql.OperationContext, refusal gqlerror.List) {
	op, errs := exec.CreateOperationContext(ctx, params)
	if len(errs) > 0 {
		return nil, exec.DispatchError(graphql.WithOperationContext(ctx, op), errs).Errors
	}
	return op, nil
}

// Run executes an operation and hands each of its responses, encoded as JSON, to send. It returns when the
// operation or ctx has ended, or send has failed. A payload stays as it is after send has returned, so it may
// be queued and shared, but not changed.
//
// A panic outside of the resolvers, where gqlgen does not guard, ends the operation; failure is then what to
// tell the client.
func Run(
	ctx context.Context, exec graphql.GraphExecutor, op *graphql.OperationContext, send func(payload []byte) error,
) (failure gqlerror.List) {
	defer func() {
		if r := recover(); r != nil {
			failure = recovered(ctx, exec, op, r)
		}
	}()
	next, ctx := exec.DispatchOperation(ctx, op)
	for ctx.Err() == nil {
		response := next(ctx)
		if response == nil {
			return nil
		}
		// Encoded at once: gqlgen writes the next event into the same buffer.
		payload, err := json.Marshal(response)
		if err != nil {
			panic(fmt.Errorf("encode a response: %w", err)) // only broken generated code gives invalid JSON
		}
		if send(payload) != nil {
			return nil
		}
	}
	return nil
}

// recovered logs a panic, by the server's recover function, and gives the errors for the client. The response
// interceptors that present them may be what panicked, and a second panic here would end the process.
func recovered(
	ctx context.Context, exec graphql.GraphExecutor, op *graphql.OperationContext, panicked any,
) (errs gqlerror.List) {
	internal := gqlerror.List{{Message: "internal error", Extensions: map[string]any{"code": "INTERNAL"}}}
	err := op.Recover(ctx, panicked)
	defer func() {
		if recover() != nil {
			errs = internal
		}
	}()
	if told, ok := errors.AsType[*gqlerror.Error](err); ok {
		return exec.DispatchError(graphql.WithOperationContext(ctx, op), gqlerror.List{told}).Errors
	}
	return internal
}
