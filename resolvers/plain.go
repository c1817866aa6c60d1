package resolvers

import (
	"context"
	"io"

	"github.com/99designs/gqlgen/graphql"

	"rollcall/graph"
)

// An object is plain while nothing is selected of it but what it holds. gqlgen has a context, a goroutine or some
// closures for each field and each element of a list, since any may have a resolver. What heartbeats are answered is written
// without.

// InterceptField writes plain answers.
func (answers) InterceptField(ctx context.Context, next graphql.Resolver) (any, error) {
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
