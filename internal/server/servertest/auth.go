package servertest

import (
	"context"
	"fmt"
	"strings"
	"time"

	"rollcall/internal/auth"
)

// Authenticator knows the tokens "Bearer NAME" of any lower-case name but "bad". The caller "gateway" is a SERVICE, and
// whether "unchecked" is who they say can't be told.
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
	role := auth.User
	switch name {
	case "gateway":
		role = auth.Service
	case "unchecked":
		return auth.Caller{}, fmt.Errorf("%w: the keys are away", auth.ErrUnavailable)
	}
	return auth.Caller{ID: name, Role: role, ExpiresAt: a.ExpiresAt}, nil
}
