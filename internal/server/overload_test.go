package server

import (
	"context"
	"log/slog"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/stretchr/testify/require"
	"github.com/vektah/gqlparser/v2/ast"

	"rollcall/internal/pulse"
	"rollcall/internal/server/shed"
)

// mutations are the heartbeats of the test schema.
func mutations(op *graphql.OperationContext) bool { return op.Operation.Operation == ast.Mutation }

// overloadedGate is a gate of a node that is overloaded: beats take that long.
func overloadedGate(t *testing.T, g *shed.Gate, beat time.Duration) {
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { g.Run(ctx) })
	running.Go(func() {
		for ctx.Err() == nil {
			g.BeatTook(beat)
			select {
			case <-time.After(time.Millisecond):
			case <-ctx.Done():
			}
		}
	})
	t.Cleanup(func() {
		cancel()
		running.Wait()
	})
}

func TestOverloadedNodesRefuseQueriesBeforeHeartbeats(t *testing.T) {
	const query, beat = `{ who }`, `mutation { record(text: "a") }`
	limited := func(ask asker, f *fixture, query string) bool {
		answer := ask(t, f, query, `{}`)
		if answer == `{"data":{"who":"ann"}}` || answer == `{"data":{"record":"a"}}` {
			return false
		}
		require.Contains(t, answer, `"code":"RATE_LIMITED"`)
		require.Contains(t, answer, `"retryAfterMs":`)
		return true
	}
	start := func(beat time.Duration) *fixture {
		gate := shed.New(slog.New(slog.DiscardHandler))
		f := serveWith(t, func(o *Options) { o.Gate, o.Beats = gate, mutations })
		overloadedGate(t, gate, beat)
		return f
	}
	t.Run("somewhat", func(t *testing.T) {
		f := start(150 * time.Millisecond)
		for name, ask := range askers() {
			require.Eventually(t, func() bool { return limited(ask, f, query) }, patience, time.Millisecond, name)
		}
		for _, name := range []string{"POST", "WebSocket", "server-sent events"} {
			for range 20 {
				require.False(t, limited(askers()[name], f, beat), name)
			}
		}
	})
	t.Run("much", func(t *testing.T) {
		f := start(10 * time.Second)
		require.Eventually(t, func() bool { return limited(askers()["POST"], f, beat) }, patience, time.Millisecond)
		require.Eventually(t, func() bool {
			response, _ := f.do(t, http.MethodGet, "/graphql", "", "Upgrade", "websocket")
			return response.StatusCode == http.StatusServiceUnavailable
		}, patience, time.Millisecond, "a handshake has no other answer")
		response, answer := f.do(t, http.MethodGet, "/healthz", "")
		require.Equal(t, http.StatusOK, response.StatusCode)
		require.Equal(t, "ok\n", answer)
	})
	t.Run("a heartbeat of a socket", func(t *testing.T) {
		gate := shed.New(slog.New(slog.DiscardHandler))
		overloadedGate(t, gate, 10*time.Second)
		q, op := queriesLast{gate, mutations}, &graphql.OperationContext{Operation: &ast.OperationDefinition{Operation: ast.Mutation}}
		socket := pulse.With(t.Context(), new(pulse.Pulse))
		require.Eventually(t, func() bool { return q.MutateOperationContext(socket, op) != nil }, patience, time.Millisecond)
		for range 100 {
			require.Nil(t, q.MutateOperationContext(t.Context(), op), "what came by HTTP was admitted before")
		}
	})
}
