package servertest

import (
	"context"
	"errors"
	"fmt"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"rollcall/internal/auth"
	"rollcall/internal/presence"
)

// Present gives errors the codes that the resolvers' table gives them.
func Present(ctx context.Context, err error) *gqlerror.Error {
	presented := graphql.DefaultErrorPresenter(ctx, err)
	var code string
	var invalid *presence.InvalidError
	switch {
	case errors.Is(err, auth.ErrUnauthenticated):
		code = "UNAUTHENTICATED"
	case errors.As(err, &invalid):
		code = "BAD_USER_INPUT"
	case errors.Is(err, errPanic):
		code = "INTERNAL"
	default:
		return presented
	}
	presented.Extensions = map[string]any{"code": code}
	return presented
}

var errPanic = errors.New("a panic")

// Recover turns a panic into an error that [Present] calls INTERNAL.
func Recover(_ context.Context, panicked any) error {
	return fmt.Errorf("%w: %v", errPanic, panicked)
}
