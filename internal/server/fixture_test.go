package server

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"rollcall/internal/logtest"
	"rollcall/internal/server/address"
	"rollcall/internal/server/origin"
	"rollcall/internal/server/servertest"
	"rollcall/internal/server/ws"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patience is how long a test waits for something that should happen at once.
const patience = 10 * time.Second

// allowedOrigin is of the site whose pages may use the fixture's API.
const allowedOrigin = "https://app.example.com"

// fixture is the whole router over the test schema.
type fixture struct {
	*Handler
	schema   *servertest.Schema
	http     *httptest.Server
	log      *logtest.Log
	notReady error
}

func serve(t *testing.T) *fixture {
	t.Helper()
	return serveBy(t, func(*http.Server) {})
}

// serveWith is serve with options that are configured further.
func serveWith(t *testing.T, options func(*Options)) *fixture {
	t.Helper()
	return newFixture(t, options, func(*http.Server) {}, (*httptest.Server).Start)
}

// serveBy is serve by an HTTP server that is configured further.
func serveBy(t *testing.T, configure func(*http.Server)) *fixture {
	t.Helper()
	return newFixture(t, func(*Options) {}, configure, (*httptest.Server).Start)
}

// serveTLS is serveBy with TLS, as main serves it.
func serveTLS(t *testing.T, configure func(*http.Server)) *fixture {
	t.Helper()
	return newFixture(t, func(*Options) {}, configure, func(s *httptest.Server) {
		s.EnableHTTP2 = true
		s.StartTLS()
	})
}

func newFixture(t *testing.T, options func(*Options), configure func(*http.Server), start func(*httptest.Server)) *fixture {
	t.Helper()
	log, logged := logtest.New(slog.LevelDebug)
	f := &fixture{schema: servertest.NewSchema(), log: logged}
	origins, err := origin.Parse([]string{allowedOrigin})
	require.NoError(t, err)
	o := Options{
		Present:       servertest.Present,
		Recover:       servertest.Recover,
		WebSocket:     ws.Config{Authenticator: servertest.Authenticator{}, Origins: origins, Log: log},
		Introspection: true,
	}
	options(&o)
	f.Handler, err = NewHandler(f.schema, o)
	require.NoError(t, err)
	page := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/assets/panic" {
			panic("in a page")
		}
		_, _ = io.WriteString(w, "page "+r.URL.Path)
	})
	admin := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, "console "+r.URL.Path)
	})
	router := NewRouter(Routes{
		GraphQL: f.Handler, Page: page, Admin: admin, Ready: func(context.Context) error { return f.notReady },
		Authenticator: servertest.Authenticator{}, Present: servertest.Present, Gate: o.Gate, Log: log,
		Origins: origins, Proxies: address.Proxies{netip.MustParsePrefix("127.0.0.0/8")},
	})
	f.http = httptest.NewUnstartedServer(nil)
	f.http.Config = New("", router, log)
	configure(f.http.Config)
	start(f.http)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		require.NoError(t, f.Shutdown(ctx))
		f.http.Close()
		require.Eventually(t, func() bool { return f.schema.Streaming() == 0 }, patience, time.Millisecond)
	})
	return f
}

// do sends a request; header is pairs of name and value.
func (f *fixture) do(t *testing.T, method, path, body string, header ...string) (*http.Response, string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, method, f.http.URL+path, strings.NewReader(body))
	require.NoError(t, err)
	for i := 0; i < len(header); i += 2 {
		request.Header.Set(header[i], header[i+1])
	}
	response, err := f.http.Client().Do(request)
	require.NoError(t, err)
	answer, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	return response, string(answer)
}

// post sends a GraphQL request as a caller.
func (f *fixture) post(t *testing.T, body string, header ...string) (*http.Response, string) {
	t.Helper()
	header = append([]string{"Content-Type", "application/json", "Authorization", "Bearer ann"}, header...)
	return f.do(t, http.MethodPost, "/graphql", body, header...)
}
