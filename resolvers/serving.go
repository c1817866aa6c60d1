package resolvers

import (
	"log/slog"
	"maps"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"rollcall/graph"
)

// Schema is the executable schema whose fields are answered from d. It needs
// [ErrorPresenter], [RecoverFunc] and [Extension], and with the context of each operation its
// caller ([auth.WithCaller]) and its connection's pulse ([pulse.With]); with that of a subscription also its
// transport's offer ([live.WithOffer]).
func Schema(d Dependencies) graphql.ExecutableSchema {
	config := graph.Config{Resolvers: &root{Dependencies: d}}
	config.Schema = withoutDefer(graph.NewExecutableSchema(config).Schema())
	return graph.NewExecutableSchema(config)
}

// withoutDefer is a schema without the directive @defer, which gqlparser has in every one. gqlgen answers what is
// deferred with null for the time being, and no transport of ours sends more than that one answer.
func withoutDefer(schema *ast.Schema) *ast.Schema {
	without := *schema
	without.Directives = maps.Clone(schema.Directives)
	delete(without.Directives, "defer")
	return &without
}

// ErrorPresenter puts errors into the contract's terms.
func ErrorPresenter(log *slog.Logger) graphql.ErrorPresenterFunc { return errorTable{log: log}.present }

// RecoverFunc turns panics into errors that [ErrorPresenter] tells as INTERNAL.
func RecoverFunc(log *slog.Logger) graphql.RecoverFunc { return errorTable{log: log}.recover }

// Extension gives each answer loaders of its own, and adds to gqlgen what
// subscriptions lack.
func Extension(d Dependencies) graphql.HandlerExtension {
	return answers{directory: d.Directory, presences: d.Service}
}

// Plain writes what heartbeats are answered at less cost than gqlgen, which does it without.
func Plain() graphql.HandlerExtension { return plain{} }
