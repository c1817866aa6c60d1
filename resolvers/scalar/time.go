// Package scalar writes and reads the schema's scalars, and the enums that are
// input, as the domain's types. What it can't read is a
// [*presence.InvalidError].
package scalar

import (
	"io"
	"time"

	"github.com/99designs/gqlgen/graphql"

	"rollcall/internal/presence"
)

// timeLayout is RFC 3339 in UTC with exactly three decimals.
const timeLayout = "2006-01-02T15:04:05.000Z"

// MarshalTime writes m; zero ("never", "unknown") is null.
func MarshalTime(m presence.Millis) graphql.Marshaler {
	if m == 0 {
		return graphql.Null
	}
	return graphql.WriterFunc(func(w io.Writer) {
		buf := make([]byte, 0, len(timeLayout)+2)
		buf = append(buf, '"')
		buf = m.Time().AppendFormat(buf, timeLayout)
		buf = append(buf, '"')
		_, _ = w.Write(buf)
	})
}

// UnmarshalTime reads an RFC 3339 date-time of any offset; parts of a
// millisecond are dropped.
func UnmarshalTime(v any) (presence.Millis, error) {
	s, ok := v.(string)
	if !ok {
		return 0, presence.Invalid("a Time is a string")
	}
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return 0, presence.Invalid("a Time is an RFC 3339 date-time")
	}
	return presence.Millis(t.UnixMilli()), nil
}
