package server

import (
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func quote(s string) string {
	quoted, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(quoted)
}

func TestPaths(t *testing.T) {
	f := serve(t)
	for _, tt := range []struct {
		method, path string
		status       int
		answer       string
	}{
		{"GET", "/", 200, "page /"},
		{"GET", "/assets/a.js", 200, "page /assets/a.js"},
		{"GET", "/admin", 200, "console /admin"},
		{"GET", "/admin/assets/a.js", 200, "console /admin/assets/a.js"},
		{"GET", "/administrator", 404, "404 page not found\n"},
		{"GET", "/healthz", 200, "ok\n"},
		{"GET", "/readyz", 200, "ok\n"},
		{"GET", "/nothing", 404, "404 page not found\n"},
		{"GET", "/graphql/more", 404, "404 page not found\n"},
		{"DELETE", "/graphql", 405, ""},
		{"OPTIONS", "/graphql", 200, ""},
		{"HEAD", "/graphql", 405, ""},
	} {
		response, answer := f.do(t, tt.method, tt.path, "")
		require.Equal(t, tt.status, response.StatusCode, "%s %s", tt.method, tt.path)
		require.Equal(t, tt.answer, answer, "%s %s", tt.method, tt.path)
		require.Equal(t, "nosniff", response.Header.Get("X-Content-Type-Options"))
		require.Equal(t, "no-referrer", response.Header.Get("Referrer-Policy"))
		require.Equal(t, "DENY", response.Header.Get("X-Frame-Options"))
		require.Equal(t, "same-origin", response.Header.Get("Cross-Origin-Opener-Policy"))
		require.Equal(t, "same-origin", response.Header.Get("Cross-Origin-Resource-Policy"))
		require.Empty(t, response.Header.Get("Strict-Transport-Security"), "that is for TLS")
	}
}

// Anybody may ask whether the server is ready, and its operators alone are told why it isn't: once.
func TestReadiness(t *testing.T) {
	f := serve(t)
	ask := func() (int, string) {
		response, answer := f.do(t, "GET", "/readyz", "")
		return response.StatusCode, answer
	}
	for range 2 {
		f.notReady = errors.New("dial 10.0.0.7: refused")
		for range 3 {
			status, answer := ask()
			require.Equal(t, http.StatusServiceUnavailable, status)
			require.Equal(t, "not ready\n", answer)
		}
		f.notReady = nil
		status, answer := ask()
		require.Equal(t, http.StatusOK, status)
		require.Equal(t, "ok\n", answer)
	}
	require.Equal(t, 2, f.log.Count(slog.LevelWarn))
	require.Equal(t, 2, f.log.Count(slog.LevelInfo))
	require.Contains(t, f.log.String(), "10.0.0.7")

	f.notReady = errors.New("down")
	response, _ := f.do(t, "GET", "/healthz", "")
	require.Equal(t, http.StatusOK, response.StatusCode)
}

func TestPanicIsLoggedAndHidden(t *testing.T) {
	f := serve(t)
	response, answer := f.do(t, "GET", "/assets/panic", "")
	require.Equal(t, http.StatusInternalServerError, response.StatusCode)
	require.Equal(t, "internal error\n", answer)
	require.Contains(t, f.log.String(), "in a page")

	response, answer = f.post(t, `{"query":"{ panics }"}`)
	require.Equal(t, http.StatusInternalServerError, response.StatusCode)
	require.Contains(t, answer, "INTERNAL")
}

// Answers of the API are never kept and never a page, refusals included.
func TestAnswersAreNoPages(t *testing.T) {
	f := serve(t)
	for _, header := range [][]string{{}, {"Authorization", "Bearer bad"}, {"Content-Type", "text/plain"}, {"Origin", "https://evil.test"}} {
		response, _ := f.post(t, `{"query":"{ who }"}`, header...)
		require.Equal(t, "no-store", response.Header.Get("Cache-Control"))
		require.Equal(t, "default-src 'none'; frame-ancestors 'none'", response.Header.Get("Content-Security-Policy"))
		require.Equal(t, "nosniff", response.Header.Get("X-Content-Type-Options"))
	}
}

// What is logged is who has asked a proxy, and not who has asked in the name of another.
func TestRequestLogNamesTheClient(t *testing.T) {
	f := serve(t)
	f.do(t, "GET", "/healthz", "", "X-Forwarded-For", "198.51.100.7, 192.0.2.1")
	require.Eventually(t, func() bool { return strings.Contains(f.log.String(), "client=192.0.2.1\n") }, patience, time.Millisecond)
	require.NotContains(t, f.log.String(), "198.51.100.7")
}

func TestRequestLogHoldsNoSecrets(t *testing.T) {
	f := serve(t)
	f.post(t, `{"query":"mutation { record(text: \"bodysecret\") }"}`, "Authorization", "Bearer tokensecret")
	f.do(t, "GET", "/graphql?query=querysecret", "")
	require.Eventually(t, func() bool {
		log := f.log.String()
		return strings.Contains(log, "method=POST path=/graphql status=200") && strings.Contains(log, "method=GET path=/graphql")
	}, patience, time.Millisecond)
	require.NotContains(t, f.log.String(), "secret")
}
