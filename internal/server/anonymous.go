package server

import (
	"context"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"rollcall/internal/auth"
	"rollcall/internal/server/document"
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
	if op.Operation != ast.Query {
		return false
	}
	for field := range document.Fields(op.SelectionSet) {
		if !asksForSchema(field) && field.Name != "__typename" {
			return false
		}
	}
	return true
}
