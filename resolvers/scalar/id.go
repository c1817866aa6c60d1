package scalar

import (
	"encoding/json"
	"strconv"

	"github.com/99designs/gqlgen/graphql"

	"rollcall/internal/presence"
)

// MarshalID writes id.
func MarshalID(id string) graphql.Marshaler { return graphql.MarshalID(id) }

// UnmarshalID reads a string or an integer. gqlgen's own reads fractions, and
// null as "null".
func UnmarshalID(v any) (string, error) {
	switch v := v.(type) {
	case string:
		return v, nil
	case int64: // a literal, or a variable that gqlparser has coerced
		return strconv.FormatInt(v, 10), nil
	case json.Number: // a variable
		if _, err := v.Int64(); err == nil {
			return v.String(), nil
		}
	}
	return "", presence.Invalid("an ID is a string or an integer of 64 bits")
}
