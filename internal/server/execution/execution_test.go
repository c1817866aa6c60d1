package execution

import (
	"context"
	"errors"
	"testing"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/executor"
	"github.com/stretchr/testify/require"

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

func TestPayloadsMayBeKept(t *testing.T) {
	exec := newExecutor()
	ctx, op := prepare(t, exec, `subscription { count(to: 3) }`)
	var payloads [][]byte
	require.Empty(t, Run(ctx, exec, op, func(payload []byte) error {
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
	require.Empty(t, Run(ctx, exec, op, func([]byte) error {
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
	failure := Run(ctx, exec, op, func([]byte) error { return nil })
	require.Len(t, failure, 1)
	require.Equal(t, "INTERNAL", failure[0].Extensions["code"])
}
