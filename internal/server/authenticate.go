package server

import (
	"errors"
	"net/http"
	"strings"

	"github.com/99designs/gqlgen/graphql"

	"rollcall/internal/auth"
	"rollcall/internal/server/refusal"
)

// authenticate puts the caller whom the Authorization header names into the request's context. A bad token is
// answered 401, and 503 if nobody can tell whether it is bad; a request without one goes on as anonymous. A WebSocket's handshake goes on unchecked: its token
// may come later, and a bad one is told by the close code 4403.
func authenticate(a auth.Authenticator, present graphql.ErrorPresenterFunc) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			authorization := r.Header.Get("Authorization")
			if authorization == "" || strings.EqualFold(r.Header.Get("Upgrade"), "websocket") {
				next.ServeHTTP(w, r)
				return
			}
			caller, err := a.Authenticate(r.Context(), authorization)
			if err != nil {
				status := http.StatusUnauthorized
				if errors.Is(err, auth.ErrUnavailable) {
					status = http.StatusServiceUnavailable // and not 401, at which clients sign their user out
				}
				refusal.Write(w, status, present(r.Context(), err))
				return
			}
			next.ServeHTTP(w, r.WithContext(auth.WithCaller(r.Context(), caller)))
		})
	}
}
