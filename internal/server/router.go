package server

import (
	"context"
	"log/slog"
	"net/http"

	"github.com/99designs/gqlgen/graphql"
	"github.com/go-chi/chi/v5"

	"rollcall/internal/auth"
	"rollcall/internal/server/address"
	"rollcall/internal/server/origin"
	"rollcall/internal/server/shed"
)

// Routes are what a router leads to.
type Routes struct {
	// GraphQL is the [Handler].
	GraphQL http.Handler
	// Page serves GraphiQL: `/`, and its files under `/assets/`.
	Page http.Handler
	// Admin serves the admin console: `/admin`, and its files under `/admin/`.
	Admin http.Handler
	// Ready says why the process can't serve at the moment; nil if it can.
	Ready         func(ctx context.Context) error
	Authenticator auth.Authenticator
	// Origins are the sites whose pages may use GraphQL.
	Origins origin.List
	// Proxies are believed about whom they ask for.
	Proxies address.Proxies
	// Present turns an error into what the client sees of it.
	Present graphql.ErrorPresenterFunc
	// Gate refuses requests while the node is overloaded; nil refuses none.
	Gate *shed.Gate
	Log  *slog.Logger
}

// NewRouter is the handler of all paths.
func NewRouter(to Routes) http.Handler {
	r := chi.NewRouter()
	r.Use(to.Proxies.Note, logRequests(to.Log), recoverPanics(to.Log), secureHeaders)

	r.Group(func(r chi.Router) {
		r.Use(noPage, to.Origins.Guard, admit(to.Gate, to.Present), authenticate(to.Authenticator, to.Present))
		for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodOptions, http.MethodHead} {
			r.Method(method, "/graphql", to.GraphQL)
		}
	})
	r.Handle("/", to.Page)
	r.Handle("/assets/*", to.Page)
	r.Handle("/admin", to.Admin)
	r.Handle("/admin/*", to.Admin)
	r.Get("/healthz", alive)
	r.Get("/readyz", ready(to.Ready, to.Log))
	return r
}
