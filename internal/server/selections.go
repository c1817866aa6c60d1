package server

import (
	"context"
	"slices"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/errcode"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"rollcall/internal/server/limit"
)

// selections refuses operations that a small document makes large: fragments that spread
// each other double with each level. It also refuses what the validator lets pass: a
// subscription that has not one field, and null for whether a field is selected, at which gqlgen panics.
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
	if hasNull(op.Variables) && nullDecides(op.Variables, op.Operation.SelectionSet) {
		return invalid("a variable that is null says what to skip or include")
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

func hasNull(variables map[string]any) bool {
	for _, value := range variables {
		if value == nil {
			return true
		}
	}
	return false
}

// nullDecides says whether a variable that is null is the condition of a directive.
func nullDecides(variables map[string]any, set ast.SelectionSet) bool {
	return slices.ContainsFunc(set, func(s ast.Selection) bool {
		switch s := s.(type) {
		case *ast.Field:
			return nullIsCondition(variables, s.Directives) || nullDecides(variables, s.SelectionSet)
		case *ast.InlineFragment:
			return nullIsCondition(variables, s.Directives) || nullDecides(variables, s.SelectionSet)
		case *ast.FragmentSpread:
			return nullIsCondition(variables, s.Directives) || nullDecides(variables, s.Definition.SelectionSet)
		}
		return false
	})
}

func nullIsCondition(variables map[string]any, directives ast.DirectiveList) bool {
	return slices.ContainsFunc(directives, func(d *ast.Directive) bool {
		condition := d.Arguments.ForName("if")
		if condition == nil || condition.Value.Kind != ast.Variable {
			return false
		}
		value, given := variables[condition.Value.Raw]
		return given && value == nil
	})
}

func invalid(format string, args ...any) *gqlerror.Error {
	err := gqlerror.Errorf(format, args...)
	errcode.Set(err, errcode.ValidationFailed)
	return err
}
