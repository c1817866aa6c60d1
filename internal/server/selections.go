package server

import (
	"context"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/errcode"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"rollcall/internal/server/limit"
)

// selections refuses operations that a small document makes large: fragments that spread
// each other double with each level. It also refuses what the validator lets pass of the
// rule that a subscription has one field.
type selections struct{}

var _ interface {
	graphql.HandlerExtension
	graphql.OperationContextMutator
} = selections{}

// ExtensionName names the extension in gqlgen's statistics.
func (selections) ExtensionName() string { return "Selections" }

// Validate has nothing to check.
func (selections) Validate(graphql.ExecutableSchema) error { return nil }

// MutateOperationContext refuses an operation; it changes nothing.
func (selections) MutateOperationContext(_ context.Context, op *graphql.OperationContext) *gqlerror.Error {
	if count(op.Operation.SelectionSet, limit.Selections) == 0 {
		return invalid("the operation selects more than %d fields", limit.Selections)
	}
	if op.Operation.Operation == ast.Subscription &&
		len(graphql.CollectFields(op, op.Operation.SelectionSet, []string{"Subscription"})) != 1 {
		return invalid("a subscription has exactly one field")
	}
	return nil
}

// count walks a selection with its fragments and returns what is left of an allowance of fields; 0
// as soon as it is used up, so that it takes no longer than the allowance.
func count(set ast.SelectionSet, left int) int {
	for _, s := range set {
		if left == 0 {
			return 0
		}
		switch s := s.(type) {
		case *ast.Field:
			left = count(s.SelectionSet, left-1)
		case *ast.InlineFragment:
			left = count(s.SelectionSet, left-1)
		case *ast.FragmentSpread:
			left = count(s.Definition.SelectionSet, left-1)
		}
	}
	return left
}

func invalid(format string, args ...any) *gqlerror.Error {
	err := gqlerror.Errorf(format, args...)
	errcode.Set(err, errcode.ValidationFailed)
	return err
}
