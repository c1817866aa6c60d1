// Package share lets callers who ask the same have one answer.
//
// Whom an answer is for is its scope: all callers of one scope get the same, and everybody
// does if it is empty.
package share

import (
	"context"

	"rollcall/internal/auth"
)

// Context is ctx for making the answer for a scope. It does not end with that of the one who
// asked first, since others wait for the answer too; what is for everybody is made without a caller.
func Context(ctx context.Context, scope string) context.Context {
	ctx = context.WithoutCancel(ctx)
	if scope == "" {
		return auth.WithStranger(ctx)
	}
	return ctx
}
