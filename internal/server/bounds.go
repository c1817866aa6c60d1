package server

import (
	"context"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/errcode"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"rollcall/internal/server/document"
)

// bounds refuses operations that come to more than a document shows: by fragments that spread each other, by the length
// of lists, by variables. It also refuses what the validator lets pass: a
// subscription that has not one field, and null for whether a field is selected, at which gqlgen panics.
type bounds struct {
	weigh         document.Weigh
	introspection bool
	// charge takes what an operation costs from what its caller may cost.
	charge func(ctx context.Context, cost int) error
}

var _ interface {
	graphql.HandlerExtension
	graphql.OperationContextMutator
} = bounds{}

// ExtensionName names the extension in gqlgen's statistics.
func (bounds) ExtensionName() string { return "Bounds" }

// Validate has nothing to check.
func (bounds) Validate(graphql.ExecutableSchema) error { return nil }

// MutateOperationContext refuses an operation, or lets introspection have its way; nothing else of it changes.
func (b bounds) MutateOperationContext(ctx context.Context, op *graphql.OperationContext) *gqlerror.Error {
	cost, err := document.Cost(op.Operation, op.Variables, b.weigh)
	if err != nil {
		return err
	}
	if hasNull(op.Variables) && nullDecides(op.Variables, op.Operation.SelectionSet) {
		return invalid("a variable that is null says what to skip or include")
	}
	if op.Operation.Operation == ast.Subscription &&
		len(graphql.CollectFields(op, op.Operation.SelectionSet, []string{"Subscription"})) != 1 {
		return invalid("a subscription has exactly one field")
	}
	op.DisableIntrospection = !b.introspection
	if op.DisableIntrospection && op.Operation.Operation == ast.Query {
		for field := range document.Fields(op.Operation.SelectionSet) {
			if asksForSchema(field) { // gqlgen would only notice as it executes it
				return invalid("introspection is disabled")
			}
		}
	}
	if err := b.charge(ctx, cost); err != nil {
		return gqlerror.Wrap(err)
	}
	return nil
}

// asksForSchema says whether a field of a query asks for the schema.
func asksForSchema(field *ast.Field) bool { return field.Name == "__schema" || field.Name == "__type" }

func invalid(format string, args ...any) *gqlerror.Error {
	err := gqlerror.Errorf(format, args...)
	errcode.Set(err, errcode.ValidationFailed)
	return err
}
