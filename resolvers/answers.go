package resolvers

import (
	"bytes"
	"context"
	"sync/atomic"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"rollcall/dataloader"
)

// answers gives each answer loaders of its own, and adds to gqlgen what it lacks
// for subscriptions: an error that ends one whatever the transport, paths that
// begin with the subscription's field, and answers that are told only if they
// are news.
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

	// The resolver sets changes before the first answer; all else is the answers'.
	changes bool
	told    []byte // the data of the last answer told
	clean   bool   // whether that was without errors
}

type runningKey struct{}

func fail(ctx context.Context, err error) { ctx.Value(runningKey{}).(*running).failure.Store(&err) }

// tellChanges makes the subscription of ctx, whose resolver calls it, one whose
// answers are told only if they differ from the last one told.
func tellChanges(ctx context.Context) { ctx.Value(runningKey{}).(*running).changes = true }

// isNews tells whether an answer is to be told, and keeps it in mind if so. One with
// errors always is, and so is the one after it: nobody is left with an error that
// is over, or without one that lasts.
func (r *running) isNews(answer *graphql.Response) bool {
	if !r.changes {
		return true
	}
	clean := len(answer.Errors) == 0
	if clean && r.clean && bytes.Equal(answer.Data, r.told) {
		return false
	}
	r.clean = clean
	r.told = append(r.told[:0], answer.Data...) // a copy: gqlgen writes the next answer over this one
	return true
}

// InterceptOperation makes a subscription's answers know of each other.
func (answers) InterceptOperation(ctx context.Context, next graphql.OperationHandler) graphql.ResponseHandler {
	if graphql.GetOperationContext(ctx).Operation.Operation == ast.Subscription {
		ctx = context.WithValue(ctx, runningKey{}, new(running))
	}
	return next(ctx)
}

// InterceptResponse is the next answer that is to be told; once the events are
// over it makes one of the error that ended them.
func (a answers) InterceptResponse(ctx context.Context, next graphql.ResponseHandler) *graphql.Response {
	sub, ok := ctx.Value(runningKey{}).(*running)
	if !ok {
		return next(dataloader.With(ctx, a.directory, a.presences))
	}
	ctx = withSubscriptionField(ctx)
	for {
		// Of its own for each answer: one that is not told leaves nothing behind.
		own := graphql.WithFreshResponseContext(ctx)
		answer := next(dataloader.With(own, a.directory, a.presences))
		if answer == nil {
			break
		}
		if sub.isNews(answer) {
			return answer
		}
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
