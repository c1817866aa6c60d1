package server

import (
	"context"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/handler"
	"github.com/99designs/gqlgen/graphql/handler/extension"
	"github.com/99designs/gqlgen/graphql/handler/transport"

	"rollcall/internal/server/limit"
	"rollcall/internal/server/sse"
	"rollcall/internal/server/ws"
)

// documentCacheBytes bounds the text of the parsed documents that are kept.
const documentCacheBytes = 4 << 20

// Options are what a [Handler] needs besides the schema.
type Options struct {
	// Present turns an error into what the client sees of it.
	Present graphql.ErrorPresenterFunc
	// Recover turns a panic into an error.
	Recover   graphql.RecoverFunc
	WebSocket ws.Config
	SSE       sse.Config
}

// Handler serves GraphQL by all transports.
type Handler struct {
	*handler.Server
	sockets *ws.Transport
	streams *sse.Transport
}

// NewHandler makes the handler of a schema. What else gqlgen is to do is added by its Use.
func NewHandler(schema graphql.ExecutableSchema, o Options) *Handler {
	h := &Handler{Server: handler.New(schema), sockets: ws.New(o.WebSocket), streams: sse.New(o.SSE)}
	h.AddTransport(h.sockets)
	h.AddTransport(h.streams)
	h.AddTransport(transport.Options{})
	h.AddTransport(transport.GET{}) // queries only
	h.AddTransport(transport.POST{})

	h.SetQueryCache(newDocuments(documentCacheBytes))
	h.SetParserTokenLimit(limit.DocumentTokens)
	h.SetErrorPresenter(o.Present)
	h.SetRecoverFunc(o.Recover)
	h.Use(extension.Introspection{})
	h.Use(selections{})
	h.AroundOperations(refuseAnonymous(o.Present))
	return h
}

// Sockets is how many WebSockets are open.
func (h *Handler) Sockets() int { return h.sockets.Sockets() }

// Shutdown ends all streams and closes all WebSockets, which an http.Server's Shutdown knows nothing of. It
// returns when the WebSockets are closed, or with the error of ctx.
func (h *Handler) Shutdown(ctx context.Context) error {
	h.streams.Shutdown()
	return h.sockets.Shutdown(ctx)
}
