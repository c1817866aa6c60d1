package request

import (
	"net/http"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"rollcall/internal/auth"
	"rollcall/internal/presence"
	"rollcall/internal/server/refusal"
)

// Rejection is why a request is not executed, and the HTTP status that says so.
type Rejection struct {
	status int
	err    error
}

// Malformed is the rejection of a request that makes no sense. The message repeats nothing of it.
func Malformed(status int, message string) *Rejection {
	return &Rejection{status, presence.Invalid("%s", message)}
}

// needsToken is the rejection of a request that is larger than one without a token may be. It is not called too
// large, since with a token the same request is welcome.
func needsToken() *Rejection { return &Rejection{http.StatusUnauthorized, auth.ErrUnauthenticated} }

// ExpiredToken is the rejection of a stream that would end before it has begun.
func ExpiredToken() *Rejection {
	return &Rejection{http.StatusUnauthorized, &auth.TokenError{Reason: "the token has expired"}}
}

// Answer tells the client.
func (r *Rejection) Answer(w http.ResponseWriter, req *http.Request, exec graphql.GraphExecutor) {
	if r.status == http.StatusMethodNotAllowed {
		w.Header().Set("Allow", http.MethodPost)
	}
	refusal.Write(w, r.status, exec.DispatchError(req.Context(), gqlerror.List{gqlerror.Wrap(r.err)}).Errors...)
}
