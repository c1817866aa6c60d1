package server

import (
	"net/http"
	"strings"

	"github.com/99designs/gqlgen/graphql"

	"rollcall/internal/auth"
	"rollcall/internal/peer"
	"rollcall/internal/server/refusal"
)

// authenticate puts the client's address, and the caller whom the Authorization header names, into the request's context. A bad token is
// answered 401; a request without one goes on as anonymous. A WebSocket's handshake goes on unchecked: its token
// may come later, and a bad one is told by the close code 4403.
func authenticate(a auth.Authenticator, present graphql.ErrorPresenterFunc) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			ctx := peer.With(r.Context(), clientAddress(r))
			authorization := r.Header.Get("Authorization")
			if authorization == "" || strings.EqualFold(r.Header.Get("Upgrade"), "websocket") {
				next.ServeHTTP(w, r.WithContext(ctx))
				return
			}
			caller, err := a.Authenticate(r.Context(), authorization)
			if err != nil {
				refusal.Write(w, http.StatusUnauthorized, present(r.Context(), err))
				return
			}
			next.ServeHTTP(w, r.WithContext(auth.WithCaller(ctx, caller)))
		})
	}
}
