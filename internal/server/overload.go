package server

import (
	"context"
	"net/http"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"rollcall/internal/pulse"
	"rollcall/internal/server/refusal"
	"rollcall/internal/server/shed"
)

// admit refuses requests that an overloaded node has no time for, before anything of them but the head is read: to refuse must
// cost much less than to serve.
func admit(gate *shed.Gate, present graphql.ErrorPresenterFunc) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if err := gate.Admit(r.Context()); err != nil {
				status := http.StatusOK // as for whatever GraphQL refuses
				if r.Header.Get("Upgrade") != "" {
					status = http.StatusServiceUnavailable
				}
				refusal.Write(w, status, present(r.Context(), gqlerror.Wrap(err)))
				return
			}
			next.ServeHTTP(w, r)
		})
	}
}

// queriesLast refuses operations that are no heartbeats sooner than those that are.
type queriesLast struct {
	gate  *shed.Gate
	beats func(op *graphql.OperationContext) bool
}

var _ interface {
	graphql.HandlerExtension
	graphql.OperationContextMutator
} = queriesLast{}

// ExtensionName names the extension in gqlgen's statistics.
func (queriesLast) ExtensionName() string { return "QueriesLast" }

// Validate has nothing to check.
func (queriesLast) Validate(graphql.ExecutableSchema) error { return nil }

// MutateOperationContext refuses an operation; it changes nothing.
func (q queriesLast) MutateOperationContext(ctx context.Context, op *graphql.OperationContext) *gqlerror.Error {
	admit := q.gate.AdmitQuery
	if q.beats != nil && q.beats(op) {
		if pulse.FromContext(ctx) == nil { // an HTTP request, which was admitted before it was read
			return nil
		}
		admit = q.gate.AdmitOnSocket
	}
	if err := admit(); err != nil {
		return gqlerror.Wrap(err)
	}
	return nil
}
