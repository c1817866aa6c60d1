package resolvers

import (
	"context"
	"sync/atomic"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"rollcall/dataloader"
)

// answers gives each answer loaders of its own, and adds to gqlgen what it lacks
// for subscriptions: an error that ends one whatever the transport, and paths that
// begin with the subscription's field.
type answers struct {
	directory dataloader.Directory
	presences dataloader.Presences
}

var _ interface {
	graphql.HandlerExtension
	graphql.OperationInterceptor
	graphql.ResponseInterceptor
} = answers{}

// ExtensionName names the extension in gqlgen's statistics.
func (answers) ExtensionName() string { return "Answers" }

// Validate has nothing to check.
func (answers) Validate(graphql.ExecutableSchema) error { return nil }

// running is a subscription as its resolver and its answers share it.
type running struct {
	// failure is why it ended; it is taken once.
	failure atomic.Pointer[error]
}

type runningKey struct{}

func fail(ctx context.Context, err error) { ctx.Value(runningKey{}).(*running).failure.Store(&err) }

// InterceptOperation makes a subscription's answers know of each other.
func (answers) InterceptOperation(ctx context.Context, next graphql.OperationHandler) graphql.ResponseHandler {
	if graphql.GetOperationContext(ctx).Operation.Operation == ast.Subscription {
		ctx = context.WithValue(ctx, runningKey{}, new(running))
	}
	return next(ctx)
}

// InterceptResponse is the next answer; once the events are
// over it makes one of the error that ended them.
func (a answers) InterceptResponse(ctx context.Context, next graphql.ResponseHandler) *graphql.Response {
	sub, ok := ctx.Value(runningKey{}).(*running)
	if !ok {
		return next(dataloader.With(ctx, a.directory, a.presences))
	}
	ctx = withSubscriptionField(ctx)
	if answer := next(dataloader.With(ctx, a.directory, a.presences)); answer != nil {
		return answer
	}
	err := sub.failure.Swap(nil)
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
