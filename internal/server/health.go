package server

import (
	"context"
	"log/slog"
	"net/http"
	"sync/atomic"
)

// alive answers that the process runs, whatever it depends on.
func alive(w http.ResponseWriter, _ *http.Request) {
	plain(w, http.StatusOK, "ok")
}

// ready answers whether requests can be served now: 200, or 503. Anybody may ask, so that why not is only logged:
// once when it begins, however often it is asked.
func ready(check func(ctx context.Context) error, log *slog.Logger) http.HandlerFunc {
	var failing atomic.Bool
	return func(w http.ResponseWriter, r *http.Request) {
		err := check(r.Context())
		was := failing.Swap(err != nil)
		switch {
		case err != nil && !was:
			log.WarnContext(r.Context(), "not ready to serve", "err", err)
		case err == nil && was:
			log.InfoContext(r.Context(), "ready to serve again")
		}
		if err != nil {
			plain(w, http.StatusServiceUnavailable, "not ready")
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
