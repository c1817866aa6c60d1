package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"rollcall/internal/auth"
	"rollcall/internal/config"
	"rollcall/internal/feed"
	"rollcall/internal/keepalive"
	"rollcall/internal/presence"
	"rollcall/internal/server"
	"rollcall/internal/server/share"
	"rollcall/internal/server/ws"
	"rollcall/internal/users/directory"
	"rollcall/resolvers"
	"rollcall/web"
)

const (
	// stopTimeout is how long requests may take to end once the server is told
	// to. All is over within five seconds: a read of Redis' event log that waits
	// for news takes up to two.
	stopTimeout = 2 * time.Second
	// readyTimeout bounds the look at the store that readiness takes.
	readyTimeout = time.Second
)

type serveCommand struct {
	config.Config
}

// Run serves until ctx ends.
func (c serveCommand) Run(ctx context.Context, out output) error {
	return run(ctx, c.Config, out.stdout, out.logger(c.Log))
}

// run serves as cfg says until ctx ends, and stops everything before it returns.
// Its parts are started from the store up and stopped the other way round.
func run(ctx context.Context, cfg config.Config, stdout io.Writer, log *slog.Logger) (err error) {
	if err := cfg.Check(); err != nil {
		return err
	}
	var running parts
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTimeout)
		defer cancel()
		err = errors.Join(err, running.stop(ctx))
	}()

	// First, since a port in use is what most often goes wrong.
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", cfg.HTTP.Addr)
	if err != nil {
		return fmt.Errorf("choose another ROLLCALL_HTTP_ADDR: %w", err)
	}
	running.add("listener", ending(func() { _ = listener.Close() })) // the server has closed it, if it came to that

	if err := cfg.CheckListener(listener.Addr()); err != nil {
		return err
	}

	source, err := serveUsers(ctx, &running, cfg.Users, log)
	if err != nil {
		return err
	}

	store, err := openStore(ctx, cfg.Store, log)
	if err != nil {
		return err
	}
	running.add("store", closing(store.close))

	details, err := directory.New(source, directory.Options{Tier: store.tier, Changes: source, Logger: log})
	if err != nil {
		return err
	}
	running.loop("user directory", details.Run)

	sweeper := presence.NewSweeper(store, log)
	sweeper.Start()
	running.add("sweeper", ending(sweeper.Stop))

	hub := feed.NewHub(store, feed.Config{}, log)
	hub.Start()
	running.add("feed", ending(hub.Stop))

	running.loop("roster", func(ctx context.Context) { presence.RunRoster(ctx, store, hub.Subscribers) })

	running.loop("history", func(ctx context.Context) { presence.RunHistory(ctx, store, log) })

	service := presence.NewService(store, cfg.Store.Rules(), levels{details}, log).AnsweringEarly(cfg.Limits.EarlyBeats)
	running.loop("levels", service.Run)
	limits := newLimits(&running, cfg, store, log)
	api := resolvers.Dependencies{
		Service: limits.service(service), Directory: details, Feed: hub,
		Keeper: limits.keeper(keepalive.New(service, hub, log)), Beats: sweeper, Log: log,
	}
	failed, err := serveHTTP(&running, cfg, listener, store, api, limits)
	if err != nil {
		return err
	}
	greet(stdout, cfg, listener.Addr())

	select {
	case <-ctx.Done():
		log.InfoContext(ctx, "stopping")
		return nil
	case err := <-failed:
		return fmt.Errorf("serve: %w", err)
	}
}

// serveHTTP starts to serve the API on listener. The channel tells of an end
// that nobody asked for.
func serveHTTP(running *parts, cfg config.Config, listener net.Listener, store *store, api resolvers.Dependencies, limits limits) (<-chan error, error) {
	authenticator, err := auth.New(cfg.Auth.Tokens())
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
		WebSocket: webSocket(cfg, authenticator, api.Log),
		Weigh:     resolvers.Weigh, Charge: limits.throttle.Charge, Gate: limits.gate, Beats: resolvers.Beats, Introspection: cfg.Introspection(), Suggestions: cfg.Suggestions(), Only: only,
	})
	if err != nil {
		return nil, fmt.Errorf("ROLLCALL_PERSISTED_ONLY: %w", err)
	}
	graphQL.Use(share.NewQueries(cfg.HTTP.ShareFor, resolvers.QueryScope))
	graphQL.Use(resolvers.Extension(api))
	graphQL.Use(resolvers.Plain())
	var stopping atomic.Bool
	page := web.PageConfig{Auth: string(cfg.Auth.Mode)}
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
			return store.check(ctx)
		},
		Authenticator: authenticator, Present: present, Gate: limits.gate, Log: api.Log,
	})

	httpServer := server.New(listener.Addr().String(), router, api.Log)
	failed := make(chan error, 1)
	go func() {
		if err := httpServer.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			failed <- err
		}
	}()
	running.add("HTTP", func(ctx context.Context) error {
		stopping.Store(true)
		return drain(ctx, graphQL, httpServer)
	})
	return failed, nil
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
func webSocket(cfg config.Config, authenticator auth.Authenticator, log *slog.Logger) ws.Config {
	ping := min(20*time.Second, cfg.Store.TTL*2/5)
	return ws.Config{
		Authenticator: authenticator, Log: log,
		PingInterval: ping, PongTimeout: min(10*time.Second, ping/2),
		MaxSockets: cfg.Limits.Sockets, MaxUserSockets: cfg.Limits.UserSockets, MaxOperations: cfg.Limits.Subscriptions,
	}
}
