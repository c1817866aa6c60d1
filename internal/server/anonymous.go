package server

import (
	"context"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"rollcall/internal/auth"
)

// refuseAnonymous lets a caller without a token do nothing but introspection. Anything else is answered by
// exactly one error, which for a subscription is also the end.
func refuseAnonymous(present graphql.ErrorPresenterFunc) graphql.OperationMiddleware {
	return func(ctx context.Context, next graphql.OperationHandler) graphql.ResponseHandler {
		_, err := auth.FromContext(ctx)
		if err == nil || introspects(graphql.GetOperationContext(ctx).Operation) {
			return next(ctx)
		}
		return graphql.OneShot(&graphql.Response{Errors: gqlerror.List{present(ctx, err)}})
	}
}

// introspects says whether an operation asks about the schema and nothing else.
func introspects(op *ast.OperationDefinition) bool {
	return op.Operation == ast.Query && onlyMeta(op.SelectionSet)
}

func onlyMeta(selections ast.SelectionSet) bool {
	for _, s := range selections {
		switch s := s.(type) {
		case *ast.Field:
			if s.Name != "__schema" && s.Name != "__type" && s.Name != "__typename" {
				return false
			}
		case *ast.InlineFragment:
			if !onlyMeta(s.SelectionSet) {
				return false
			}
		case *ast.FragmentSpread: // the document is valid, so fragments exist and have no cycles
			if !onlyMeta(s.Definition.SelectionSet) {
				return false
			}
		}
	}
	return true
}
