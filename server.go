package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"time"

	"rollcall/internal/config"
	"rollcall/internal/feed"
	"rollcall/internal/keepalive"
	"rollcall/internal/presence"
	"rollcall/internal/users/directory"
	"rollcall/resolvers"
)

const (
	// stopTimeout is how long requests may take to end once the server is told
	// to. All is over within five seconds: a read of Redis' event log that waits
	// for news takes up to two.
	stopTimeout = 2 * time.Second
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

	service := presence.NewService(store, cfg.Store.Rules(), levels{details}, log).AnsweringEarly(cfg.Limited().EarlyBeats)
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
