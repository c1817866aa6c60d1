package resolvers

import (
	"io"

	"github.com/99designs/gqlgen/graphql"

	"rollcall/graph"
	"rollcall/resolvers/scalar"
)

func heartbeatPayload(p *graph.HeartbeatPayload, selected []graphql.CollectedField) graphql.Marshaler {
	return graphql.WriterFunc(func(w io.Writer) {
		writeObject(w, "HeartbeatPayload", selected, func(field *graphql.CollectedField) {
			switch field.Name {
			case "outcome":
				writeText(w, string(p.Outcome))
			case "session":
				writeText(w, p.Session)
			case "serverTime":
				scalar.MarshalTime(p.ServerTime).MarshalGQL(w)
			case "expiresAt":
				scalar.MarshalTime(p.ExpiresAt).MarshalGQL(w)
			case "nextHeartbeatInMs":
				scalar.MarshalInt(p.NextHeartbeatInMs).MarshalGQL(w)
			default:
				panic("HeartbeatPayload has no plain field " + field.Name)
			}
		})
	})
}

func heartbeatsPayload(op *graphql.OperationContext, p *graph.HeartbeatsPayload, selected []graphql.CollectedField) graphql.Marshaler {
	return graphql.WriterFunc(func(w io.Writer) {
		writeObject(w, "HeartbeatsPayload", selected, func(field *graphql.CollectedField) {
			switch field.Name {
			case "accepted":
				scalar.MarshalInt(p.Accepted).MarshalGQL(w)
			case "results":
				writeResults(w, p.Results, graphql.CollectFields(op, field.Selections, nil))
			default:
				panic("HeartbeatsPayload has no plain field " + field.Name)
			}
		})
	})
}

func writeResults(w io.Writer, results []graph.HeartbeatResult, selected []graphql.CollectedField) {
	writeRaw(w, "[")
	for i := range results {
		if i > 0 {
			writeRaw(w, ",")
		}
		r := &results[i]
		writeObject(w, "HeartbeatResult", selected, func(field *graphql.CollectedField) {
			switch field.Name {
			case "userId":
				writeText(w, r.UserID)
			case "session":
				writeTextOrNull(w, r.Session)
			case "error":
				writeTextOrNull(w, r.Error)
			default:
				panic("HeartbeatResult has no plain field " + field.Name)
			}
		})
	}
	writeRaw(w, "]")
}
