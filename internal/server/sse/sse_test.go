package sse

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/99designs/gqlgen/graphql/handler"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"rollcall/internal/auth"
	"rollcall/internal/server/servertest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const patience = 10 * time.Second

type fixture struct {
	*Transport
	schema *servertest.Schema
	http   *httptest.Server
}

func newFixture(cfg Config) (*fixture, *handler.Server) {
	f := &fixture{Transport: New(cfg), schema: servertest.NewSchema()}
	h := handler.New(f.schema)
	h.AddTransport(f.Transport)
	h.SetErrorPresenter(servertest.Present)
	h.SetRecoverFunc(servertest.Recover)
	return f, h
}

// serve is a server whose callers all are the given one.
func serve(t *testing.T, cfg Config, caller auth.Caller) *fixture {
	t.Helper()
	f, h := newFixture(cfg)
	f.http = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.ServeHTTP(w, r.WithContext(auth.WithCaller(r.Context(), caller)))
	}))
	t.Cleanup(func() {
		f.Shutdown()
		f.http.Close() // waits for the handlers
		require.Eventually(t, func() bool { return f.schema.Streaming() == 0 }, patience, time.Millisecond)
	})
	return f
}

// open sends a request and gives its stream.
func (f *fixture) open(t *testing.T, request *http.Request) (*http.Response, *bufio.Reader) {
	t.Helper()
	request.Header.Set("Accept", "text/event-stream")
	request.Header.Set("Content-Type", "application/json")
	response, err := f.http.Client().Do(request)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, response.Body.Close()) })
	return response, bufio.NewReader(response.Body)
}

func (f *fixture) post(t *testing.T, query string) *bufio.Reader {
	t.Helper()
	body, err := json.Marshal(map[string]string{"query": query})
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, f.http.URL, strings.NewReader(string(body)))
	require.NoError(t, err)
	response, stream := f.open(t, request)
	require.Equal(t, http.StatusOK, response.StatusCode)
	return stream
}

// event is the next event: its lines.
func event(t *testing.T, stream *bufio.Reader) string {
	t.Helper()
	var lines strings.Builder
	for {
		line, err := stream.ReadString('\n')
		require.NoError(t, err)
		if line == "\n" {
			return lines.String()
		}
		lines.WriteString(line)
	}
}

const (
	comment  = ":\n"
	complete = "event: complete\ndata:\n"
)

func next(payload string) string { return "event: next\ndata: " + payload + "\n" }

func rest(t *testing.T, stream *bufio.Reader) string {
	t.Helper()
	data, err := io.ReadAll(stream)
	require.NoError(t, err)
	return string(data)
}

// Case 32 (docs/cases.md): the headers are there before there is an event.
func TestHeadersComeAtOnce(t *testing.T) {
	f := serve(t, Config{}, auth.Caller{ID: "ann"})
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, f.http.URL,
		strings.NewReader(`{"query":"subscription { tick }"}`))
	require.NoError(t, err)
	response, stream := f.open(t, request)
	require.Equal(t, "text/event-stream; charset=utf-8", response.Header.Get("Content-Type"))
	require.Equal(t, "no-cache", response.Header.Get("Cache-Control"))
	require.Equal(t, comment, event(t, stream))
	f.schema.Ticks <- "a"
	require.Equal(t, next(`{"data":{"tick":"a"}}`), event(t, stream))
}

// Case 32 (docs/cases.md): proxies cut streams that say nothing.
func TestCommentsKeepTheStreamOpen(t *testing.T) {
	f := serve(t, Config{CommentInterval: 10 * time.Millisecond}, auth.Caller{ID: "ann"})
	stream := f.post(t, `subscription { tick }`)
	for range 4 {
		require.Equal(t, comment, event(t, stream))
	}
}

func TestOperations(t *testing.T) {
	f := serve(t, Config{}, auth.Caller{ID: "ann"})
	for _, tt := range []struct {
		query  string
		events []string
	}{
		{`{ who }`, []string{next(`{"data":{"who":"ann"}}`)}},
		{`mutation { record(text: "a\nb") }`, []string{next(`{"data":{"record":"a\nb"}}`)}},
		{`subscription { count(to: 2) }`, []string{next(`{"data":{"count":1}}`), next(`{"data":{"count":2}}`)}},
		{`subscription { nested }`, []string{ // case 31 (docs/cases.md)
			next(`{"errors":[{"message":"inner","path":["nested",1],"extensions":{"code":"BAD_USER_INPUT"}}],"data":{"nested":["a",null]}}`),
		}},
		{`subscription { denied }`, []string{ // case 25 (docs/cases.md)
			next(`{"errors":[{"message":"denied","extensions":{"code":"BAD_USER_INPUT"}}],"data":null}`),
		}},
		{`{`, []string{next(`{"errors":[{"message":"Expected Name, found \u003cEOF\u003e",` +
			`"locations":[{"line":1,"column":2}],"extensions":{"code":"GRAPHQL_PARSE_FAILED"}}]}`)}},
	} {
		t.Run(tt.query, func(t *testing.T) {
			stream := f.post(t, tt.query)
			require.Equal(t, comment, event(t, stream))
			for _, e := range tt.events {
				require.Equal(t, e, event(t, stream))
			}
			require.Equal(t, complete+"\n", rest(t, stream))
		})
	}
}

func TestPanicIsTheLastEvent(t *testing.T) {
	f := serve(t, Config{}, auth.Caller{ID: "ann"})
	stream := f.post(t, `subscription { panics }`)
	require.Equal(t, comment, event(t, stream))
	require.Equal(t, next(`{"data":{"panics":1}}`), event(t, stream))
	require.Regexp(t, `^event: next\ndata: \{"errors":\[\{"message":"internal error","extensions":\{"code":"INTERNAL","id":"\w+"\}\}\]\}\n$`,
		event(t, stream))
	require.Equal(t, complete+"\n", rest(t, stream))
}

func TestGet(t *testing.T) {
	f := serve(t, Config{}, auth.Caller{ID: "ann"})
	for _, tt := range []struct {
		values url.Values
		status int
		body   string
	}{
		{
			url.Values{"query": {"subscription($to: Int) { count(to: $to) }"}, "variables": {`{"to":1}`}},
			http.StatusOK, ":\n\n" + next(`{"data":{"count":1}}`) + "\n" + complete + "\n",
		},
		{
			url.Values{"query": {`mutation { record(text: "a") }`}},
			http.StatusMethodNotAllowed,
			`{"errors":[{"message":"a mutation must be sent by POST","extensions":{"code":"BAD_USER_INPUT"}}]}`,
		},
		{
			url.Values{"query": {`{ who }`}, "variables": {`[]`}},
			http.StatusBadRequest,
			`{"errors":[{"message":"the parameter variables is not a JSON object","extensions":{"code":"BAD_USER_INPUT"}}]}`,
		},
	} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, f.http.URL+"?"+tt.values.Encode(), nil)
		require.NoError(t, err)
		response, stream := f.open(t, request)
		require.Equal(t, tt.status, response.StatusCode)
		require.Equal(t, tt.body, rest(t, stream))
	}
}

func TestMalformedBody(t *testing.T) {
	f := serve(t, Config{}, auth.Caller{ID: "ann"})
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, f.http.URL, strings.NewReader(`[]`))
	require.NoError(t, err)
	response, _ := f.open(t, request)
	require.Equal(t, http.StatusBadRequest, response.StatusCode)
}

func TestShutdownCutsTheStream(t *testing.T) {
	f := serve(t, Config{}, auth.Caller{ID: "ann"})
	stream := f.post(t, `subscription { tick }`)
	require.Equal(t, comment, event(t, stream))
	f.Shutdown()
	require.Empty(t, rest(t, stream), "no complete: the client is to come back")
}

func TestStreamEndsWithTheToken(t *testing.T) {
	f := serve(t, Config{}, auth.Caller{ID: "ann", ExpiresAt: time.Now().Add(100 * time.Millisecond)})
	stream := f.post(t, `subscription { tick }`)
	require.Equal(t, comment, event(t, stream))
	require.Empty(t, rest(t, stream))
}

// A client whose stream ended with its token is told so when it comes back with the same, within the authenticator's
// leeway too: a stream that opens and is cut would be opened again at once.
func TestNoStreamBeginsWithAnExpiredToken(t *testing.T) {
	f := serve(t, Config{}, auth.Caller{ID: "ann", ExpiresAt: time.Now().Add(-time.Millisecond)})
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, f.http.URL,
		strings.NewReader(`{"query":"subscription { tick }"}`))
	require.NoError(t, err)
	response, body := f.open(t, request)
	require.Equal(t, http.StatusUnauthorized, response.StatusCode)
	require.Contains(t, rest(t, body), `"code":"UNAUTHENTICATED"`)
	require.Zero(t, f.schema.Streaming())
}

func TestVanishedClientEndsTheOperation(t *testing.T) {
	f := serve(t, Config{}, auth.Caller{ID: "ann"})
	ctx, vanish := context.WithCancel(t.Context())
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, f.http.URL,
		strings.NewReader(`{"query":"subscription { tick }"}`))
	require.NoError(t, err)
	f.open(t, request)
	require.Eventually(t, func() bool { return f.schema.Streaming() == 1 }, patience, time.Millisecond)
	vanish()
	require.Eventually(t, func() bool { return f.schema.Streaming() == 0 }, patience, time.Millisecond)
}

func TestStalledReaderEndsTheOperation(t *testing.T) {
	f := serve(t, Config{WriteTimeout: 200 * time.Millisecond}, auth.Caller{ID: "ann"})
	f.post(t, `subscription { large(bytes: 100000) }`)
	require.Eventually(t, func() bool { return f.schema.Streaming() == 1 }, patience, time.Millisecond)
	require.Eventually(t, func() bool { return f.schema.Streaming() == 0 }, patience, time.Millisecond)
}

// deadlines records the write deadlines of a response.
type deadlines struct {
	*httptest.ResponseRecorder
	last time.Time
	n    int
}

func (d *deadlines) SetWriteDeadline(at time.Time) error {
	d.last = at
	d.n++
	return nil
}

// The connection may serve other requests afterwards, which must not inherit the deadline of the last event.
func TestDeadlineIsTakenOff(t *testing.T) {
	_, h := newFixture(Config{})
	r := httptest.NewRequest(http.MethodGet, "/?query={who}", nil)
	r.Header.Set("Accept", "text/event-stream")
	w := &deadlines{ResponseRecorder: httptest.NewRecorder()}
	h.ServeHTTP(w, r)
	require.Equal(t, 4, w.n, "one for each write, and the last one")
	require.Zero(t, w.last)
}
