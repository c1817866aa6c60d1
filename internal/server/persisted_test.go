package server

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	"rollcall/internal/auth"
)

func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// byHash are the extensions that ask for a document by its hash.
func byHash(hash string) string {
	return `{"persistedQuery":{"version":1,"sha256Hash":"` + hash + `"}}`
}

// What Apollo's clients look for to send the document.
const notFound = `{"errors":[{"message":"PersistedQueryNotFound","extensions":{"code":"PERSISTED_QUERY_NOT_FOUND"}}]}`

// asker sends an operation by one transport and is its only answer.
type asker func(t *testing.T, f *fixture, query, extensions string) string

// body is a request's body; without a query it has none.
func body(query, extensions string) string {
	if query == "" {
		return `{"extensions":` + extensions + `}`
	}
	return `{"query":` + quote(query) + `,"extensions":` + extensions + `}`
}

// askers are all transports.
func askers() map[string]asker {
	stream := []string{"Accept", "text/event-stream"}
	first := func(events string) string {
		_, data, _ := strings.Cut(events, "data: ")
		data, _, _ = strings.Cut(data, "\n")
		return data
	}
	get := func(t *testing.T, f *fixture, query, extensions string, header ...string) string {
		values := url.Values{"extensions": {extensions}}
		if query != "" {
			values.Set("query", query)
		}
		_, answer := f.do(t, http.MethodGet, "/graphql?"+values.Encode(), "", append(header, "Authorization", "Bearer ann")...)
		return answer
	}
	return map[string]asker{
		"POST": func(t *testing.T, f *fixture, query, extensions string) string {
			_, answer := f.post(t, body(query, extensions))
			return answer
		},
		"GET": func(t *testing.T, f *fixture, query, extensions string) string { return get(t, f, query, extensions) },
		"server-sent events": func(t *testing.T, f *fixture, query, extensions string) string {
			_, events := f.post(t, body(query, extensions), stream...)
			return first(events)
		},
		"server-sent events by GET": func(t *testing.T, f *fixture, query, extensions string) string {
			return first(get(t, f, query, extensions, stream...))
		},
		"WebSocket": askSocket,
	}
}

func askSocket(t *testing.T, f *fixture, query, extensions string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	conn, _, err := websocket.Dial(ctx, f.http.URL+"/graphql", &websocket.DialOptions{
		HTTPClient: f.http.Client(), Subprotocols: []string{"graphql-transport-ws"},
		HTTPHeader: http.Header{"Authorization": {"Bearer ann"}},
	})
	require.NoError(t, err)
	defer func() { _ = conn.CloseNow() }()
	for _, message := range []string{`{"type":"connection_init"}`, `{"type":"subscribe","id":"1","payload":` + body(query, extensions) + `}`} {
		require.NoError(t, conn.Write(ctx, websocket.MessageText, []byte(message)))
	}
	var m struct {
		Type    string
		Payload json.RawMessage
	}
	for m.Type != "next" && m.Type != "error" {
		_, data, err := conn.Read(ctx)
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(data, &m))
	}
	if m.Type == "error" {
		return `{"errors":` + string(m.Payload) + `}`
	}
	return string(m.Payload)
}

func TestPersistedQueries(t *testing.T) {
	for name, ask := range askers() {
		t.Run(name, func(t *testing.T) {
			f := serve(t)
			const query, answer = `{ who }`, `{"data":{"who":"ann"}}`
			require.JSONEq(t, notFound, ask(t, f, "", byHash(hashOf(query))))
			response, _ := f.post(t, body("", byHash(hashOf(query))))
			require.Equal(t, http.StatusOK, response.StatusCode, "or clients would not look into the answer")
			require.JSONEq(t, answer, ask(t, f, query, byHash(hashOf(query))))
			require.JSONEq(t, answer, ask(t, f, "", byHash(hashOf(query))))
			require.JSONEq(t, answer, ask(t, f, query, `{"persistedQuery":null}`))

			for extensions, message := range map[string]string{
				byHash(hashOf(`{ fail }`)): "provided APQ hash does not match query",
				`{"persistedQuery":{"version":2,"sha256Hash":"` + hashOf(query) + `"}}`: "unsupported APQ version",
				`{"persistedQuery":{"sha256Hash":"` + hashOf(query) + `"}}`:             "unsupported APQ version",
				`{"persistedQuery":"` + hashOf(query) + `"}`:                            "invalid APQ extension data",
				`{"persistedQuery":{"version":"one","sha256Hash":{}}}`:                  "invalid APQ extension data",
			} {
				require.JSONEq(t, `{"errors":[{"message":"`+message+`","extensions":{"code":"BAD_USER_INPUT"}}]}`,
					ask(t, f, query, extensions), extensions)
			}
			require.JSONEq(t, notFound, ask(t, f, "", byHash(hashOf(`{ fail }`))), "what was refused is not kept")
		})
	}
}

// Without a token nothing can be kept, nor had that others have sent.
func TestAnonymousHasNoPartInPersistedQueries(t *testing.T) {
	f := serve(t)
	const query = `{ __typename }`
	anonymously := func(query string) string {
		_, answer := f.do(t, http.MethodPost, "/graphql", body(query, byHash(hashOf(`{ __typename }`))), "Content-Type", "application/json")
		return answer
	}
	require.JSONEq(t, `{"data":{"meta":true}}`, anonymously(query))
	_, answer := f.post(t, body("", byHash(hashOf(query))))
	require.JSONEq(t, notFound, answer)
	_, answer = f.post(t, body(query, byHash(hashOf(query))))
	require.JSONEq(t, `{"data":{"meta":true}}`, answer)
	require.JSONEq(t, notFound, anonymously(""))
}

func TestPersistedQueriesAreBounded(t *testing.T) {
	p := newPersisted(10_000)
	ctx := auth.WithCaller(t.Context(), auth.Caller{ID: "ann"})
	text := strings.Repeat("x", 1000)
	hash := func(n int) string { return hashOf(text[:n]) }
	for n := range 100 {
		p.Add(ctx, hash(n), text)
	}
	require.Eventually(t, func() bool {
		kept := 0
		for n := range 100 {
			if _, ok := p.Get(ctx, hash(n)); ok {
				kept++
			}
		}
		return kept < 10
	}, patience, time.Millisecond)
}
