package scalar

import (
	"encoding/json"
	"math"

	"github.com/99designs/gqlgen/graphql"

	"rollcall/internal/presence"
)

// MarshalInt writes i.
func MarshalInt(i int) graphql.Marshaler { return graphql.MarshalInt(i) }

// UnmarshalInt reads a GraphQL Int, which has 32 bits. gqlgen's own reads 64
// bits, and digits in a string.
func UnmarshalInt(v any) (int, error) {
	var i int64
	switch v := v.(type) {
	case int64: // a literal, or a variable that gqlparser has coerced
		i = v
	case json.Number: // inside a variable
		var err error
		if i, err = v.Int64(); err != nil {
			return 0, presence.Invalid("%s is no Int", v)
		}
	case float64: // from a decoder without UseNumber
		if v != math.Trunc(v) || math.Abs(v) > math.MaxInt32 {
			return 0, presence.Invalid("%v is no Int", v)
		}
		i = int64(v)
	default:
		return 0, presence.Invalid("an Int is a number")
	}
	if i < math.MinInt32 || i > math.MaxInt32 {
		return 0, presence.Invalid("%d is no Int: it exceeds 32 bits", i)
	}
	return int(i), nil
}
