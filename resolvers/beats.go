package resolvers

import (
	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
)

// Beats says whether an operation is what presence lives on: a mutation, or the subscription that keeps a session.
func Beats(op *graphql.OperationContext) bool {
	switch op.Operation.Operation {
	case ast.Mutation:
		return true
	case ast.Subscription:
		for _, field := range graphql.CollectFields(op, op.Operation.SelectionSet, []string{"Subscription"}) {
			if field.Name == "session" {
				return true
			}
		}
	}
	return false
}
