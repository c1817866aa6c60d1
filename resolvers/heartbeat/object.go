package heartbeat

import (
	"io"

	"github.com/99designs/gqlgen/graphql"
)

// writeObject writes the selected fields of an object, whose values are written by value.
func writeObject(w io.Writer, name string, selected []graphql.CollectedField, value func(*graphql.CollectedField)) {
	write(w, "{")
	for i := range selected {
		if i > 0 {
			write(w, ",")
		}
		field := &selected[i]
		writeText(w, field.Alias)
		write(w, ":")
		if field.Name == "__typename" {
			writeText(w, name)
			continue
		}
		value(field)
	}
	write(w, "}")
}

// writeOptional writes a text, null if it is empty.
func writeOptional(w io.Writer, text string) {
	if text == "" {
		write(w, "null")
		return
	}
	writeText(w, text)
}

func writeText(w io.Writer, text string) { graphql.MarshalString(text).MarshalGQL(w) }

// write writes to a buffer, which takes all.
func write(w io.Writer, text string) { _, _ = io.WriteString(w, text) }
