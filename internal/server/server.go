// Package server serves GraphQL and the pages over HTTP.
package server

import (
	"context"
	"log/slog"
	"net/http"
	"strings"
	"time"
)

// requestTimeout is how long a request may take to arrive, and, since it stays in force, how long a plain answer may
// take to be made. Streams put deadlines of their own in its place.
const requestTimeout = 15 * time.Second

// answerTimeout is how long a plain answer may take from its request's first bytes on, until the client has read
// all but what the network holds of it.
const answerTimeout = 30 * time.Second

// What an HTTP/2 connection may do; it is spoken under TLS alone.
const (
	// maxStreams is how many requests a connection may have at a time, as many as RFC 9113 wants there to be.
	maxStreams = 100
	// pingAfter is after how long without a frame the client is asked whether it is there; it has pingTimeout to say so.
	pingAfter, pingTimeout = 30 * time.Second, 15 * time.Second
)

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
		HTTP2: &http.HTTP2Config{
			MaxConcurrentStreams: maxStreams,
			SendPingTimeout:      pingAfter, PingTimeout: pingTimeout,
			WriteByteTimeout: answerTimeout,
		},
		ErrorLog: slog.NewLogLogger(complaints{log.Handler()}, slog.LevelWarn),
	}
}

// complaints hears what an http.Server has to say. That somebody who knocks knows no TLS, or not this certificate, is
// anybody's doing, and told at debug level only.
type complaints struct{ slog.Handler }

var _ slog.Handler = complaints{}

// Handle implements [slog.Handler].
func (c complaints) Handle(ctx context.Context, r slog.Record) error {
	if strings.Contains(r.Message, "TLS handshake error") {
		r.Level = slog.LevelDebug
		if !c.Enabled(ctx, r.Level) {
			return nil
		}
	}
	return c.Handler.Handle(ctx, r)
}
