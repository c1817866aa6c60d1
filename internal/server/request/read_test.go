package request_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/99designs/gqlgen/graphql"
	"github.com/stretchr/testify/require"

	"rollcall/internal/server/request"
)

func read(t *testing.T, r *http.Request) *graphql.RawParams {
	t.Helper()
	asked, rejection := request.Read(httptest.NewRecorder(), r)
	require.Nil(t, rejection)
	return asked.Params
}

// Both ways of asking come to the same, and a large integer is no float on its way.
func TestPostAndGet(t *testing.T) {
	const variables, extensions = `{"n":9007199254740993,"s":"é"}`, `{"e":[1]}`
	post := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(
		` {"query":"{ a }","operationName":"A","variables":`+variables+`,"extensions":`+extensions+`,"more":1}`+"\n"))
	post.Header.Set("Content-Type", "application/json")
	get := httptest.NewRequest(http.MethodGet, "/?"+url.Values{
		"query": {"{ a }"}, "operationName": {"A"}, "variables": {variables}, "extensions": {extensions}, "more": {"1"},
	}.Encode(), nil)
	for _, r := range []*http.Request{post, get} {
		require.Equal(t, &graphql.RawParams{
			Query: "{ a }", OperationName: "A", Headers: r.Header,
			Variables:  map[string]any{"n": json.Number("9007199254740993"), "s": "é"},
			Extensions: map[string]any{"e": []any{json.Number("1")}},
		}, read(t, r))
	}
}

// Most members may be absent, or null.
func TestAbsentMembers(t *testing.T) {
	for _, body := range []string{`{}`, `{"query":null,"operationName":null,"variables":null,"extensions":null}`} {
		r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json; charset=utf-8")
		require.Equal(t, &graphql.RawParams{Headers: r.Header}, read(t, r))
	}
	for _, query := range []string{"", "?variables=null&extensions="} {
		r := httptest.NewRequest(http.MethodGet, "/"+query, nil)
		require.Equal(t, &graphql.RawParams{Headers: r.Header}, read(t, r))
	}
}
