package server

import (
	"net/http"

	"github.com/99designs/gqlgen/graphql"

	"rollcall/internal/auth"
	"rollcall/internal/presence"
	"rollcall/internal/server/refusal"
)

// rejection is why a request is not executed, and the HTTP status that says so.
type rejection struct {
	status int
	err    error
}

// malformed is the rejection of a request that makes no sense.
func malformed(status int, message string) *rejection {
	return &rejection{status, presence.Invalid("%s", message)}
}

// needsToken is the rejection of a request that is larger than one without a token may be. It is not called too
// large, since with a token the same request is welcome.
func needsToken() *rejection { return &rejection{http.StatusUnauthorized, auth.ErrUnauthenticated} }

func reject(w http.ResponseWriter, r *http.Request, present graphql.ErrorPresenterFunc, why *rejection) {
	if why.status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", "Bearer")
	}
	refusal.Write(w, why.status, present(r.Context(), why.err))
}
