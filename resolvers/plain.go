package resolvers

import (
	"context"
	"io"

	"github.com/99designs/gqlgen/graphql"

	"rollcall/graph"
)

// plain writes objects of which nothing is selected but what they hold. gqlgen has a context and closures for each field, and a
// goroutine for each element of a list, since any field may have a resolver.
type plain struct{}

var _ interface {
	graphql.HandlerExtension
	graphql.FieldInterceptor
} = plain{}

// ExtensionName names the extension in gqlgen's statistics.
func (plain) ExtensionName() string { return "Plain" }

// Validate has nothing to check.
func (plain) Validate(graphql.ExecutableSchema) error { return nil }

// InterceptField writes what heartbeats are answered, if it is plain.
func (plain) InterceptField(ctx context.Context, next graphql.Resolver) (any, error) {
	answer, err := next(ctx)
	if err != nil {
		return answer, err
	}
	switch v := answer.(type) {
	case *graph.HeartbeatPayload:
		if selected := selectedHere(ctx); !hasField(selected, "user") {
			return heartbeatPayload(v, selected), nil
		}
	case *graph.HeartbeatsPayload:
		return heartbeatsPayload(graphql.GetOperationContext(ctx), v, selectedHere(ctx)), nil
	}
	return answer, nil
}

// selectedHere is what is selected of the current field.
func selectedHere(ctx context.Context) []graphql.CollectedField {
	return graphql.CollectFields(graphql.GetOperationContext(ctx), graphql.GetFieldContext(ctx).Field.Selections, nil)
}

func hasField(selected []graphql.CollectedField, name string) bool {
	for i := range selected {
		if selected[i].Name == name {
			return true
		}
	}
	return false
}

// writeObject writes what is selected of an object; value writes the value of a field.
func writeObject(w io.Writer, name string, selected []graphql.CollectedField, value func(field *graphql.CollectedField)) {
	writeRaw(w, "{")
	for i := range selected {
		if i > 0 {
			writeRaw(w, ",")
		}
		field := &selected[i]
		writeText(w, field.Alias)
		writeRaw(w, ":")
		if field.Name == "__typename" {
			writeText(w, name)
			continue
		}
		value(field)
	}
	writeRaw(w, "}")
}

// writeTextOrNull writes a text, null if it is nil.
func writeTextOrNull[T ~string](w io.Writer, text *T) {
	if text == nil {
		writeRaw(w, "null")
		return
	}
	writeText(w, string(*text))
}

func writeText(w io.Writer, text string) { graphql.MarshalString(text).MarshalGQL(w) }

// writeRaw writes to a buffer, which takes all.
func writeRaw(w io.Writer, text string) { _, _ = io.WriteString(w, text) }
