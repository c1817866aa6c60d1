package heartbeat

import (
	"context"
	"errors"
	"io"

	"github.com/99designs/gqlgen/graphql"

	"rollcall/resolvers/scalar"
)

// Payload is the answer to heartbeats of many users, a HeartbeatsPayload.
type Payload struct {
	Accepted int
	Results  []Result
}

var _ interface {
	graphql.ContextMarshaler
	graphql.ContextUnmarshaler
} = (*Payload)(nil)

// Result is the answer to one of them: Session or Error, and the other is empty.
type Result struct {
	UserID  string
	Session string
	Error   ErrorCode
}

// ErrorCode is why a heartbeat was refused.
type ErrorCode string

// MarshalGQLContext writes what the current field selects of p.
func (p *Payload) MarshalGQLContext(ctx context.Context, w io.Writer) error {
	op := graphql.GetOperationContext(ctx)
	selected := graphql.CollectFields(op, graphql.GetFieldContext(ctx).Field.Selections, nil)
	writeObject(w, "HeartbeatsPayload", selected, func(field *graphql.CollectedField) {
		switch field.Name {
		case "accepted":
			scalar.MarshalInt(p.Accepted).MarshalGQL(w)
		case "results":
			writeResults(w, p.Results, graphql.CollectFields(op, field.Selections, nil))
		default:
			panic("HeartbeatsPayload has no field " + field.Name)
		}
	})
	return nil
}

// UnmarshalGQLContext is only there for gqlgen to know the type by.
func (*Payload) UnmarshalGQLContext(context.Context, any) error { return errors.ErrUnsupported }

func writeResults(w io.Writer, results []Result, selected []graphql.CollectedField) {
	write(w, "[")
	for i := range results {
		if i > 0 {
			write(w, ",")
		}
		r := &results[i]
		writeObject(w, "HeartbeatResult", selected, func(field *graphql.CollectedField) {
			switch field.Name {
			case "userId":
				scalar.MarshalID(r.UserID).MarshalGQL(w)
			case "session":
				writeOptional(w, r.Session)
			case "error":
				writeOptional(w, string(r.Error))
			default:
				panic("HeartbeatResult has no field " + field.Name)
			}
		})
	}
	write(w, "]")
}
