// Package server serves GraphQL and the pages over HTTP.
package server

import (
	"log/slog"
	"net/http"
	"time"
)

// requestTimeout is how long a request may take to arrive, and, since it stays in force, how long a plain answer may
// take to be made. Streams put deadlines of their own in its place.
const requestTimeout = 15 * time.Second

// answerTimeout is how long a plain answer may take from its request's first bytes on, until the client has read
// all but what the network holds of it.
const answerTimeout = 30 * time.Second

// New is an HTTP server with timeouts against clients that hold connections without using them. Streams, which
// live long, put deadlines of their own in the place of these.
func New(addr string, handler http.Handler, log *slog.Logger) *http.Server {
	return &http.Server{
		Addr:              addr,
		Handler:           handler,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       requestTimeout,
		WriteTimeout:      answerTimeout,
		IdleTimeout:       120 * time.Second,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
}
