package web

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"time"
)

// configBlock is the placeholder in a bundle's index.html that carries the PageConfig.
const configBlock = `<script type="application/json" id="rollcall">{}</script>`

//go:embed notbuilt.html
var notBuilt []byte

// page serves one bundle: an index.html, and files whose names change with their content. Its paths are
// relative to where it is served, and the index's is "/" or, with the root stripped off, nothing.
type page struct {
	bundle fs.FS
	index  []byte
	policy string // the index's Content-Security-Policy
	// indexCache is the index's Cache-Control. A browser asks again each time, since the index names the
	// current assets; the not-built page is not kept at all.
	indexCache string
}

var _ http.Handler = (*page)(nil)

func newPage(bundle fs.FS, policy string, cfg PageConfig) *page {
	p := &page{bundle: bundle, policy: policy, index: notBuilt, indexCache: "no-store"}
	if index, err := fs.ReadFile(bundle, "index.html"); err == nil {
		p.index, p.indexCache = withConfig(index, cfg), "no-cache"
	}
	return p
}

// withConfig puts cfg into the index's config block. encoding/json writes <, > and & as \u escapes, so no
// value can end the block early.
func withConfig(index []byte, cfg PageConfig) []byte {
	data, err := json.Marshal(cfg)
	if err != nil {
		panic(err) // strings always encode
	}
	block := strings.Replace(configBlock, "{}", string(data), 1)
	return bytes.Replace(index, []byte(configBlock), []byte(block), 1)
}

func (p *page) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, http.StatusText(http.StatusMethodNotAllowed), http.StatusMethodNotAllowed)
		return
	}
	if r.URL.Path == "/" || r.URL.Path == "" {
		w.Header().Set("Content-Security-Policy", p.policy)
		serve(w, r, "index.html", p.index, p.indexCache)
		return
	}
	name := strings.TrimPrefix(r.URL.Path, "/")
	if !strings.HasPrefix(name, "assets/") || !fs.ValidPath(name) {
		http.NotFound(w, r)
		return
	}
	data, err := fs.ReadFile(p.bundle, name)
	if err != nil { // absent, or a folder
		http.NotFound(w, r)
		return
	}
	serve(w, r, name, data, "public, max-age=31536000, immutable")
}

// serve writes one file, with ranges and HEAD handled by the standard library.
func serve(w http.ResponseWriter, r *http.Request, name string, data []byte, cache string) {
	h := w.Header()
	h.Set("Cache-Control", cache)
	h.Set("Content-Type", contentType(name))
	http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(data))
}

// contentType names the types that bundles hold. The standard library's answer depends on the machine's
// own tables, and a script with a wrong type does not run.
func contentType(name string) string {
	switch path.Ext(name) {
	case ".html":
		return "text/html; charset=utf-8"
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".css":
		return "text/css; charset=utf-8"
	case ".json", ".map":
		return "application/json"
	case ".svg":
		return "image/svg+xml"
	case ".png":
		return "image/png"
	case ".ttf":
		return "font/ttf"
	case ".woff2":
		return "font/woff2"
	default:
		return "application/octet-stream"
	}
}
