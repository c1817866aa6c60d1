// Package response writes GraphQL responses as JSON.
package response

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"github.com/99designs/gqlgen/graphql"
)

// Encode is the response as JSON on one line. Unlike json.Marshal it takes the data as they are: generated code has just
// written them, so that to parse them once more, 10 kB of a page, would tell nothing. Text that is not UTF-8 is made so.
func Encode(r *graphql.Response) []byte {
	data := r.Data
	switch {
	case len(data) == 0:
		data = json.RawMessage("null")
	case !utf8.Valid(data):
		data = bytes.ToValidUTF8(data, []byte("\uFFFD"))
	}
	b := make([]byte, 0, len(`{"data":}`)+len(data))
	b = append(b, '{')
	if len(r.Errors) > 0 {
		b = append(appendJSON(append(b, `"errors":`...), r.Errors), ',')
	}
	b = append(append(b, `"data":`...), data...)
	if len(r.Extensions) > 0 {
		b = appendJSON(append(b, `,"extensions":`...), r.Extensions)
	}
	return append(b, '}')
}

func appendJSON(b []byte, v any) []byte {
	encoded, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Errorf("encode a response: %w", err)) // errors and extensions hold texts and numbers
	}
	return append(b, encoded...)
}
