package execution

import (
	"context"
	"errors"
	"testing"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/executor"
	"github.com/stretchr/testify/require"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"rollcall/internal/server/servertest"
)

func newExecutor() *executor.Executor {
	exec := executor.New(servertest.NewSchema())
	exec.SetErrorPresenter(servertest.Present)
	exec.SetRecoverFunc(servertest.Recover)
	return exec
}

func prepare(t *testing.T, exec graphql.GraphExecutor, query string) (context.Context, *graphql.OperationContext) {
	t.Helper()
	ctx := graphql.StartOperationTrace(t.Context())
	op, refusal := Prepare(ctx, exec, &graphql.RawParams{Query: query})
	require.Empty(t, refusal)
	return ctx, op
}

// run runs an operation as a transport does that has its answers sent.
func run(ctx context.Context, exec graphql.GraphExecutor, op *graphql.OperationContext, send func([]byte) error) gqlerror.List {
	_, responses, failure := Start(ctx, exec, op, func() {})
	if len(failure) > 0 {
		return failure
	}
	return Drain(ctx, op, responses, send)
}

func TestPayloadsMayBeKept(t *testing.T) {
	exec := newExecutor()
	ctx, op := prepare(t, exec, `subscription { count(to: 3) }`)
	var payloads [][]byte
	require.Empty(t, run(ctx, exec, op, func(payload []byte) error {
		payloads = append(payloads, payload)
		return nil
	}))
	require.Len(t, payloads, 3)
	require.JSONEq(t, `{"data":{"count":1}}`, string(payloads[0]))
	require.JSONEq(t, `{"data":{"count":3}}`, string(payloads[2]))
}

func TestFailedSendEndsTheOperation(t *testing.T) {
	exec := newExecutor()
	ctx, op := prepare(t, exec, `subscription { count }`)
	sent := 0
	require.Empty(t, run(ctx, exec, op, func([]byte) error {
		sent++
		return errors.New("no more")
	}))
	require.Equal(t, 1, sent)
}

// What presents errors may be what panics, and must not take the process with it.
func TestPanicOfTheInterceptors(t *testing.T) {
	exec := newExecutor()
	ctx, op := prepare(t, exec, `{ who }`)
	exec.AroundResponses(func(context.Context, graphql.ResponseHandler) *graphql.Response { panic("always") })
	failure := run(ctx, exec, op, func([]byte) error { return nil })
	require.Len(t, failure, 1)
	require.Equal(t, "INTERNAL", failure[0].Extensions["code"])
}
