package operation

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"testing"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/handler/extension"
	"github.com/stretchr/testify/require"
	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/validator/rules"

	"rollcall/internal/auth"
	"rollcall/internal/server/servertest"
)

const asked = `{ who }`

// persisted is a request for a document by its hash, with its text or without.
func persisted(text, of string) graphql.RawParams {
	hash := sha256.Sum256([]byte(of))
	return graphql.RawParams{Query: text, Extensions: map[string]any{
		"persistedQuery": map[string]any{"version": 1, "sha256Hash": hex.EncodeToString(hash[:])},
	}}
}

// reader validates documents without any bounds.
type reader struct{ schema *ast.Schema }

func (r reader) Read(_ context.Context, text string) (*ast.QueryDocument, gqlerror.List) {
	return gqlparser.LoadQueryWithRules(r.schema, text, rules.NewDefaultRules())
}

func newExecutor() *Executor {
	schema := servertest.NewSchema()
	exec := NewExecutor(schema, Options{
		Documents: reader{schema.Schema()}, Present: servertest.Present, Recover: servertest.Recover,
	})
	exec.Use(extension.Introspection{})
	exec.Use(extension.AutomaticPersistedQuery{Cache: graphql.MapCache[string]{}})
	exec.Use(unwanted{})
	return exec
}

// unwanted refuses the operation of that name.
type unwanted struct{}

func (unwanted) ExtensionName() string { return "Unwanted" }

func (unwanted) Validate(graphql.ExecutableSchema) error { return nil }

func (unwanted) MutateOperationContext(_ context.Context, op *graphql.OperationContext) *gqlerror.Error {
	if op.OperationName == "unwanted" {
		return gqlerror.Errorf("unwanted")
	}
	return nil
}

// answer is what a client is told.
func answer(t *testing.T, exec *Executor, params graphql.RawParams) string {
	t.Helper()
	ctx := graphql.StartOperationTrace(auth.WithCaller(t.Context(), auth.Caller{ID: "ann"}))
	op, errs := exec.CreateOperationContext(ctx, &params)
	if len(errs) > 0 {
		return exec.DispatchError(graphql.WithOperationContext(ctx, op), errs).Errors.Error()
	}
	next, ctx := exec.DispatchOperation(ctx, op)
	response := next(ctx)
	require.Empty(t, response.Errors)
	return string(response.Data)
}

func TestRequestsAreAnsweredOrRefused(t *testing.T) {
	for name, tt := range map[string]struct {
		params graphql.RawParams
		answer string
	}{
		"query": {graphql.RawParams{Query: asked}, `{"who":"ann"}`},
		"variables": {
			graphql.RawParams{Query: `mutation($t: String!) {record(text: $t)}`, Variables: map[string]any{"t": "x"}}, `{"record":"x"}`,
		},
		"variable that is no plain one": {
			graphql.RawParams{Query: `mutation($t: String! = "y") {record(text: $t)}`}, `{"record":"y"}`,
		},
		"one of two":     {graphql.RawParams{Query: `query a {who} query b {__typename}`, OperationName: "a"}, `{"who":"ann"}`},
		"none of two":    {graphql.RawParams{Query: `query a {who} query b {__typename}`, OperationName: "c"}, "input: operation c not found\n"},
		"refused":        {graphql.RawParams{Query: `query unwanted {who}`, OperationName: "unwanted"}, "input: unwanted\n"},
		"no variable":    {graphql.RawParams{Query: `mutation($t: String!) {record(text: $t)}`}, "input: variable.t must be defined\n"},
		"invalid":        {graphql.RawParams{Query: `{whom}`}, "input:1:2: Cannot query field \"whom\" on type \"Query\". Did you mean \"who\"?\n"},
		"unknown hash":   {persisted("", "unknown"), "input: PersistedQueryNotFound\n"},
		"document, hash": {persisted(asked, asked), `{"who":"ann"}`},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, tt.answer, answer(t, newExecutor(), tt.params))
		})
	}
}

func TestPersistedDocumentIsRead(t *testing.T) {
	exec := newExecutor()
	require.JSONEq(t, `{"who":"ann"}`, answer(t, exec, persisted(asked, asked)))
	params := persisted("", asked)
	op, errs := exec.CreateOperationContext(t.Context(), &params)
	require.Empty(t, errs)
	require.Equal(t, asked, op.RawQuery)
	require.False(t, op.DisableIntrospection)
}

func TestFieldsAreInterceptedFromTheFirstExtensionOn(t *testing.T) {
	exec := newExecutor()
	exec.Use(onField("a"))
	exec.Use(onField("b"))
	op, errs := exec.CreateOperationContext(t.Context(), &graphql.RawParams{Query: asked})
	require.Empty(t, errs)
	got, err := op.ResolverMiddleware(t.Context(), func(context.Context) (any, error) { return "", nil })
	require.NoError(t, err)
	require.Equal(t, "ba", got)
}

// onField puts its name behind the values of fields.
type onField string

func (onField) ExtensionName() string { return "OnField" }

func (onField) Validate(graphql.ExecutableSchema) error { return nil }

func (o onField) InterceptField(ctx context.Context, next graphql.Resolver) (any, error) {
	value, err := next(ctx)
	return value.(string) + string(o), err
}
