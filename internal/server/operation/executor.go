// Package operation makes operations of requests.
package operation

import (
	"context"
	"fmt"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/errcode"
	"github.com/99designs/gqlgen/graphql/executor"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/validator"
)

// Executor is gqlgen's, but for what comes before an operation is executed. Documents are read by somebody who bounds what
// that costs. And variables that are plainly of the right types are taken as they are: gqlgen looks at them by reflection, which costs a request of
// many heartbeats more than to decode it. Anything unusual about variables goes gqlgen's way, and so does everything that is
// wrong with them: what is refused, and in which words, is gqlgen's to say.
type Executor struct {
	gqlgen  *executor.Executor
	schema  *ast.Schema
	options Options

	parameters []graphql.OperationParameterMutator
	operations []graphql.OperationContextMutator
	onField    graphql.FieldMiddleware // nil: none
}

var _ graphql.GraphExecutor = (*Executor)(nil)

// Documents reads documents.
type Documents interface {
	// Read is the valid document of a text, or what is wrong with it.
	Read(ctx context.Context, text string) (*ast.QueryDocument, gqlerror.List)
}

// Options are what an [Executor] needs besides the schema.
type Options struct {
	Documents Documents
	// Present turns an error into what the client sees of it.
	Present graphql.ErrorPresenterFunc
	// Recover turns a panic into an error.
	Recover graphql.RecoverFunc
}

// NewExecutor makes the executor of a schema.
func NewExecutor(schema graphql.ExecutableSchema, o Options) *Executor {
	e := &Executor{gqlgen: executor.New(schema), schema: schema.Schema(), options: o}
	e.gqlgen.SetErrorPresenter(o.Present)
	e.gqlgen.SetRecoverFunc(o.Recover)
	return e
}

// Use adds what else is to be done with requests, operations, fields and responses. It panics for an extension that
// intercepts root fields, which operations made here would pass by.
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
		if err := m.MutateOperationParameters(ctx, params); err != nil {
			return op, gqlerror.List{err}
		}
	}
	op.RawQuery, op.OperationName, op.Extensions, op.Headers = params.Query, params.OperationName, params.Extensions, params.Headers
	if errs := e.read(ctx, op, params.Variables); len(errs) > 0 {
		return op, errs
	}
	for _, m := range e.operations {
		if err := m.MutateOperationContext(ctx, op); err != nil {
			return op, gqlerror.List{err}
		}
	}
	return op, nil
}

// read gives op its document, operation and variables.
func (e *Executor) read(ctx context.Context, op *graphql.OperationContext, sent map[string]any) gqlerror.List {
	document, errs := e.options.Documents.Read(ctx, op.RawQuery)
	if len(errs) > 0 {
		return errs
	}
	op.Doc, op.Operation = document, document.Operations.ForName(op.OperationName)
	if op.Operation == nil {
		return invalid(gqlerror.Errorf("operation %s not found", op.OperationName))
	}
	var plain bool
	if op.Variables, plain = variables(e.schema, op.Operation.VariableDefinitions, sent); plain {
		return nil
	}
	var err error
	if op.Variables, err = validator.VariableValues(e.schema, op.Operation, sent); err != nil {
		return invalid(gqlerror.WrapIfUnwrapped(err))
	}
	return nil
}

func invalid(err *gqlerror.Error) gqlerror.List {
	errcode.Set(err, errcode.ValidationFailed)
	return gqlerror.List{err}
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
