package web

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

const builtIndex = `<!doctype html><head>` + configBlock + `</head>`

func built() fstest.MapFS {
	return fstest.MapFS{
		"index.html":               {Data: []byte(builtIndex)},
		"assets/main-B1.js":        {Data: []byte("export {}")},
		"assets/main-B1.css":       {Data: []byte("a{}")},
		"assets/icons-B1.ttf":      {Data: []byte("ttf")},
		"assets/icon-B1.svg":       {Data: []byte("<svg/>")},
		"assets/strange-B1.qqq":    {Data: []byte("?")},
		"secret.txt":               {Data: []byte("not an asset")},
		"assets/nested/deep-B1.js": {Data: []byte("export {}")},
	}
}

func do(t *testing.T, h http.Handler, method, path string) (*http.Response, string) {
	t.Helper()
	rec := httptest.NewRecorder()
	h.ServeHTTP(rec, httptest.NewRequest(method, path, nil))
	res := rec.Result()
	body, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	return res, string(body)
}

func TestIndexCarriesTheConfig(t *testing.T) {
	res, body := do(t, newPage(built(), "policy", PageConfig{Auth: "dev"}), http.MethodGet, "/")
	require.Equal(t, http.StatusOK, res.StatusCode)
	require.Equal(t, "text/html; charset=utf-8", res.Header.Get("Content-Type"))
	require.Equal(t, "no-cache", res.Header.Get("Cache-Control"))
	require.Equal(t, "policy", res.Header.Get("Content-Security-Policy"))
	require.Contains(t, body, `<script type="application/json" id="rollcall">{"auth":"dev"}</script>`)
}

func TestConfigCannotEndItsBlock(t *testing.T) {
	evil := `</script><script>alert("&")</script><!--`
	_, body := do(t, newPage(built(), "policy", PageConfig{Auth: evil}), http.MethodGet, "/")

	require.Equal(t, 1, strings.Count(body, "<script"))
	require.Equal(t, 1, strings.Count(body, "</script"))
	require.NotContains(t, body, "<!--")

	_, rest, _ := strings.Cut(body, `id="rollcall">`)
	block, _, _ := strings.Cut(rest, "</script>")
	var got PageConfig
	require.NoError(t, json.Unmarshal([]byte(block), &got))
	require.Equal(t, evil, got.Auth)
}

func TestAssets(t *testing.T) {
	h := newPage(built(), "policy", PageConfig{Auth: "dev"})
	for path, contentType := range map[string]string{
		"/assets/main-B1.js":        "text/javascript; charset=utf-8",
		"/assets/nested/deep-B1.js": "text/javascript; charset=utf-8",
		"/assets/main-B1.css":       "text/css; charset=utf-8",
		"/assets/icons-B1.ttf":      "font/ttf",
		"/assets/icon-B1.svg":       "image/svg+xml",
		"/assets/strange-B1.qqq":    "application/octet-stream",
	} {
		t.Run(path, func(t *testing.T) {
			res, body := do(t, h, http.MethodGet, path)
			require.Equal(t, http.StatusOK, res.StatusCode)
			require.Equal(t, contentType, res.Header.Get("Content-Type"))
			require.Equal(t, "public, max-age=31536000, immutable", res.Header.Get("Cache-Control"))
			require.Equal(t, string(built()[path[1:]].Data), body)
		})
	}
}

func TestNotFound(t *testing.T) {
	h := newPage(built(), "policy", PageConfig{Auth: "dev"})
	for _, path := range []string{
		"/assets", "/assets/", "/assets/nested", "/assets/gone-B1.js", "/assets/../secret.txt",
		"/assets//main-B1.js", "/secret.txt", "/index.html", "/graphql", "//",
	} {
		t.Run(path, func(t *testing.T) {
			res, _ := do(t, h, http.MethodGet, path)
			require.Equal(t, http.StatusNotFound, res.StatusCode)
			require.Empty(t, res.Header.Get("Cache-Control"))
		})
	}
}

func TestOnlyReads(t *testing.T) {
	h := newPage(built(), "policy", PageConfig{Auth: "dev"})
	for _, path := range []string{"/", "/assets/main-B1.js"} {
		res, body := do(t, h, http.MethodHead, path)
		require.Equal(t, http.StatusOK, res.StatusCode)
		require.Empty(t, body)

		for _, method := range []string{http.MethodPost, http.MethodPut, http.MethodDelete, http.MethodOptions} {
			res, _ = do(t, h, method, path)
			require.Equal(t, http.StatusMethodNotAllowed, res.StatusCode)
			require.Equal(t, "GET, HEAD", res.Header.Get("Allow"))
		}
	}
}

func TestNotBuiltSaysHowToBuild(t *testing.T) {
	h := newPage(fstest.MapFS{}, "policy", PageConfig{Auth: "dev"})

	res, body := do(t, h, http.MethodGet, "/")
	require.Equal(t, http.StatusOK, res.StatusCode)
	require.Equal(t, "no-store", res.Header.Get("Cache-Control"))
	require.Contains(t, body, "make web")
	require.Contains(t, body, "/graphql")

	res, _ = do(t, h, http.MethodGet, "/assets/main-B1.js")
	require.Equal(t, http.StatusNotFound, res.StatusCode)
}

// Holds in both states of a checkout: with the bundles built, and without.
func TestEmbeddedPages(t *testing.T) {
	for path, page := range map[string]http.Handler{
		"/":       GraphiQL(PageConfig{Auth: "dev"}),
		"/admin":  Admin(PageConfig{Auth: "dev"}),
		"/admin/": Admin(PageConfig{Auth: "dev"}),
	} {
		t.Run(path, func(t *testing.T) {
			res, body := do(t, page, http.MethodGet, path)
			require.Equal(t, http.StatusOK, res.StatusCode)
			if body == string(notBuilt) {
				return
			}
			require.Contains(t, body, `id="rollcall">{"auth":"dev"}</script>`, "index.html lost the config block that web/page.go fills")
		})
	}
}

func TestAdminIsNowhereElse(t *testing.T) {
	for _, path := range []string{"/", "/assets/main-B1.js", "/administrator", "/admin/more", "/admin/assets/"} {
		res, _ := do(t, Admin(PageConfig{Auth: "dev"}), http.MethodGet, path)
		require.Equal(t, http.StatusNotFound, res.StatusCode, path)
	}
}

func TestAdminRunsNothingInline(t *testing.T) {
	res, _ := do(t, Admin(PageConfig{Auth: "dev"}), http.MethodGet, "/admin")
	policy := res.Header.Get("Content-Security-Policy")
	require.NotContains(t, policy, "unsafe")
	require.Contains(t, policy, "default-src 'none'")
	require.Contains(t, policy, "frame-ancestors 'none'")
}

func TestAdminShowsPicturesOfTheOriginsThatAreSet(t *testing.T) {
	policy := func(cfg PageConfig) string {
		res, _ := do(t, Admin(cfg), http.MethodGet, "/admin")
		return res.Header.Get("Content-Security-Policy")
	}
	none := policy(PageConfig{Auth: "dev"})
	require.Contains(t, none, "; img-src 'self' data:; ")

	two := PageConfig{Auth: "jwt", AvatarOrigins: []string{"https://cdn.example", "http://10.0.0.7:9000"}}
	require.Equal(t, strings.Replace(none, "data:;", "data: https://cdn.example http://10.0.0.7:9000;", 1), policy(two))

	_, body := do(t, newPage(built(), "policy", two), http.MethodGet, "/")
	require.Contains(t, body, `{"auth":"jwt","avatarOrigins":["https://cdn.example","http://10.0.0.7:9000"]}`)
}
