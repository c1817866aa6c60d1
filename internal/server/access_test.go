package server

import (
	"context"
	"net/http"
	"net/url"
	"testing"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"
)

const unauthenticated = `{"errors":[{"message":"not authenticated","extensions":{"code":"UNAUTHENTICATED"}}],"data":null}`

func TestBadTokenIsRefused(t *testing.T) {
	f := serve(t)
	for _, authorization := range []string{"Bearer bad", "Bearer ", "Basic YTpi", "ann"} {
		response, answer := f.post(t, `{"query":"{ __typename }"}`, "Authorization", authorization)
		require.Equal(t, http.StatusUnauthorized, response.StatusCode)
		require.Equal(t, "Bearer", response.Header.Get("WWW-Authenticate"))
		require.Contains(t, answer, `"extensions":{"code":"UNAUTHENTICATED"}`)
	}
}

// Clients take 401 for the end of their user's sign-in, which nobody can say here.
func TestTokenThatCannotBeChecked(t *testing.T) {
	f := serve(t)
	response, answer := f.post(t, `{"query":"{ who }"}`, "Authorization", "Bearer unchecked")
	require.Equal(t, http.StatusServiceUnavailable, response.StatusCode)
	require.Contains(t, answer, `"code":"UNAVAILABLE","retryAfterMs":1000`)
}

// A token in a URL would be in logs, histories and referrers: it is not looked at.
func TestATokenInAURLIsNone(t *testing.T) {
	f := serve(t)
	for _, name := range []string{"access_token", "token", "authorization", "Authorization", "bearer", "jwt"} {
		query := url.Values{"query": {"{ who }"}, name: {"Bearer ann"}, "extensions": {`{"Authorization":"Bearer ann"}`}}.Encode()
		_, answer := f.do(t, http.MethodGet, "/graphql?"+query, "")
		require.JSONEq(t, unauthenticated, answer)
		_, answer = f.do(t, http.MethodPost, "/graphql?"+query, `{"query":"{ who }"}`, "Content-Type", "application/json")
		require.JSONEq(t, unauthenticated, answer)

		conn, response, err := websocket.Dial(t.Context(), f.http.URL+"/graphql?"+query, &websocket.DialOptions{
			HTTPClient: f.http.Client(), Subprotocols: []string{"graphql-transport-ws", "Bearer", "ann"},
		})
		require.NoError(t, err)
		require.Equal(t, "graphql-transport-ws", response.Header.Get("Sec-WebSocket-Protocol"))
		for _, message := range []string{`{"type":"connection_init"}`, `{"type":"subscribe","id":"1","payload":{"query":"{ who }"}}`} {
			require.NoError(t, conn.Write(t.Context(), websocket.MessageText, []byte(message)))
		}
		_, _, err = conn.Read(t.Context())
		require.NoError(t, err)
		_, message, err := conn.Read(t.Context())
		require.NoError(t, err)
		require.Contains(t, string(message), "UNAUTHENTICATED")
		require.NoError(t, conn.Close(websocket.StatusNormalClosure, ""))
	}
}

func TestAnonymousMayOnlyIntrospect(t *testing.T) {
	f := serve(t)
	f.schema.Record = func(context.Context, string) { t.Error("executed for an anonymous caller") }
	for query, allowed := range map[string]bool{
		`{ __typename }`: true,
		`{ __schema { queryType { name } } __type(name: "Query") { name } }`: true,
		`query A { ...F } fragment F on Query { ... { t: __typename } }`:     true,

		`{ who }`:                    false,
		`{ __typename who }`:         false,
		`{ __typename: who }`:        false,
		`{ __typename ... { who } }`: false,
		`{ ...F } fragment F on Query { ...G } fragment G on Query { __typename who }`: false,
		`mutation { __typename }`:                   false,
		`mutation { record(text: "a") }`:            false,
		`mutation { __typename record(text: "a") }`: false,
	} {
		response, answer := f.do(t, http.MethodPost, "/graphql", `{"query":`+quote(query)+`}`, "Content-Type", "application/json")
		require.Equal(t, http.StatusOK, response.StatusCode, query)
		if allowed {
			require.JSONEq(t, `{"data":{"meta":true}}`, answer, query)
		} else {
			require.JSONEq(t, unauthenticated, answer, query)
		}
	}
}

// Case 25 (docs/cases.md): a subscription that is denied ends after exactly one error, on every transport.
func TestAnonymousSubscription(t *testing.T) {
	f := serve(t)
	const query = `{"query":"subscription { tick }"}`
	_, answer := f.do(t, http.MethodPost, "/graphql", query, "Content-Type", "application/json", "Accept", "text/event-stream")
	require.Equal(t, ":\n\nevent: next\ndata: "+unauthenticated+"\n\nevent: complete\ndata:\n\n", answer)

	conn, _, err := websocket.Dial(t.Context(), f.http.URL+"/graphql", &websocket.DialOptions{
		HTTPClient: f.http.Client(), Subprotocols: []string{"graphql-transport-ws"},
	})
	require.NoError(t, err)
	defer func() { _ = conn.CloseNow() }()
	for _, message := range []string{`{"type":"connection_init"}`, `{"type":"subscribe","id":"1","payload":` + query + `}`, `{"type":"ping"}`} {
		require.NoError(t, conn.Write(t.Context(), websocket.MessageText, []byte(message)))
	}
	var messages []string
	for range 4 {
		_, data, err := conn.Read(t.Context())
		require.NoError(t, err)
		messages = append(messages, string(data))
	}
	require.ElementsMatch(t, []string{
		`{"type":"connection_ack"}`,
		`{"type":"next","id":"1","payload":` + unauthenticated + `}`,
		`{"type":"complete","id":"1"}`,
		`{"type":"pong"}`,
	}, messages)
	require.NoError(t, conn.Close(websocket.StatusNormalClosure, ""))
}

// A bad token of a WebSocket is told by a close code, wherever the token was.
func TestBadTokenOfAHandshake(t *testing.T) {
	f := serve(t)
	conn, _, err := websocket.Dial(t.Context(), f.http.URL+"/graphql", &websocket.DialOptions{
		HTTPClient: f.http.Client(), Subprotocols: []string{"graphql-transport-ws"},
		HTTPHeader: http.Header{"Authorization": {"Bearer bad"}},
	})
	require.NoError(t, err)
	defer func() { _ = conn.CloseNow() }()
	require.NoError(t, conn.Write(t.Context(), websocket.MessageText, []byte(`{"type":"connection_init"}`)))
	_, _, err = conn.Read(t.Context())
	require.Equal(t, websocket.StatusCode(4403), websocket.CloseStatus(err))
}

// Case 27 (docs/cases.md): another site's page can neither ask nor open a socket in the name of its reader, whichever way, unless it
// is listed; one list is for all ways.
func TestOtherOrigins(t *testing.T) {
	f := serve(t)
	f.schema.Record = func(context.Context, string) {}
	for origin, allowed := range map[string]bool{
		"": true, f.http.URL: true, allowedOrigin: true, "https://evil.test": false, "null": false,
	} {
		header := http.Header{}
		var pair []string
		if origin != "" {
			header.Set("Origin", origin)
			pair = []string{"Origin", origin}
		}
		status := map[bool]int{true: http.StatusOK, false: http.StatusForbidden}[allowed]
		response, _ := f.post(t, `{"query":"mutation { record(text: \"a\") }"}`, pair...)
		require.Equal(t, status, response.StatusCode, origin)
		response, _ = f.post(t, `{"query":"subscription { count(to: 1) }"}`, append(pair, "Accept", "text/event-stream")...)
		require.Equal(t, status, response.StatusCode, origin)
		response, _ = f.do(t, http.MethodGet, "/graphql?query={__typename}", "", pair...)
		require.Equal(t, status, response.StatusCode, origin)
		if allowed {
			require.Equal(t, origin, response.Header.Get("Access-Control-Allow-Origin"))
		} else {
			require.Empty(t, response.Header.Get("Access-Control-Allow-Origin"))
		}
		conn, response, err := websocket.Dial(t.Context(), f.http.URL+"/graphql", &websocket.DialOptions{
			HTTPClient: f.http.Client(), HTTPHeader: header, Subprotocols: []string{"graphql-transport-ws"},
		})
		if allowed {
			require.NoError(t, err, origin)
			require.NoError(t, conn.CloseNow())
		} else {
			require.Equal(t, http.StatusForbidden, response.StatusCode, origin)
			require.NoError(t, response.Body.Close())
		}
	}
}

// What a page of any site can have a browser send without asking first (https://fetch.spec.whatwg.org/#simple-header) does
// nothing: a request that does has a content type or a header, Authorization, that it has to ask for.
func TestRequestsWithoutAPreflightDoNothing(t *testing.T) {
	f := serve(t)
	f.schema.Record = func(context.Context, string) { t.Error("executed") }
	for _, contentType := range []string{"", "text/plain", "text/plain; application/json", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"} {
		response, _ := f.post(t, `{"query":"mutation { record(text: \"a\") }"}`, "Content-Type", contentType)
		require.Equal(t, http.StatusUnsupportedMediaType, response.StatusCode, contentType)
	}
	for _, query := range []string{`{ who }`, `mutation { record(text: "a") }`} {
		_, answer := f.do(t, http.MethodGet, "/graphql?"+url.Values{"query": {query}}.Encode(), "", "Cookie", "Authorization=Bearer ann")
		require.NotContains(t, answer, "ann")
	}
}

func TestGetIsForQueries(t *testing.T) {
	f := serve(t)
	f.schema.Record = func(context.Context, string) { t.Error("executed by GET") }
	get := func(query string, header ...string) (*http.Response, string) {
		header = append(header, "Authorization", "Bearer ann")
		return f.do(t, http.MethodGet, "/graphql?"+url.Values{"query": {query}}.Encode(), "", header...)
	}
	_, answer := get(`{ who }`)
	require.JSONEq(t, `{"data":{"who":"ann"}}`, answer)
	for _, accept := range []string{"application/json", "text/event-stream"} {
		response, _ := get(`mutation { record(text: "a") }`, "Accept", accept)
		require.GreaterOrEqual(t, response.StatusCode, 400)
		require.Less(t, response.StatusCode, 500)
	}
}
