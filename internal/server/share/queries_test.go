package share

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"rollcall/internal/auth"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// asked is a context of an operation.
func asked(ctx context.Context, query string, variables map[string]any) context.Context {
	return graphql.WithOperationContext(ctx, &graphql.OperationContext{
		RawQuery: query, Variables: variables,
		RecoverFunc: func(_ context.Context, panicked any) error { return fmt.Errorf("recovered: %v", panicked) },
	})
}

func everybody(context.Context, *graphql.OperationContext) (string, bool) { return "", true }

// ask asks q a query, which is answered with what execute says.
func ask(ctx context.Context, q *Queries, execute func(context.Context) string) string {
	handler := q.InterceptOperation(ctx, func(context.Context) graphql.ResponseHandler {
		told := false
		return func(ctx context.Context) *graphql.Response {
			if told {
				return nil
			}
			told = true
			return &graphql.Response{Data: []byte(execute(ctx))}
		}
	})
	response := handler(ctx)
	if response == nil {
		return ""
	}
	if handler(ctx) != nil {
		panic("a query has one response")
	}
	return string(response.Data)
}

func TestQueriesThatWaitTogetherAreAnsweredTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := NewQueries(100*time.Millisecond, everybody)
		var executions atomic.Int64
		execute := func(context.Context) string {
			n := executions.Add(1)
			time.Sleep(10 * time.Millisecond)
			return fmt.Sprint(n)
		}
		var wg sync.WaitGroup
		ctx := asked(t.Context(), "{ a }", map[string]any{"first": 1})
		for range 1000 {
			wg.Go(func() { ask(ctx, q, execute) })
		}
		wg.Wait()
		require.EqualValues(t, 2, executions.Load(), "the first, and one for all who came while it was under way")
		require.Empty(t, q.pending)
		require.Equal(t, "3", ask(ctx, q, execute), "what is over is not told again")
	})
}

func TestOthersAreAnsweredApart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := NewQueries(time.Second, func(ctx context.Context, op *graphql.OperationContext) (string, bool) {
			caller, _ := auth.FromContext(ctx)
			return caller.ID, op.RawQuery != "{ me }"
		})
		var wg sync.WaitGroup
		var executions atomic.Int64
		for _, caller := range []string{"ann", "bob"} {
			for _, query := range []string{"{ a }", "{ b }", "{ me }"} {
				for first := range 2 {
					want := fmt.Sprint(caller, query, first)
					ctx := auth.WithCaller(asked(t.Context(), query, map[string]any{"first": first}), auth.Caller{ID: caller})
					for range 5 {
						wg.Go(func() {
							require.Equal(t, want, ask(ctx, q, func(context.Context) string {
								executions.Add(1)
								time.Sleep(time.Millisecond)
								return want
							}))
						})
					}
				}
			}
		}
		wg.Wait()
		require.EqualValues(t, 2*2*(2+2+5), executions.Load())
	})
}

// Whatever was done before the question is in the answer.
func TestAnAnswerIsNoOlderThanItsQuestion(t *testing.T) {
	q := NewQueries(time.Second, everybody)
	var clock atomic.Int64
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			ctx := asked(t.Context(), "{ a }", nil)
			for range 200 {
				before := clock.Add(1)
				var seen int64
				_, err := fmt.Sscan(ask(ctx, q, func(context.Context) string { return fmt.Sprint(clock.Load()) }), &seen)
				if err != nil || seen < before {
					t.Errorf("asked at %d, answered with %d (%v)", before, seen, err)
				}
			}
		})
	}
	wg.Wait()
}

func TestAnExecutionThatHangsHoldsUpOthersForAWhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := NewQueries(100*time.Millisecond, everybody)
		hang := make(chan struct{})
		ctx := asked(t.Context(), "{ a }", nil)
		var wg sync.WaitGroup
		wg.Go(func() { ask(ctx, q, func(context.Context) string { <-hang; return "late" }) })
		synctest.Wait()
		begun := time.Now()
		for range 3 {
			wg.Go(func() {
				require.Equal(t, "own", ask(ctx, q, func(context.Context) string { return "own" }))
				require.Equal(t, 100*time.Millisecond, time.Since(begun))
			})
		}
		synctest.Wait()
		time.Sleep(100 * time.Millisecond)
		close(hang)
		wg.Wait()
	})
}

func TestWhoGoesLeavesTheOthersTheirAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := NewQueries(time.Minute, everybody)
		ctx, cancel := context.WithCancel(asked(t.Context(), "{ a }", nil))
		slow := func(ctx context.Context) string {
			time.Sleep(time.Second)
			return fmt.Sprint(ctx.Err())
		}
		var wg sync.WaitGroup
		for range 2 { // the leader of the first execution, and of the second
			wg.Go(func() { ask(ctx, q, slow) })
			synctest.Wait()
		}
		stays := asked(t.Context(), "{ a }", nil)
		wg.Go(func() { require.Equal(t, "<nil>", ask(stays, q, slow)) })
		gone, leave := context.WithCancel(stays)
		wg.Go(func() { require.Empty(t, ask(gone, q, slow)) })
		synctest.Wait()
		cancel()
		leave()
		wg.Wait()
		require.Empty(t, q.pending)
	})
}

func TestAPanicIsAnError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := NewQueries(time.Second, everybody)
		ctx := asked(t.Context(), "{ a }", nil)
		handler := q.InterceptOperation(ctx, func(context.Context) graphql.ResponseHandler { panic("defect") })
		require.ErrorContains(t, handler(ctx).Errors, "recovered: defect")
		require.Equal(t, "fine", ask(ctx, q, func(context.Context) string { return "fine" }))
	})
}

func TestNothingIsSharedForNoTime(t *testing.T) {
	q := NewQueries(0, everybody)
	ctx := asked(t.Context(), "{ a }", nil)
	require.Equal(t, "own", ask(ctx, q, func(context.Context) string { return "own" }))
	require.Empty(t, q.pending)
}
