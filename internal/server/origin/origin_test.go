package origin

import (
	"crypto/tls"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestParse(t *testing.T) {
	_, err := Parse([]string{"https://app.example.com", "http://localhost:5173", "http://[::1]:3000"})
	require.NoError(t, err)
	for _, text := range []string{
		"", "*", "null", "app.example.com", "https://", "https://*.example.com", "https://app.example.com/", "https://app.example.com/path",
		"https://app.example.com:443", "http://app.example.com:80", "https://user@app.example.com", "ftp://app.example.com", "https://app.example.com?",
		"https://:5173", " https://app.example.com", "HTTPS://app.example.com", "https://app.example.com:", "https://a b",
	} {
		_, err := Parse([]string{text})
		require.Error(t, err, text)
	}
}

func list(t *testing.T) List {
	t.Helper()
	l, err := Parse([]string{"https://app.example.com", "http://localhost:5173"})
	require.NoError(t, err)
	return l
}

// from is a request of rollcall.test that comes from these origins.
func from(origins ...string) *http.Request {
	r := httptest.NewRequest(http.MethodPost, "http://rollcall.test/graphql", nil)
	r.Header["Origin"] = origins
	return r
}

func TestAllows(t *testing.T) {
	for origin, allowed := range map[string]bool{
		"http://rollcall.test":      true,
		"https://rollcall.test":     true, // a proxy in front may speak TLS
		"https://app.example.com":   true,
		"HTTPS://APP.example.com":   true,
		"http://localhost:5173":     true,
		"http://app.example.com":    false,
		"https://localhost:5173":    false,
		"http://localhost":          false,
		"http://rollcall.test:8080": false,

		"https://evil.test":                       false,
		"https://evil.app.example.com":            false,
		"https://app.example.com.evil.test":       false,
		"https://evil.test/https://rollcall.test": false,
		"https://evil.test#rollcall.test":         false,
		"https://rollcall.test@evil.test":         false,
		"https://evil.test\\@rollcall.test":       false,
		"https://rollcall.test/":                  false,
		"rollcall.test":                           false,
		"null":                                    false,
		"file://":                                 false,
		"chrome-extension://abcdefgh":             false,
		"":                                        false,
	} {
		require.Equal(t, allowed, list(t).Allows(from(origin)), origin)
		require.Equal(t, allowed && (origin == "http://rollcall.test" || origin == "https://rollcall.test"), List{}.Allows(from(origin)), origin)
	}
	require.True(t, list(t).Allows(from()), "no browser's")
	require.False(t, list(t).Allows(from("https://app.example.com", "https://app.example.com")))

	secure := from("http://rollcall.test")
	secure.TLS = &tls.ConnectionState{}
	require.False(t, list(t).Allows(secure), "a page without TLS can be anybody's")
}

func TestGuard(t *testing.T) {
	guarded := list(t).Guard(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) }))
	answer := func(method string, header map[string]string) *http.Response {
		r := httptest.NewRequest(method, "http://rollcall.test/graphql", nil)
		for name, value := range header {
			r.Header.Set(name, value)
		}
		w := httptest.NewRecorder()
		guarded.ServeHTTP(w, r)
		require.Equal(t, "Origin", w.Header().Get("Vary"))
		require.Empty(t, w.Header().Get("Access-Control-Allow-Credentials"))
		return w.Result()
	}
	const app = "https://app.example.com"
	for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodOptions} {
		response := answer(method, map[string]string{"Origin": app})
		require.Equal(t, http.StatusTeapot, response.StatusCode)
		require.Equal(t, app, response.Header.Get("Access-Control-Allow-Origin"))

		response = answer(method, nil)
		require.Equal(t, http.StatusTeapot, response.StatusCode)
		require.Empty(t, response.Header.Get("Access-Control-Allow-Origin"))

		for _, origin := range []string{"https://evil.test", "null"} {
			response = answer(method, map[string]string{"Origin": origin, "Access-Control-Request-Method": "POST"})
			require.Equal(t, http.StatusForbidden, response.StatusCode)
			require.Empty(t, response.Header.Get("Access-Control-Allow-Origin"))
		}
	}
	response := answer(http.MethodOptions, map[string]string{
		"Origin": app, "Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "authorization,content-type",
	})
	require.Equal(t, http.StatusNoContent, response.StatusCode)
	require.Equal(t, app, response.Header.Get("Access-Control-Allow-Origin"))
	require.Equal(t, "GET, POST", response.Header.Get("Access-Control-Allow-Methods"))
	require.Equal(t, "authorization,content-type", response.Header.Get("Access-Control-Allow-Headers"))
	require.Equal(t, "7200", response.Header.Get("Access-Control-Max-Age"))
}
