package server

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"rollcall/internal/server/limit"
)

func TestBodies(t *testing.T) {
	f := serve(t)
	executed := `{"data":{"who":"ann"}}`
	for _, tt := range []struct {
		name   string
		body   string
		header []string
		status int
		answer string // a part of it
	}{
		{"query", `{"query":"{ who }"}`, nil, 200, executed},
		{"all members", `{"query":"query A { who }","operationName":"A","variables":{"a":1},"extensions":{}}`, nil, 200, executed},
		{"null members", `{"query":"{ who }","operationName":null,"variables":null,"extensions":null}`, nil, 200, executed},
		{"space around", " \r\n\t" + `{"query":"{ who }"}` + "\n", nil, 200, executed},
		{"charset", `{"query":"{ who }"}`, []string{"Content-Type", "application/json; charset=UTF-8"}, 200, executed},
		{"64 KiB", `{"query":"{ who }","variables":{"a":"` + strings.Repeat("x", limit.Request-40) + `"}}`, nil, 200, executed},

		{"larger", `{"query":"{ who }","variables":{"a":"` + strings.Repeat("x", limit.Request) + `"}}`, nil, 413, "too large"},
		{"no content type", `{"query":"{ who }"}`, []string{"Content-Type", ""}, 415, "content type"},
		{"a form's content type", `{"query":"{ who }"}`, []string{"Content-Type", "text/plain"}, 415, "content type"},
		{"another charset", `{"query":"{ who }"}`, []string{"Content-Type", "application/json; charset=utf-16"}, 415, "character set"},
		{"compressed", "\x1f\x8b\x08", []string{"Content-Encoding", "gzip"}, 415, "compressed"},
		{"empty", ``, nil, 400, "not a JSON object"},
		{"not JSON", `query={who}`, nil, 400, "not a JSON object"},
		{"cut off", `{"query":"{ who`, nil, 400, "not valid JSON"},
		{"two objects", `{"query":"{ who }"}{}`, nil, 400, "not valid JSON"},
		{"null", `null`, nil, 400, "not a JSON object"},
		{"string", `"{ who }"`, nil, 400, "not a JSON object"},
		{"batch", `[{"query":"{ who }"}]`, nil, 400, "batched"},
		{"query a number", `{"query":1}`, nil, 400, "member query"},
		{"operationName an object", `{"query":"{ who }","operationName":{}}`, nil, 400, "member operationName"},
		{"variables an array", `{"query":"{ who }","variables":[1]}`, nil, 400, "member variables"},
		{"variables a string", `{"query":"{ who }","variables":"{}"}`, nil, 400, "member variables"},
		{"extensions a number", `{"query":"{ who }","extensions":1}`, nil, 400, "member extensions"},
		{"invalid UTF-8", "{\"query\":\"mutation { record(text: \\\"\xff\\\") }\"}", nil, 400, "UTF-8"},
		{"overlong UTF-8", "{\"query\":\"mutation { record(text: \\\"\xc0\xaf\\\") }\"}", nil, 400, "UTF-8"},
		{"UTF-16", "\xff\xfe{\x00}\x00", nil, 400, "UTF-8"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			response, answer := f.post(t, tt.body, tt.header...)
			require.Equal(t, tt.status, response.StatusCode, answer)
			require.Contains(t, answer, tt.answer)
			require.Contains(t, response.Header.Get("Content-Type"), "application/json")
			if tt.status != http.StatusOK {
				require.Regexp(t, `^\{"errors":\[\{"message":"[^"]+","extensions":\{"code":"BAD_USER_INPUT"\}\}\]\}$`, answer)
			}
		})
	}
}

// What needs much room is heartbeats of many users, which services send.
func TestLargeBodiesAreForHeartbeats(t *testing.T) {
	f := serve(t)
	const (
		beats     = `mutation { heartbeats(input: []) }`
		fragments = `mutation { ...F } fragment F on Mutation { ... { a: heartbeats(input: []) } b: heartbeats(input: []) }`
		more      = `mutation { ...F } fragment F on Mutation { heartbeats(input: []) record(text: "a") }`
	)
	for _, tt := range []struct {
		caller, query string
		bytes, status int
	}{
		{"gateway", beats, limit.Heartbeats, 200},
		{"gateway", fragments, limit.Heartbeats, 200},
		{"gateway", beats, limit.Heartbeats + 1, 413},
		{"gateway", more, limit.Request, 200},
		{"gateway", more, limit.Request + 1, 413},
		{"gateway", `{ who }`, limit.Request, 200},
		{"gateway", `{ who }`, limit.Request + 1, 413},
		{"ann", beats, limit.Request, 200},
		{"ann", beats, limit.Request + 1, 413},
	} {
		f.schema.Record = func(context.Context, string) {}
		if tt.status != http.StatusOK {
			f.schema.Record = func(context.Context, string) { t.Error("executed") }
		}
		body := `{"query":` + quote(tt.query) + `}`
		body += strings.Repeat(" ", tt.bytes-len(body))
		response, answer := f.post(t, body, "Authorization", "Bearer "+tt.caller)
		require.Equal(t, tt.status, response.StatusCode, "%s: %s of %d bytes: %s", tt.caller, tt.query, tt.bytes, answer)
		response, answer = f.post(t, body, "Authorization", "Bearer "+tt.caller, "Accept", "text/event-stream")
		require.Equal(t, tt.status, response.StatusCode, "%s: %s of %d bytes: %s", tt.caller, tt.query, tt.bytes, answer)
	}
}

// A stream's body is checked too.
func TestBodyOfAStream(t *testing.T) {
	f := serve(t)
	response, answer := f.post(t, `[]`, "Accept", "text/event-stream")
	require.Equal(t, http.StatusBadRequest, response.StatusCode)
	require.Contains(t, answer, "batched")
	_, answer = f.post(t, `{"query":"subscription { count(to: 1) }"}`, "Accept", "text/event-stream")
	require.Contains(t, answer, `data: {"data":{"count":1}}`)
}

// A request without a token can only ask for the schema, so that a large one is not even parsed. It is not called
// too large: with a token it is served.
func TestLargeRequestsNeedAToken(t *testing.T) {
	f := serve(t)
	introspection := func(size int) string { return `{ __typename }` + strings.Repeat(" ", size) }
	for _, tt := range []struct {
		name, method, query string
		allowed             bool
	}{
		{"small POST", http.MethodPost, introspection(4 << 10), true},
		{"large POST", http.MethodPost, introspection(limit.Anonymous), false},
		{"small GET", http.MethodGet, introspection(1 << 10), true}, // its spaces are escaped
		{"large GET", http.MethodGet, introspection(limit.Anonymous), false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			send := func(header ...string) (*http.Response, string) {
				if tt.method == http.MethodGet {
					return f.do(t, tt.method, "/graphql?"+url.Values{"query": {tt.query}}.Encode(), "", header...)
				}
				return f.do(t, tt.method, "/graphql", `{"query":`+quote(tt.query)+`}`, append(header, "Content-Type", "application/json")...)
			}
			response, answer := send()
			if tt.allowed {
				require.Equal(t, http.StatusOK, response.StatusCode, answer)
			} else {
				require.Equal(t, http.StatusUnauthorized, response.StatusCode, answer)
				require.Equal(t, "Bearer", response.Header.Get("WWW-Authenticate"))
				require.Contains(t, answer, "UNAUTHENTICATED")
			}
			response, answer = send("Authorization", "Bearer ann")
			require.Equal(t, http.StatusOK, response.StatusCode, answer)
		})
	}
}

// Case 28 (docs/cases.md): what is too long is not even parsed to its end.
func TestDocumentsHaveALimit(t *testing.T) {
	f := serve(t)
	document := func(fields int) string { return `{"query":"{` + strings.Repeat(" who", fields) + `}"}` }
	response, answer := f.post(t, document(limit.DocumentTokens))
	require.Equal(t, http.StatusOK, response.StatusCode)
	require.Contains(t, answer, `"extensions":{"code":"GRAPHQL_PARSE_FAILED"}`)
	require.Less(t, len(answer), 1000, "the document is not repeated")
	response, answer = f.post(t, document(100))
	require.Equal(t, http.StatusOK, response.StatusCode, answer)
}
