// Package auth says who is calling: it checks tokens and carries the caller
// through the context of a request.
package auth

import (
	"context"
	"errors"
	"time"
)

// Role is what a caller may do.
type Role string

// The roles. An ADMIN may do all that a SERVICE may, and a SERVICE what a USER may.
const (
	User    Role = "USER"
	Service Role = "SERVICE"
	Admin   Role = "ADMIN"
)

// Errors of authentication and authorisation.
var (
	// ErrUnauthenticated: no token, or one that is malformed, forged or expired.
	ErrUnauthenticated = errors.New("not authenticated")
	// ErrForbidden: the caller's role does not allow this.
	ErrForbidden = errors.New("not allowed")
	// ErrUnavailable: the keys that would tell whether a token is good can't be fetched at the moment.
	ErrUnavailable = errors.New("tokens can't be checked at the moment")
)

// TokenError is an ErrUnauthenticated that says why, in words fit for the client: they hold no
// part of the token.
type TokenError struct{ Reason string }

func (r *TokenError) Error() string { return ErrUnauthenticated.Error() + ": " + r.Reason }

// Unwrap is ErrUnauthenticated.
func (r *TokenError) Unwrap() error { return ErrUnauthenticated }

// Caller is who is calling.
type Caller struct {
	ID   string // a valid user id
	Role Role
	// ExpiresAt is when the token ends; zero if it doesn't.
	ExpiresAt time.Time
}

// Authenticator checks tokens.
type Authenticator interface {
	// Authenticate is the caller whom the value of an Authorization header
	// ("Bearer …") names, or a [*TokenError], or an [ErrUnavailable] error.
	Authenticate(ctx context.Context, authorization string) (Caller, error)
}

type callerKey struct{}

// WithCaller is ctx with its caller.
func WithCaller(ctx context.Context, c Caller) context.Context {
	return context.WithValue(ctx, callerKey{}, c)
}

// WithStranger is ctx with a caller who is nobody in particular, for an answer that many
// callers get: what depends on who asks shows in it as it does to strangers.
func WithStranger(ctx context.Context) context.Context { return WithCaller(ctx, Caller{Role: User}) }

// FromContext is the caller of ctx, or ErrUnauthenticated.
func FromContext(ctx context.Context) (Caller, error) {
	c, ok := ctx.Value(callerKey{}).(Caller)
	if !ok {
		return Caller{}, ErrUnauthenticated
	}
	return c, nil
}

// Require is the caller of ctx if their role is one of roles; otherwise
// ErrUnauthenticated or ErrForbidden.
func Require(ctx context.Context, roles ...Role) (Caller, error) {
	c, err := FromContext(ctx)
	if err != nil {
		return Caller{}, err
	}
	for _, r := range roles {
		if c.Role == r {
			return c, nil
		}
	}
	return Caller{}, ErrForbidden
}
