package sse

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"rollcall/internal/presence"
	"rollcall/internal/server/refusal"
)

var (
	errMalformed     = presence.Invalid("the request is not a GraphQL request")
	errMutationByGet = presence.Invalid("a mutation must be sent by POST")
)

// readParams reads the operation from a POST's body or a GET's query string.
func readParams(r *http.Request) (*graphql.RawParams, error) {
	params := &graphql.RawParams{Headers: r.Header}
	params.ReadTime.Start = graphql.Now()
	if r.Method == http.MethodPost {
		if decode(r.Body, params) != nil {
			return nil, errMalformed
		}
	} else {
		query := r.URL.Query()
		params.Query = query.Get("query")
		params.OperationName = query.Get("operationName")
		for name, field := range map[string]*map[string]any{
			"variables": &params.Variables, "extensions": &params.Extensions,
		} {
			if text := query.Get(name); text != "" && decode(strings.NewReader(text), field) != nil {
				return nil, errMalformed
			}
		}
	}
	params.ReadTime.End = graphql.Now()
	return params, nil
}

// decode reads JSON. A large integer must not pass through a float.
func decode(r io.Reader, into any) error {
	decoder := json.NewDecoder(r)
	decoder.UseNumber()
	return decoder.Decode(into)
}

// reject answers a request that gets no stream.
func reject(w http.ResponseWriter, r *http.Request, exec graphql.GraphExecutor, status int, err error) {
	refusal.Write(w, status, exec.DispatchError(r.Context(), gqlerror.List{gqlerror.Wrap(err)}).Errors...)
}
