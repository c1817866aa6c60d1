package servertest

import (
	"context"
	"fmt"
	"strings"
	"time"

	"rollcall/internal/auth"
)

// Authenticator knows the tokens "Bearer NAME" of any lower-case name but "bad".
type Authenticator struct {
	// ExpiresAt is when tokens expire; zero is never.
	ExpiresAt time.Time
}

var _ auth.Authenticator = Authenticator{}

// Authenticate is the caller of a token.
func (a Authenticator) Authenticate(_ context.Context, authorization string) (auth.Caller, error) {
	name, ok := strings.CutPrefix(authorization, "Bearer ")
	if !ok || name == "bad" || name == "" {
		return auth.Caller{}, fmt.Errorf("%w: the token is not valid", auth.ErrUnauthenticated)
	}
	return auth.Caller{ID: name, Role: auth.User, ExpiresAt: a.ExpiresAt}, nil
}
