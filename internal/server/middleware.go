package server

import (
	"errors"
	"log/slog"
	"net/http"
	"runtime/debug"
	"time"

	"github.com/go-chi/chi/v5/middleware"

	"rollcall/internal/server/address"
)

// logRequests logs each request at debug level: no headers, query string or body, which hold tokens and what
// people asked.
func logRequests(log *slog.Logger) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if !log.Enabled(r.Context(), slog.LevelDebug) {
				next.ServeHTTP(w, r)
				return
			}
			begin := time.Now()
			ww := middleware.NewWrapResponseWriter(w, r.ProtoMajor)
			next.ServeHTTP(ww, r)
			log.DebugContext(r.Context(), "request", "method", r.Method, "path", r.URL.Path,
				"status", ww.Status(), "bytes", ww.BytesWritten(), "took", time.Since(begin),
				"client", address.FromContext(r.Context()))
		})
	}
}

// recoverPanics logs a panic and answers 500, unless the answer has begun.
func recoverPanics(log *slog.Logger) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			ww := middleware.NewWrapResponseWriter(w, r.ProtoMajor)
			defer func() {
				panicked := recover()
				if panicked == nil {
					return
				}
				if err, ok := panicked.(error); ok && errors.Is(err, http.ErrAbortHandler) {
					panic(panicked) // the way to cut a response short, which the http.Server knows
				}
				log.ErrorContext(r.Context(), "panic in a request", "method", r.Method, "path", r.URL.Path,
					"client", address.FromContext(r.Context()), "panic", panicked, "stack", string(debug.Stack()))
				if ww.Status() == 0 {
					plain(ww, http.StatusInternalServerError, "internal error")
				}
			}()
			next.ServeHTTP(ww, r)
		})
	}
}

// secureHeaders keeps browsers from guessing content types, from telling other sites where a reader came from, and
// from letting other sites' pages show these, reach into them or load what is here. Who came by TLS is to come by nothing
// else. CORS says which pages may use the API all the same.
func secureHeaders(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		if r.TLS != nil {
			h.Set("Strict-Transport-Security", "max-age=31536000")
		}
		next.ServeHTTP(w, r)
	})
}

// noPage says of answers that they are for now and for one caller, and never a page, whatever is in them.
func noPage(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Cache-Control", "no-store")
		h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
		next.ServeHTTP(w, r)
	})
}
