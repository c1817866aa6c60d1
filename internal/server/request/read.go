// Package request reads GraphQL requests from HTTP requests, for whatever transport answers them.
package request

import (
	"net/http"
	"net/url"
	"unicode/utf8"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"rollcall/internal/auth"
	"rollcall/internal/server/limit"
)

// Request is a GraphQL request that came by HTTP.
type Request struct {
	Params *graphql.RawParams
	method string
	bytes  int
}

// Read reads what a POST's body or a GET's query string asks for. It must be in valid UTF-8, with members of the right
// types, and no larger than a caller of its kind may send; a larger one is not even read to its end.
func Read(w http.ResponseWriter, r *http.Request) (*Request, *Rejection) {
	q := &Request{Params: &graphql.RawParams{Headers: r.Header}, method: r.Method}
	var rejection *Rejection
	if r.Method == http.MethodPost {
		q.bytes, rejection = readBody(w, r, q.Params)
	} else {
		q.bytes, rejection = len(r.URL.RawQuery), readQuery(r, q.Params)
	}
	return q, rejection
}

// Check says whether an operation may be executed as it was asked for: mutations by POST only, since browsers send
// GET requests where another site tells them to; and what is large only if it is for that.
func (q *Request) Check(op *graphql.OperationContext) *Rejection {
	if op.Operation.Operation == ast.Mutation && q.method != http.MethodPost {
		return Malformed(http.StatusMethodNotAllowed, "a mutation must be sent by POST")
	}
	if err := CheckSize(op.Operation, q.bytes); err != nil {
		return &Rejection{http.StatusRequestEntityTooLarge, err}
	}
	return nil
}

func anonymous(r *http.Request) bool {
	_, err := auth.FromContext(r.Context())
	return err != nil
}

// readQuery reads a query string.
func readQuery(r *http.Request, params *graphql.RawParams) *Rejection {
	if anonymous(r) && len(r.URL.RawQuery) > limit.Anonymous {
		return needsToken()
	}
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return Malformed(http.StatusBadRequest, "the query string is malformed")
	}
	params.Query, params.OperationName = values.Get("query"), values.Get("operationName")
	if !utf8.ValidString(params.Query) || !utf8.ValidString(params.OperationName) {
		return Malformed(http.StatusBadRequest, "the query string is not valid UTF-8")
	}
	for name, into := range map[string]*map[string]any{"variables": &params.Variables, "extensions": &params.Extensions} {
		if text := values.Get(name); text != "" && text != "null" {
			if message := decode([]byte(text), into); message != "" {
				return Malformed(http.StatusBadRequest, "the parameter "+name+" "+message)
			}
		}
	}
	return nil
}
