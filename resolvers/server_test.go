package resolvers_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/99designs/gqlgen/graphql/handler"
	"github.com/99designs/gqlgen/graphql/handler/transport"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"rollcall/internal/auth"
	"rollcall/internal/feed"
	"rollcall/internal/keepalive"
	"rollcall/internal/logtest"
	"rollcall/internal/presence"
	"rollcall/internal/presence/memstore"
	"rollcall/internal/presence/presencetest"
	"rollcall/internal/pulse"
	"rollcall/internal/server/limit"
	"rollcall/internal/server/sse"
	"rollcall/resolvers"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patience bounds every wait of these tests.
const patience = 10 * time.Second

// server is the resolvers over a store in memory with a clock that stands
// still, and everything that a test looks at or breaks.
type server struct {
	clock     *presencetest.Clock
	store     *memstore.Store
	service   *service
	directory *directory
	hub       *feed.Hub
	pulse     *pulse.Pulse // of every connection
	log       *logtest.Log
	url       string
	handler   http.Handler
}

// Callers.
var (
	nobody  = auth.Caller{}
	ann     = auth.Caller{ID: "ann", Role: auth.User}
	bob     = auth.Caller{ID: "bob", Role: auth.User}
	gateway = auth.Caller{ID: "gate", Role: auth.Service}
	root    = auth.Caller{ID: "root", Role: auth.Admin}
)

func newServer(t *testing.T) *server {
	t.Helper()
	log, logged := logtest.New(slog.LevelInfo)
	s := &server{
		clock: presencetest.NewClock(), directory: newDirectory(), pulse: new(pulse.Pulse), log: logged,
	}
	s.store = memstore.New(memstore.Options{Shards: 4, LevelIndex: true, Now: s.clock.Now})
	s.service = &service{Service: presence.NewService(s.store, presence.DefaultRules(), s.directory, log)}
	s.hub = feed.NewHub(s.store, feed.Config{}, log)
	s.hub.Start()
	t.Cleanup(s.hub.Stop)

	dependencies := resolvers.Dependencies{
		Service: s.service, Directory: s.directory, Feed: s.hub,
		Keeper: keepalive.New(s.service, s.hub, log), Beats: beatRate(12.5), Log: log,
	}
	srv := handler.New(resolvers.Schema(dependencies))
	srv.SetErrorPresenter(resolvers.ErrorPresenter(log))
	srv.SetRecoverFunc(resolvers.RecoverFunc(log))
	srv.SetParserTokenLimit(limit.TrustedTokens)
	srv.Use(resolvers.Extension(dependencies))
	srv.Use(resolvers.Plain())
	srv.AddTransport(sse.New(sse.Config{}))
	srv.AddTransport(transport.POST{})
	s.handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx := pulse.With(r.Context(), s.pulse)
		if id := r.Header.Get("Caller"); id != "" {
			ctx = auth.WithCaller(ctx, auth.Caller{ID: id, Role: auth.Role(r.Header.Get("Role"))})
		}
		srv.ServeHTTP(w, r.WithContext(ctx))
	})
	listener := httptest.NewServer(s.handler)
	t.Cleanup(listener.Close)
	s.url = listener.URL
	return s
}

type variables = map[string]any

// answer is one response.
type answer struct {
	Data   json.RawMessage `json:"data"`
	Errors []answerError   `json:"errors"`
}

type answerError struct {
	Message    string `json:"message"`
	Path       []any  `json:"path"`
	Extensions struct {
		Code         string `json:"code"`
		RetryAfterMs int    `json:"retryAfterMs"`
		ID           string `json:"id"`
	} `json:"extensions"`
}

// code is that of the answer's only error; empty without one.
func (a answer) code(t *testing.T) string {
	t.Helper()
	if len(a.Errors) == 0 {
		return ""
	}
	require.Len(t, a.Errors, 1)
	require.NotEmpty(t, a.Errors[0].Extensions.Code, a.Errors[0].Message)
	return a.Errors[0].Extensions.Code
}

// is asserts an answer without errors.
func (a answer) is(t *testing.T, data string) {
	t.Helper()
	require.Empty(t, a.Errors)
	require.JSONEq(t, data, string(a.Data))
}

// into decodes the data of an answer without errors.
func (a answer) into(t *testing.T, v any) {
	t.Helper()
	require.Empty(t, a.Errors)
	require.NoError(t, json.Unmarshal(a.Data, v))
}

func request(t *testing.T, ctx context.Context, url string, caller auth.Caller, document string, vars variables) *http.Request {
	t.Helper()
	body, err := json.Marshal(map[string]any{"query": document, "variables": vars})
	require.NoError(t, err)
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	require.NoError(t, err)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Caller", caller.ID)
	r.Header.Set("Role", string(caller.Role))
	return r
}

// do runs a query or a mutation.
func (s *server) do(t *testing.T, caller auth.Caller, document string, vars variables) answer {
	t.Helper()
	return s.serve(t, request(t, t.Context(), s.url, caller, document, vars))
}

func (s *server) serve(t *testing.T, r *http.Request) answer {
	t.Helper()
	w := httptest.NewRecorder()
	s.handler.ServeHTTP(w, r)
	var a answer
	require.NoError(t, json.Unmarshal(w.Body.Bytes(), &a), w.Body.String())
	return a
}

// subscription is a running subscription, over SSE.
type subscription struct {
	answers chan answer // closed when the server has completed it
	stop    context.CancelFunc
}

func (s *server) subscribe(t *testing.T, caller auth.Caller, document string, vars variables) *subscription {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	r := request(t, ctx, s.url, caller, document, vars)
	r.Header.Set("Accept", "text/event-stream")
	response, err := http.DefaultTransport.RoundTrip(r)
	require.NoError(t, err)
	sub := &subscription{answers: make(chan answer, 100), stop: cancel}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() { _ = response.Body.Close() }()
		lines := bufio.NewScanner(response.Body)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			if lines.Text() == "event: complete" {
				close(sub.answers)
				return
			}
			if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
				var a answer
				if json.Unmarshal([]byte(data), &a) == nil {
					sub.answers <- a
				}
			}
		}
	}()
	t.Cleanup(func() { cancel(); <-done })
	return sub
}

// next is the subscription's next answer.
func (s *subscription) next(t *testing.T) answer {
	t.Helper()
	select {
	case a, ok := <-s.answers:
		require.True(t, ok, "the subscription has ended")
		return a
	case <-time.After(patience):
		require.Fail(t, "no answer came")
		return answer{}
	}
}

// ended waits for the end; nothing may come before it.
func (s *subscription) ended(t *testing.T) {
	t.Helper()
	select {
	case a, ok := <-s.answers:
		require.False(t, ok, "%+v", a)
	case <-time.After(patience):
		require.Fail(t, "the subscription goes on")
	}
}

// signIn signs a user in by the service and returns their session's token.
func (s *server) signIn(t *testing.T, userID, deviceID string) string {
	t.Helper()
	lease, err := s.service.Service.Heartbeat(t.Context(), presence.Heartbeat{UserID: userID, DeviceID: deviceID})
	require.NoError(t, err)
	return lease.Session
}

// sweep records what time has changed.
func (s *server) sweep(t *testing.T) {
	t.Helper()
	for shard := range s.store.Shards() {
		_, err := s.store.Sweep(t.Context(), shard)
		require.NoError(t, err)
	}
}
