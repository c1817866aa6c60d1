package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"rollcall/internal/auth"
	"rollcall/internal/config"
	"rollcall/internal/server"
	"rollcall/internal/server/certificate"
	"rollcall/internal/server/origin"
	"rollcall/internal/server/share"
	"rollcall/internal/server/ws"
	"rollcall/resolvers"
	"rollcall/web"
)

// readyTimeout bounds the look at the store that readiness takes.
const readyTimeout = time.Second

// serveHTTP starts to serve the API on listener. The channel tells of an end
// that nobody asked for.
func serveHTTP(running *parts, cfg config.Config, listener net.Listener, store *store, api resolvers.Dependencies, limits limits) (<-chan error, error) {
	tokens, err := auth.New(cfg.Auth.Tokens(), api.Log)
	if err != nil {
		return nil, err
	}
	running.loop("keys of tokens", tokens.Run)
	origins, err := cfg.HTTP.Origins()
	if err != nil {
		return nil, err
	}
	proxies, err := cfg.HTTP.Proxies()
	if err != nil {
		return nil, err
	}
	present := resolvers.ErrorPresenter(api.Log)
	only, err := manifest(cfg.Limits)
	if err != nil {
		return nil, err
	}
	graphQL, err := server.NewHandler(resolvers.Schema(api), server.Options{
		Present: present, Recover: resolvers.RecoverFunc(api.Log),
		WebSocket: webSocket(cfg, tokens, origins, api.Log),
		Weigh:     resolvers.Weigh, Charge: limits.throttle.Charge, Gate: limits.gate, Beats: resolvers.Beats,
		Introspection: cfg.Introspection(), Suggestions: cfg.Suggestions(), Only: only,
	})
	if err != nil {
		return nil, fmt.Errorf("ROLLCALL_PERSISTED_ONLY: %w", err)
	}
	graphQL.Use(share.NewQueries(cfg.HTTP.ShareFor, resolvers.QueryScope))
	graphQL.Use(resolvers.Extension(api))
	graphQL.Use(resolvers.Plain())
	var stopping atomic.Bool
	page := web.PageConfig{Auth: string(cfg.Auth.Mode), AvatarOrigins: cfg.HTTP.AvatarOrigins}
	router := server.NewRouter(server.Routes{
		GraphQL: graphQL,
		Page:    web.GraphiQL(page),
		Admin:   web.Admin(page),
		Ready: func(ctx context.Context) error {
			if stopping.Load() {
				return errors.New("the server is stopping")
			}
			ctx, cancel := context.WithTimeout(ctx, readyTimeout)
			defer cancel()
			return errors.Join(store.check(ctx), tokens.Ready())
		},
		Authenticator: tokens, Origins: origins, Proxies: proxies, Present: present, Gate: limits.gate, Log: api.Log,
	})

	httpServer := server.New(listener.Addr().String(), router, api.Log)
	serve, err := serving(running, cfg.HTTP, httpServer, api.Log)
	if err != nil {
		return nil, err
	}
	failed := make(chan error, 1)
	go func() {
		if err := serve(listener); !errors.Is(err, http.ErrServerClosed) {
			failed <- err
		}
	}()
	running.add("HTTP", func(ctx context.Context) error {
		stopping.Store(true)
		return drain(ctx, graphQL, httpServer)
	})
	return failed, nil
}

// serving is how s serves a listener: by TLS if there is a certificate.
func serving(running *parts, cfg config.HTTP, s *http.Server, log *slog.Logger) (func(net.Listener) error, error) {
	if !cfg.TLS() {
		return s.Serve, nil
	}
	files, err := certificate.Open(cfg.TLSCertFile, cfg.TLSKeyFile, log)
	if err != nil {
		return nil, fmt.Errorf("TLS: %w", err)
	}
	running.loop("TLS certificate", files.Run)
	s.TLSConfig = files.Config()
	return func(l net.Listener) error { return s.ServeTLS(l, "", "") }, nil
}

// drain closes the sockets and lets requests end; whoever is not done in time is
// cut off.
func drain(ctx context.Context, sockets *server.Handler, s *http.Server) error {
	err := errors.Join(sockets.Shutdown(ctx), s.Shutdown(ctx))
	if errors.Is(err, context.DeadlineExceeded) {
		return s.Close()
	}
	return err
}

// webSocket has pings frequent enough that the pongs alone keep a session
// online: one may be lost, as with heartbeats.
func webSocket(cfg config.Config, authenticator auth.Authenticator, origins origin.List, log *slog.Logger) ws.Config {
	ping := min(20*time.Second, cfg.Store.TTL*2/5)
	limits := cfg.Limited()
	return ws.Config{
		Authenticator: authenticator, Origins: origins, Log: log,
		PingInterval: ping, PongTimeout: min(10*time.Second, ping/2),
		MaxSockets: limits.Sockets, MaxUserSockets: limits.UserSockets, MaxOperations: limits.Subscriptions,
	}
}
