// Package unary serves queries and mutations over plain HTTP: one request, one response, as the GraphQL over HTTP
// specification has it (https://graphql.github.io/graphql-over-http/draft/).
package unary

import (
	"context"
	"net/http"
	"strconv"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/errcode"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"rollcall/internal/server/execution"
	"rollcall/internal/server/refusal"
	"rollcall/internal/server/request"
	"rollcall/internal/server/response"
)

// Transport serves POST requests, and GET requests for queries.
type Transport struct{}

var _ graphql.Transport = Transport{}

// Supports says whether the method of r is one of them.
func (Transport) Supports(r *http.Request) bool {
	return r.Method == http.MethodPost || r.Method == http.MethodGet
}

// Do answers one request.
func (Transport) Do(w http.ResponseWriter, r *http.Request, exec graphql.GraphExecutor) {
	asked, rejection := request.Read(w, r)
	if rejection != nil {
		rejection.Answer(w, r, exec)
		return
	}
	contentType := accepted(r.Header)
	op, refused := execution.Prepare(r.Context(), exec, asked.Params)
	if len(refused) > 0 {
		write(w, contentType, statusOf(refused, contentType), refusal.Encode(refused))
		return
	}
	if rejection = check(asked, op); rejection != nil {
		rejection.Answer(w, r, exec)
		return
	}
	next, ctx := exec.DispatchOperation(r.Context(), op)
	answer := next(ctx)
	if answer == nil {
		answer = given(ctx, exec)
	}
	write(w, contentType, http.StatusOK, response.Encode(answer))
}

// check says whether an operation may be executed as it was asked for, and has one answer.
func check(asked *request.Request, op *graphql.OperationContext) *request.Rejection {
	if op.Operation.Operation == ast.Subscription {
		return request.Malformed(http.StatusBadRequest, "subscriptions need a WebSocket, or a stream of server-sent events")
	}
	return asked.Check(op)
}

// given is the answer to a request that was given up: gqlgen has none.
func given(ctx context.Context, exec graphql.GraphExecutor) *graphql.Response {
	err := context.Cause(ctx)
	if err == nil {
		err = context.Canceled
	}
	return exec.DispatchError(ctx, gqlerror.List{gqlerror.Wrap(err)})
}

// statusOf is the status of an operation that was not executed. With the content type of old, clients take anything but
// 200 for somebody else's answer.
func statusOf(refused gqlerror.List, contentType string) int {
	if contentType == graphQLJSON && errcode.GetErrorKind(refused) == errcode.KindProtocol {
		return http.StatusBadRequest
	}
	return http.StatusOK
}

// write writes an answer, which must not be split to learn its length.
func write(w http.ResponseWriter, contentType string, status int, body []byte) {
	h := w.Header()
	h.Set("Content-Type", contentType)
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body) //nolint:gosec // JSON is not a page; and nobody is left to be told of a failure
}
