package resolvers

import (
	"context"
	"slices"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"rollcall/dataloader"
)

// What is not selected is not fetched.

// selectsDetails tells whether anything of the user directory is selected below
// the current field.
func selectsDetails(ctx context.Context) bool {
	return selects(ctx, "User", "name", "avatarUrl", "level")
}

// selectsPresence tells whether anything of the store is selected below the
// current field.
func selectsPresence(ctx context.Context) bool {
	return selects(ctx, "Presence", "status", "lastActiveAt") || selectsSession(ctx)
}

// selectsSession tells whether anything is selected below the current field
// that is in the store but not in a row of the list.
func selectsSession(ctx context.Context) bool {
	return selects(ctx, "Presence", "onlineSince", "deviceId")
}

// selects tells whether any of these fields of an object type is selected at
// any depth below the current field.
func selects(ctx context.Context, object string, fields ...string) bool {
	return selectsIn(graphql.GetOperationContext(ctx), graphql.GetFieldContext(ctx).Field.Selections, object, fields)
}

func selectsIn(op *graphql.OperationContext, set ast.SelectionSet, object string, fields []string) bool {
	// The schema has neither interfaces nor unions: every fragment applies.
	for _, f := range graphql.CollectFields(op, set, nil) {
		if f.ObjectDefinition != nil && f.ObjectDefinition.Name == object && slices.Contains(fields, f.Name) {
			return true
		}
		if selectsIn(op, f.Selections, object, fields) {
			return true
		}
	}
	return false
}

// loadDetails loads at once what is selected of these users' details below the
// current field, rather than one by one as their fields come up.
func loadDetails(ctx context.Context, userIDs []string) {
	if selectsDetails(ctx) {
		dataloader.For(ctx).LoadDetails(ctx, userIDs)
	}
}

// loadUsers is loadDetails for users from a page of the list, who may need more
// of the store as well.
func loadUsers(ctx context.Context, userIDs []string) error {
	loadDetails(ctx, userIDs)
	if selectsSession(ctx) {
		return dataloader.For(ctx).LoadPresences(ctx, userIDs)
	}
	return nil
}
