package resolvers

import (
	"context"
	"sync/atomic"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
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

// streams adds to gqlgen what it lacks for subscriptions: an error that ends
// one whatever the transport, and paths that begin with the subscription's field.
type streams struct{}

var _ interface {
	graphql.HandlerExtension
	graphql.OperationInterceptor
	graphql.ResponseInterceptor
} = streams{}

type failureKey struct{}

// failure is why a subscription ended; it is taken once.
type failure struct{ err atomic.Pointer[error] }

func fail(ctx context.Context, err error) { ctx.Value(failureKey{}).(*failure).err.Store(&err) }

// ExtensionName names the extension in gqlgen's statistics.
func (streams) ExtensionName() string { return "Streams" }

// Validate has nothing to check.
func (streams) Validate(graphql.ExecutableSchema) error { return nil }

// InterceptOperation makes room for the error that a subscription may end with.
func (streams) InterceptOperation(ctx context.Context, next graphql.OperationHandler) graphql.ResponseHandler {
	if graphql.GetOperationContext(ctx).Operation.Operation == ast.Subscription {
		ctx = context.WithValue(ctx, failureKey{}, new(failure))
	}
	return next(ctx)
}

// InterceptResponse makes an answer of the error once the events are over.
func (streams) InterceptResponse(ctx context.Context, next graphql.ResponseHandler) *graphql.Response {
	failed, ok := ctx.Value(failureKey{}).(*failure)
	if !ok {
		return next(ctx)
	}
	ctx = withSubscriptionField(ctx)
	if response := next(ctx); response != nil {
		return response
	}
	err := failed.err.Swap(nil)
	if err == nil {
		return nil
	}
	graphql.AddError(ctx, *err)
	return &graphql.Response{Errors: graphql.GetErrors(ctx)}
}

// withSubscriptionField is ctx within the field that is subscribed to. gqlgen
// gives it to the resolver of the subscription only, so that errors in an event would
// have paths that begin below it.
func withSubscriptionField(ctx context.Context) context.Context {
	op := graphql.GetOperationContext(ctx)
	fields := graphql.CollectFields(op, op.Operation.SelectionSet, []string{"Subscription"})
	if len(fields) != 1 {
		return ctx
	}
	return graphql.WithFieldContext(ctx, &graphql.FieldContext{Object: "Subscription", Field: fields[0]})
}
