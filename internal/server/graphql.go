package server

import (
	"context"
	"errors"
	"net/http"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/handler/extension"
	"github.com/99designs/gqlgen/graphql/handler/transport"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"rollcall/internal/server/limit"
	"rollcall/internal/server/operation"
	"rollcall/internal/server/refusal"
	"rollcall/internal/server/sse"
	"rollcall/internal/server/unary"
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
	*operation.Executor
	sockets *ws.Transport
	streams *sse.Transport
	others  unary.Transport
}

var _ http.Handler = (*Handler)(nil)

// NewHandler makes the handler of a schema. What else gqlgen is to do is added by its Use.
func NewHandler(schema graphql.ExecutableSchema, o Options) *Handler {
	exec := operation.NewExecutor(schema, operation.Options{
		Documents: newDocuments(documentCacheBytes), Tokens: limit.DocumentTokens, Present: o.Present, Recover: o.Recover,
	})
	h := &Handler{Executor: exec, sockets: ws.New(o.WebSocket), streams: sse.New(o.SSE)}
	h.Use(extension.Introspection{})
	h.Use(extension.AutomaticPersistedQuery{Cache: newPersisted(persistedBytes)})
	h.Use(selections{})
	h.AroundOperations(refuseAnonymous(o.Present))
	return h
}

// ServeHTTP serves a request by the transport that it asks for. A panic where gqlgen does not guard is an INTERNAL error.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	defer func() {
		if panicked := recover(); panicked != nil {
			told, _ := errors.AsType[*gqlerror.Error](h.PresentRecoveredError(r.Context(), panicked))
			refusal.Write(w, http.StatusInternalServerError, told)
		}
	}()
	for _, t := range [...]graphql.Transport{h.sockets, h.streams, h.others, transport.Options{}} {
		if t.Supports(r) {
			t.Do(w, r, h.Executor)
			return
		}
	}
}

// Sockets is how many WebSockets are open.
func (h *Handler) Sockets() int { return h.sockets.Sockets() }

// Shutdown ends all streams and closes all WebSockets, which an http.Server's Shutdown knows nothing of. It
// returns when the WebSockets are closed, or with the error of ctx.
func (h *Handler) Shutdown(ctx context.Context) error {
	h.streams.Shutdown()
	return h.sockets.Shutdown(ctx)
}
