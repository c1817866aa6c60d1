package server

import (
	"slices"

	"github.com/vektah/gqlparser/v2/ast"
)

// hasNull says whether a variable is null: few operations need a closer look.
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
