package opponent

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/handler"
	"github.com/99designs/gqlgen/graphql/handler/extension"
	"github.com/99designs/gqlgen/graphql/handler/lru"
	"github.com/99designs/gqlgen/graphql/handler/transport"
	"github.com/go-chi/chi/v5"
	"github.com/vektah/gqlparser/v2/ast"

	"rollcall/graph"
	"rollcall/internal/auth"
	"rollcall/internal/feed"
	"rollcall/internal/keepalive"
	"rollcall/internal/presence"
	"rollcall/internal/presence/redisstore"
	"rollcall/internal/users/directory"
	"rollcall/internal/users/redistier"
	"rollcall/internal/users/sqlsource"
	"rollcall/resolvers"
)

// Stock is where the stock server has its data from: the places that Rollcall has them from.
type Stock struct {
	Addr, RedisURL, KeyPrefix, DatabaseURL string
	Shards                                 int
	Rules                                  presence.Rules
}

// ServeStock serves Rollcall's schema until ctx ends, by gqlgen as its documentation sets it up:
// its transports, its cache of documents, and nothing that shares an execution.
func ServeStock(ctx context.Context, s Stock) error {
	log := slog.New(slog.DiscardHandler)
	store, err := redisstore.Open(redisstore.Options{
		URL: s.RedisURL, Prefix: s.KeyPrefix, Shards: s.Shards, Rules: s.Rules, LevelIndex: true, Log: log,
	})
	if err != nil {
		return err
	}
	defer func() { _ = store.Close() }()
	tier, err := redistier.New(store.Client(), s.KeyPrefix)
	if err != nil {
		return err
	}
	source, err := sqlsource.Open(sqlsource.Config{URL: s.DatabaseURL, Logger: log})
	if err != nil {
		return err
	}
	defer func() { _ = source.Close() }()
	details, err := directory.New(source, directory.Options{Tier: tier, Changes: source, Logger: log})
	if err != nil {
		return err
	}
	sweeper := presence.NewSweeper(store, log)
	sweeper.Start()
	defer sweeper.Stop()
	hub := feed.NewHub(store, feed.Config{}, log)
	hub.Start()
	defer hub.Stop()
	service := presence.NewService(store, s.Rules, noLevels{}, log)
	api := resolvers.Dependencies{
		Service: service, Directory: details, Feed: hub,
		Keeper: keepalive.New(service, hub, log), Beats: sweeper, Log: log,
	}
	authenticator, err := auth.New(auth.Config{Mode: auth.Dev}, slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	queries := stockHandler(resolvers.Schema(api), authenticator)
	queries.Use(resolvers.Extension(api))
	sockets := stockHandler(graph.NewExecutableSchema(graph.Config{Resolvers: &channels{feed: hub}}), authenticator)

	r := chi.NewRouter()
	r.Get("/readyz", func(http.ResponseWriter, *http.Request) {})
	r.Get("/graphql", sockets.ServeHTTP)
	r.Post("/graphql", func(w http.ResponseWriter, r *http.Request) {
		caller, err := authenticator.Authenticate(r.Context(), r.Header.Get("Authorization"))
		if err != nil {
			http.Error(w, err.Error(), http.StatusUnauthorized)
			return
		}
		queries.ServeHTTP(w, r.WithContext(auth.WithCaller(r.Context(), caller)))
	})
	return serve(ctx, s.Addr, r)
}

func stockHandler(schema graphql.ExecutableSchema, a auth.Authenticator) *handler.Server {
	h := handler.New(schema)
	h.AddTransport(transport.Websocket{
		KeepAlivePingInterval: 10 * time.Second,
		InitFunc: func(ctx context.Context, init transport.InitPayload) (context.Context, *transport.InitPayload, error) {
			caller, err := a.Authenticate(ctx, init.Authorization())
			return auth.WithCaller(ctx, caller), nil, err
		},
	})
	h.AddTransport(transport.Options{})
	h.AddTransport(transport.GET{})
	h.AddTransport(transport.POST{})
	h.SetQueryCache(lru.New[*ast.QueryDocument](1000))
	h.Use(extension.Introspection{})
	h.Use(extension.AutomaticPersistedQuery{Cache: lru.New[string](100)})
	return h
}

// noLevels is nobody's level: the stock server takes no sign-ins.
type noLevels struct{}

var _ presence.Levels = noLevels{}

// Levels implements [presence.Levels].
func (noLevels) Levels(context.Context, []string) (map[string]int, error) { return nil, nil }
