package servertest

import (
	"context"
	"log/slog"

	"github.com/vektah/gqlparser/v2/gqlerror"

	"rollcall/resolvers"
)

// Present gives errors their codes, by the resolvers' table.
func Present(ctx context.Context, err error) *gqlerror.Error {
	return resolvers.ErrorPresenter(slog.New(slog.DiscardHandler))(ctx, err)
}

// Recover makes an error of a panic, by the resolvers' table.
func Recover(ctx context.Context, panicked any) error {
	return resolvers.RecoverFunc(slog.New(slog.DiscardHandler))(ctx, panicked)
}
