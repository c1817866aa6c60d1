package server

import (
	"context"
	"net/http"
	"strings"
)

// alive answers that the process runs, whatever it depends on.
func alive(w http.ResponseWriter, _ *http.Request) {
	plain(w, http.StatusOK, "ok")
}

// ready answers whether requests can be served now: 200, or 503 and why not, in one line.
func ready(check func(ctx context.Context) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if err := check(r.Context()); err != nil {
			plain(w, http.StatusServiceUnavailable, strings.ReplaceAll(err.Error(), "\n", " "))
			return
		}
		plain(w, http.StatusOK, "ok")
	}
}

func plain(w http.ResponseWriter, status int, line string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(line + "\n")) // nobody is left to be told of a failure
}
