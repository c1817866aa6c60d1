package request

import (
	"context"

	"github.com/vektah/gqlparser/v2/ast"

	"rollcall/internal/auth"
	"rollcall/internal/presence"
	"rollcall/internal/server/document"
	"rollcall/internal/server/limit"
)

// heartbeats is the mutation that may be larger than all else.
const heartbeats = "heartbeats"

// MaxBytes is the most bytes that a caller may send in one request, whatever it asks for: what it asks for is known only when
// all of it has been read.
func MaxBytes(ctx context.Context) int {
	caller, err := auth.FromContext(ctx)
	switch {
	case err != nil:
		return limit.Anonymous
	case caller.Role == auth.User:
		return limit.Request
	}
	return limit.Heartbeats
}

// CheckSize says whether an operation may be asked for by a request of so many bytes, now that it is known.
func CheckSize(op *ast.OperationDefinition, bytes int) error {
	if bytes <= limit.Request || op.Operation == ast.Mutation && onlyHeartbeats(op.SelectionSet) {
		return nil
	}
	return presence.Invalid("the request is too large: only heartbeats may have more than %d bytes", limit.Request)
}

func onlyHeartbeats(selections ast.SelectionSet) bool {
	for field := range document.Fields(selections) {
		if field.Name != heartbeats {
			return false
		}
	}
	return true
}
