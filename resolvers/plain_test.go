package resolvers_test

import (
	"context"
	"testing"

	"github.com/99designs/gqlgen/graphql"
	"github.com/stretchr/testify/require"
	"github.com/vektah/gqlparser/v2/ast"

	"rollcall/graph"
	"rollcall/resolvers"
)

// What is plain is answered alike by gqlgen, so that only here is seen that it need not be.
func TestPlainAnswersAreNotLeftToGqlgen(t *testing.T) {
	plain := resolvers.Plain().(graphql.FieldInterceptor)
	for name, tt := range map[string]struct {
		answer   any
		selected []string
		written  bool
	}{
		"heartbeat":           {&graph.HeartbeatPayload{}, []string{"outcome", "session"}, true},
		"heartbeat, and user": {&graph.HeartbeatPayload{}, []string{"outcome", "user"}, false},
		"heartbeats":          {&graph.HeartbeatsPayload{}, []string{"accepted"}, true},
		"another":             {&graph.GoOfflinePayload{}, []string{"ended"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			field := graphql.CollectedField{Field: &ast.Field{}}
			for _, f := range tt.selected {
				field.Selections = append(field.Selections, &ast.Field{Name: f, Alias: f})
			}
			ctx := graphql.WithOperationContext(t.Context(), &graphql.OperationContext{})
			ctx = graphql.WithFieldContext(ctx, &graphql.FieldContext{Field: field})
			got, err := plain.InterceptField(ctx, func(context.Context) (any, error) { return tt.answer, nil })
			require.NoError(t, err)
			_, written := got.(graphql.Marshaler)
			require.Equal(t, tt.written, written)
			if !written {
				require.Same(t, tt.answer, got)
			}
		})
	}
}
