// Package operation makes operations of requests.
package operation

import (
	"context"
	"fmt"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/executor"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
)

// Executor is gqlgen's, with a shorter way to an operation for what nearly all requests are: a document that was seen before,
// with variables that are plainly of the right types. gqlgen looks at variables by reflection, which costs a request of
// many heartbeats more than to decode it. Anything unusual goes gqlgen's way, and so does everything that is
// wrong: what is refused, and in which words, is gqlgen's to say.
type Executor struct {
	gqlgen  *executor.Executor
	schema  *ast.Schema
	options Options

	parameters []graphql.OperationParameterMutator
	operations []graphql.OperationContextMutator
	onField    graphql.FieldMiddleware // nil: none
}

var _ graphql.GraphExecutor = (*Executor)(nil)

// Options are what an [Executor] needs besides the schema.
type Options struct {
	// Documents keeps documents that are valid.
	Documents graphql.Cache[*ast.QueryDocument]
	// Tokens is how many a document may have.
	Tokens int
	// Present turns an error into what the client sees of it.
	Present graphql.ErrorPresenterFunc
	// Recover turns a panic into an error.
	Recover graphql.RecoverFunc
}

// NewExecutor makes the executor of a schema.
func NewExecutor(schema graphql.ExecutableSchema, o Options) *Executor {
	e := &Executor{gqlgen: executor.New(schema), schema: schema.Schema(), options: o}
	e.gqlgen.SetQueryCache(o.Documents)
	e.gqlgen.SetParserTokenLimit(o.Tokens)
	e.gqlgen.SetErrorPresenter(o.Present)
	e.gqlgen.SetRecoverFunc(o.Recover)
	return e
}

// Use adds what else is to be done with requests, operations, fields and responses. It panics for an extension that
// intercepts root fields, which operations of known documents would pass by.
func (e *Executor) Use(extension graphql.HandlerExtension) {
	if _, ok := extension.(graphql.RootFieldInterceptor); ok {
		panic(fmt.Errorf("%s must intercept fields instead of root fields", extension.ExtensionName()))
	}
	e.gqlgen.Use(extension)
	if m, ok := extension.(graphql.OperationParameterMutator); ok {
		e.parameters = append(e.parameters, m)
	}
	if m, ok := extension.(graphql.OperationContextMutator); ok {
		e.operations = append(e.operations, m)
	}
	if i, ok := extension.(graphql.FieldInterceptor); ok {
		e.onField = within(e.onField, i.InterceptField)
	}
}

// within is inner with outer around it, if there is one.
func within(outer, inner graphql.FieldMiddleware) graphql.FieldMiddleware {
	if outer == nil {
		return inner
	}
	return func(ctx context.Context, next graphql.Resolver) (any, error) {
		return outer(ctx, func(ctx context.Context) (any, error) { return inner(ctx, next) })
	}
}

// AroundOperations adds what is to be done with operations.
func (e *Executor) AroundOperations(f graphql.OperationMiddleware) { e.gqlgen.AroundOperations(f) }

// CreateOperationContext implements [graphql.GraphExecutor].
func (e *Executor) CreateOperationContext(ctx context.Context, params *graphql.RawParams) (*graphql.OperationContext, gqlerror.List) {
	if op := e.known(ctx, params); op != nil {
		return op, nil
	}
	return e.gqlgen.CreateOperationContext(ctx, params)
}

// known is the operation of a request that has nothing unusual about it; nil if it has.
func (e *Executor) known(ctx context.Context, params *graphql.RawParams) *graphql.OperationContext {
	op := &graphql.OperationContext{
		DisableIntrospection: true,
		RecoverFunc:          e.options.Recover,
		ResolverMiddleware:   e.onField,
		RootResolverMiddleware: func(ctx context.Context, next graphql.RootResolver) graphql.Marshaler {
			return next(ctx)
		},
	}
	if op.ResolverMiddleware == nil {
		op.ResolverMiddleware = func(ctx context.Context, next graphql.Resolver) (any, error) { return next(ctx) }
	}
	ctx = graphql.WithOperationContext(ctx, op)
	for _, m := range e.parameters {
		if m.MutateOperationParameters(ctx, params) != nil {
			return nil
		}
	}
	op.RawQuery, op.OperationName, op.Extensions, op.Headers = params.Query, params.OperationName, params.Extensions, params.Headers
	document, found := e.options.Documents.Get(ctx, params.Query)
	if !found {
		return nil
	}
	op.Doc, op.Operation = document, document.Operations.ForName(params.OperationName)
	if op.Operation == nil {
		return nil
	}
	var plain bool
	if op.Variables, plain = variables(e.schema, op.Operation.VariableDefinitions, params.Variables); !plain {
		return nil
	}
	for _, m := range e.operations {
		if m.MutateOperationContext(ctx, op) != nil {
			return nil
		}
	}
	return op
}

// DispatchOperation implements [graphql.GraphExecutor].
func (e *Executor) DispatchOperation(ctx context.Context, op *graphql.OperationContext) (graphql.ResponseHandler, context.Context) {
	return e.gqlgen.DispatchOperation(ctx, op)
}

// DispatchError implements [graphql.GraphExecutor].
func (e *Executor) DispatchError(ctx context.Context, list gqlerror.List) *graphql.Response {
	return e.gqlgen.DispatchError(ctx, list)
}

// PresentRecoveredError is what the client sees of a panic.
func (e *Executor) PresentRecoveredError(ctx context.Context, panicked any) error {
	return e.gqlgen.PresentRecoveredError(ctx, panicked)
}
