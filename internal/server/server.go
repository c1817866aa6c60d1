// Package server serves GraphQL and the pages over HTTP.
package server

import (
	"log/slog"
	"net/http"
	"time"
)

// New is an HTTP server with timeouts against clients that hold connections without using them. There is no
// timeout for writing, since streams live long: they have a deadline for each event, and bodies one of their own.
func New(addr string, handler http.Handler, log *slog.Logger) *http.Server {
	return &http.Server{
		Addr:              addr,
		Handler:           handler,
		ReadHeaderTimeout: 5 * time.Second,
		IdleTimeout:       120 * time.Second,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
}
