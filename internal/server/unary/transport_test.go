package unary

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/99designs/gqlgen/graphql/executor"
	"github.com/stretchr/testify/require"

	"rollcall/internal/auth"
	"rollcall/internal/server/servertest"
)

const (
	asked      = `{"query":"{ who }"}`
	unparsable = `{"query":"{"}`
)

// answer is the transport's answer to a request of ann's.
func answer(t *testing.T, r *http.Request) *writes {
	t.Helper()
	schema := servertest.NewSchema()
	exec := executor.New(schema)
	exec.SetErrorPresenter(servertest.Present)
	exec.SetRecoverFunc(servertest.Recover)
	w := &writes{ResponseRecorder: httptest.NewRecorder()}
	require.True(t, Transport{}.Supports(r))
	Transport{}.Do(w, r.WithContext(auth.WithCaller(r.Context(), auth.Caller{ID: "ann"})), exec)
	require.Zero(t, schema.Streaming())
	return w
}

// writes counts the writes of a response.
type writes struct {
	*httptest.ResponseRecorder
	n int
}

func (w *writes) Write(p []byte) (int, error) {
	w.n++
	return w.ResponseRecorder.Write(p)
}

func post(body string) *http.Request {
	r := httptest.NewRequest(http.MethodPost, "/graphql", strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	return r
}

func get(values url.Values) *http.Request {
	return httptest.NewRequest(http.MethodGet, "/graphql?"+values.Encode(), nil)
}

func TestAnswers(t *testing.T) {
	for name, tt := range map[string]struct {
		request *http.Request
		status  int
		answer  string
	}{
		"query":    {post(asked), 200, `{"data":{"who":"ann"}}`},
		"mutation": {post(`{"query":"mutation { record(text: \"a\") }"}`), 200, `{"data":{"record":"a"}}`},
		"failed field": {
			post(`{"query":"{ fail }"}`), 200,
			`{"errors":[{"message":"it failed","path":["fail"],"extensions":{"code":"BAD_USER_INPUT"}}],"data":{"fail":null}}`,
		},
		"no GraphQL": {
			post(unparsable), 200,
			`{"errors":[{"message":"Expected Name, found \u003cEOF\u003e","locations":[{"line":1,"column":2}],"extensions":{"code":"GRAPHQL_PARSE_FAILED"}}]}`,
		},
		"no operation": {
			post(`{}`), 200,
			`{"errors":[{"message":"no operation provided","extensions":{"code":"GRAPHQL_VALIDATION_FAILED"}}]}`,
		},
		"subscription": {
			post(`{"query":"subscription { count(to: 1) }"}`), 400,
			`{"errors":[{"message":"subscriptions need a WebSocket, or a stream of server-sent events","extensions":{"code":"BAD_USER_INPUT"}}]}`,
		},
		"subscription by GET": {
			get(url.Values{"query": {"subscription { count(to: 1) }"}}), 400,
			`{"errors":[{"message":"subscriptions need a WebSocket, or a stream of server-sent events","extensions":{"code":"BAD_USER_INPUT"}}]}`,
		},
		"GET": {
			get(url.Values{"query": {"query A($t: Boolean!) { who @include(if: $t) } query B { fail }"}, "operationName": {"A"}, "variables": {`{"t":true}`}, "extensions": {"null"}}), 200,
			`{"data":{"who":"ann"}}`,
		},
		"mutation by GET": {
			get(url.Values{"query": {`mutation { record(text: "a") }`}}), 405,
			`{"errors":[{"message":"a mutation must be sent by POST","extensions":{"code":"BAD_USER_INPUT"}}]}`,
		},
		"broken variables by GET": {
			get(url.Values{"query": {`{ who }`}, "variables": {`{"a":`}}), 400,
			`{"errors":[{"message":"the parameter variables is not valid JSON","extensions":{"code":"BAD_USER_INPUT"}}]}`,
		},
		"bytes by GET": {
			get(url.Values{"query": {"{ who # \xff\n}"}}), 400,
			`{"errors":[{"message":"the query string is not valid UTF-8","extensions":{"code":"BAD_USER_INPUT"}}]}`,
		},
		"broken query string": {
			httptest.NewRequest(http.MethodGet, "/graphql?query=%zz", nil), 400,
			`{"errors":[{"message":"the query string is malformed","extensions":{"code":"BAD_USER_INPUT"}}]}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := answer(t, tt.request)
			require.Equal(t, tt.status, w.Code, w.Body)
			require.Equal(t, tt.answer, w.Body.String())
			require.Equal(t, "application/json", w.Header().Get("Content-Type"))
			require.Equal(t, 1, w.n)
			if tt.status == http.StatusMethodNotAllowed {
				require.Equal(t, "POST", w.Header().Get("Allow"))
			}
		})
	}
}

func TestLengthIsTold(t *testing.T) {
	w := answer(t, post(`{"query":"mutation($t: String!) { record(text: $t) }","variables":{"t":"`+strings.Repeat("x", 60_000)+`"}}`))
	require.Equal(t, strconv.Itoa(w.Body.Len()), w.Header().Get("Content-Length"))
	require.Equal(t, 1, w.n)
}

func TestContentType(t *testing.T) {
	for accept, graphQL := range map[string]bool{
		"":                                  false,
		"*/*":                               false,
		"text/html, application/*;q=0.5":    false,
		"application/json":                  false,
		"Application/JSON; charset=utf-8":   false,
		"application/json, " + graphQLJSON:  false,
		graphQLJSON:                         true,
		graphQLJSON + ", application/json":  true,
		graphQLJSON + ";charset=utf-8, */*": true,
		"text/html":                         true,
	} {
		t.Run(accept, func(t *testing.T) {
			wanted, refused := "application/json", http.StatusOK
			if graphQL {
				wanted, refused = graphQLJSON, http.StatusBadRequest
			}
			for body, status := range map[string]int{asked: http.StatusOK, unparsable: refused} {
				r := post(body)
				r.Header.Set("Accept", accept)
				w := answer(t, r)
				require.Equal(t, wanted, w.Header().Get("Content-Type"))
				require.Equal(t, status, w.Code)
			}
		})
	}
}

// Whoever has gone is told nothing, but the log of a proxy between may tell of it.
func TestGivenUpRequest(t *testing.T) {
	r := post(asked)
	ctx, leave := context.WithCancel(r.Context())
	leave()
	w := answer(t, r.WithContext(ctx))
	require.Contains(t, w.Body.String(), `"code":"UNAVAILABLE"`)
}
