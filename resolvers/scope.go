package resolvers

import (
	"context"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"rollcall/internal/auth"
)

// callersOwn are the fields below a list, an event or a count whose answer depends on who
// asks. A field that isn't here sees a stranger in an answer that is made for everybody.
var callersOwn = map[string][]string{"Presence": {"deviceId"}}

// scopeOf is whom the answer to a selection is for: "" if it is the same for every
// caller.
func scopeOf(op *graphql.OperationContext, set ast.SelectionSet, caller auth.Caller) string {
	for object, fields := range callersOwn {
		if !selectsIn(op, set, object, fields) {
			continue
		}
		if caller.Role == auth.Admin { // who sees all, as any other does
			return string(auth.Admin)
		}
		return "user " + caller.ID
	}
	return ""
}

// QueryScope says of a query that asks for nothing but the list and the count whom its
// answer is for. The answers of others are not to be shared.
func QueryScope(ctx context.Context, op *graphql.OperationContext) (scope string, ok bool) {
	caller, err := auth.FromContext(ctx)
	if err != nil || op.Operation.Operation != ast.Query {
		return "", false
	}
	for _, field := range graphql.CollectFields(op, op.Operation.SelectionSet, []string{"Query"}) {
		if field.Name != "onlineUsers" && field.Name != "onlineCount" {
			return "", false
		}
	}
	return scopeOf(op, op.Operation.SelectionSet, caller), true
}
