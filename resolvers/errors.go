package resolvers

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"runtime/debug"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"rollcall/internal/auth"
	"rollcall/internal/feed"
	"rollcall/internal/presence"
	"rollcall/internal/users"
)

// The codes in extensions.code, besides gqlgen's own: GRAPHQL_PARSE_FAILED, also
// of a document with too many tokens, and GRAPHQL_VALIDATION_FAILED.
const (
	codeUnauthenticated = "UNAUTHENTICATED"
	codeForbidden       = "FORBIDDEN"
	codeBadUserInput    = "BAD_USER_INPUT"
	codeSessionReplaced = "SESSION_REPLACED"
	codeSessionEnded    = "SESSION_ENDED"
	codeRateLimited     = "RATE_LIMITED"
	codeUnavailable     = "UNAVAILABLE"
	codeInternal        = "INTERNAL"
)

// retryAfter is how long to wait where whoever failed doesn't say.
const retryAfter = time.Second

// verdict is what the client is told of an error.
type verdict struct {
	code    string
	message string
	// retry goes with RATE_LIMITED and UNAVAILABLE.
	retry time.Duration
}

// judge is the one table from errors to what the client is told of them.
func judge(err error) verdict {
	var invalid *presence.InvalidError
	var limited *presence.RateLimitedError
	var unavailable *presence.UnavailableError
	var refused *auth.TokenError
	switch {
	case errors.As(err, &invalid):
		return verdict{code: codeBadUserInput, message: invalid.Message}
	case errors.As(err, &refused):
		return verdict{code: codeUnauthenticated, message: refused.Error()}
	case errors.Is(err, auth.ErrUnauthenticated):
		return verdict{code: codeUnauthenticated, message: auth.ErrUnauthenticated.Error()}
	case errors.Is(err, auth.ErrForbidden):
		return verdict{code: codeForbidden, message: auth.ErrForbidden.Error()}
	case errors.Is(err, presence.ErrSessionReplaced):
		return verdict{code: codeSessionReplaced, message: presence.ErrSessionReplaced.Error()}
	case errors.Is(err, presence.ErrSessionEnded):
		return verdict{code: codeSessionEnded, message: presence.ErrSessionEnded.Error()}
	case errors.As(err, &limited):
		return verdict{codeRateLimited, limited.Message, limited.RetryAfter}
	case errors.As(err, &unavailable):
		return verdict{codeUnavailable, unavailable.Public(), unavailable.RetryAfter}
	case errors.Is(err, auth.ErrUnavailable):
		return verdict{codeUnavailable, auth.ErrUnavailable.Error(), retryAfter}
	case errors.Is(err, users.ErrUnavailable):
		return verdict{codeUnavailable, users.ErrUnavailable.Error(), retryAfter}
	case errors.Is(err, feed.ErrStopped):
		return verdict{codeUnavailable, "the server is stopping", retryAfter}
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return verdict{codeUnavailable, "the request was given up before it was answered", retryAfter}
	}
	return verdict{code: codeInternal, message: "internal error"}
}

// errorTable puts errors into the contract's terms.
type errorTable struct{ log *slog.Logger }

// present is a [graphql.ErrorPresenterFunc]. An error that has a code keeps it:
// it is gqlgen's, of the parser or the validation, or of recover.
func (t errorTable) present(ctx context.Context, err error) *gqlerror.Error {
	told, ok := errors.AsType[*gqlerror.Error](err)
	if !ok {
		told = gqlerror.WrapPath(graphql.GetPath(ctx), err)
	}
	if _, coded := told.Extensions["code"]; coded {
		return told
	}
	if told.Unwrap() == nil {
		// Not from a resolver, so a transport couldn't make sense of the request.
		return t.tell(ctx, told, verdict{code: codeBadUserInput, message: told.Message})
	}
	v := judge(told.Unwrap())
	if v.code == codeInternal && ctx.Err() != nil {
		v = judge(ctx.Err()) // not every driver says that this was the reason
	}
	return t.tell(ctx, told, v)
}

// tell is the error as the client sees it. This is where errors are handled, and
// so logged. What is unavailable is told of at debug level only: the store's
// outage is logged once by the sweeper and the feed, and that of the user details
// by their directory, where each request would say it again.
func (t errorTable) tell(ctx context.Context, err *gqlerror.Error, v verdict) *gqlerror.Error {
	extensions := map[string]any{"code": v.code}
	switch v.code {
	case codeInternal:
		id := rand.Text()
		extensions["id"] = id
		t.log.ErrorContext(ctx, "internal error", "id", id, "path", err.Path.String(), "err", err.Unwrap())
	case codeUnavailable:
		extensions["retryAfterMs"] = v.retry.Milliseconds()
		t.log.DebugContext(ctx, "unavailable", "path", err.Path.String(), "err", err.Unwrap())
	case codeRateLimited:
		extensions["retryAfterMs"] = v.retry.Milliseconds()
	}
	return &gqlerror.Error{
		Message: v.message, Path: err.Path, Locations: err.Locations, Extensions: extensions,
	}
}

// recover is a [graphql.RecoverFunc].
func (t errorTable) recover(ctx context.Context, panicked any) error {
	id := rand.Text()
	t.log.ErrorContext(ctx, "panic", "id", id, "panic", panicked, "stack", string(debug.Stack()))
	return &gqlerror.Error{
		Message: "internal error", Extensions: map[string]any{"code": codeInternal, "id": id},
	}
}
