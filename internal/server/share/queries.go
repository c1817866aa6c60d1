package share

import (
	"context"
	"sync"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/gqlerror"
)

// Scope says whom the answer to an operation is for; ok is false for an operation whose answers are not to be shared.
type Scope func(ctx context.Context, op *graphql.OperationContext) (scope string, ok bool)

// Queries shares executions as a group commit shares a write: queries that come while one like
// them is being answered wait, and are answered together by the next execution. So
// an answer is never older than its question, and whoever has just sent a heartbeat, by
// whichever node, finds it in the answer. A query that nobody else asks does not wait.
type Queries struct {
	scope Scope
	// longest is how long a query waits for the execution before its own.
	longest time.Duration

	mu      sync.Mutex
	pending map[key]*execution // the latest of each key
}

var _ interface {
	graphql.HandlerExtension
	graphql.OperationInterceptor
} = (*Queries)(nil)

// NewQueries shares what scope allows. A query waits for another's execution for at most
// longest before it has one of its own; 0 shares nothing.
func NewQueries(longest time.Duration, scope Scope) *Queries {
	return &Queries{scope: scope, longest: longest, pending: make(map[key]*execution)}
}

// execution is one execution for all who came before it began.
type execution struct {
	before *execution // that it waits for; nil: none
	begun  bool       // Queries.mu guards it
	done   chan struct{}

	response *graphql.Response // once done
}

// ExtensionName names the extension in gqlgen's statistics.
func (*Queries) ExtensionName() string { return "SharedQueries" }

// Validate has nothing to check.
func (*Queries) Validate(graphql.ExecutableSchema) error { return nil }

// InterceptOperation gives a query that may be shared the response of a shared execution.
func (q *Queries) InterceptOperation(ctx context.Context, next graphql.OperationHandler) graphql.ResponseHandler {
	op := graphql.GetOperationContext(ctx)
	scope, ok := q.scope(ctx, op)
	if q.longest <= 0 || !ok {
		return next(ctx)
	}
	k, err := keyOf(op, op.Variables, scope)
	if err != nil {
		return next(ctx)
	}
	told := false
	return func(ctx context.Context) *graphql.Response {
		if told {
			return nil
		}
		told = true
		return q.answer(ctx, k, func() (response *graphql.Response) {
			defer func() {
				if r := recover(); r != nil {
					response = &graphql.Response{Errors: gqlerror.List{gqlerror.WrapIfUnwrapped(op.RecoverFunc(ctx, r))}}
				}
			}()
			ctx := Context(ctx, scope)
			return next(ctx)(ctx)
		})
	}
}

// answer is the response of an execution that began after the call; nil if ctx ends before. execute must not panic.
func (q *Queries) answer(ctx context.Context, k key, execute func() *graphql.Response) *graphql.Response {
	q.mu.Lock()
	e := q.pending[k]
	if e != nil && !e.begun {
		q.mu.Unlock()
		select {
		case <-e.done:
			return e.response
		case <-ctx.Done():
			return nil
		}
	}
	e = &execution{before: e, done: make(chan struct{})}
	q.pending[k] = e
	q.mu.Unlock()
	q.lead(k, e, execute)
	return e.response
}

// lead executes for all who have joined e until it begins.
func (q *Queries) lead(k key, e *execution, execute func() *graphql.Response) {
	if e.before != nil {
		wait := time.NewTimer(q.longest)
		defer wait.Stop()
		select {
		case <-e.before.done:
		case <-wait.C:
		}
		e.before = nil
	}
	q.mu.Lock()
	e.begun = true
	q.mu.Unlock()
	e.response = execute()
	q.mu.Lock()
	if q.pending[k] == e {
		delete(q.pending, k)
	}
	q.mu.Unlock()
	close(e.done)
}
