package server

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/handler/extension"
	"github.com/99designs/gqlgen/graphql/handler/transport"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"rollcall/internal/server/document"
	"rollcall/internal/server/operation"
	"rollcall/internal/server/refusal"
	"rollcall/internal/server/shed"
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

	// Weigh is what fields cost; nil: 1 each.
	Weigh document.Weigh
	// Charge takes an operation's cost from what its caller may cost, or refuses it; nil takes none.
	Charge func(ctx context.Context, cost int) error
	// Introspection lets callers ask for the schema.
	Introspection bool
	// Suggestions has errors name what was perhaps meant.
	Suggestions bool
	// Gate refuses operations while the node is overloaded, those last that Beats names; nil refuses none.
	Gate  *shed.Gate
	Beats func(op *graphql.OperationContext) bool
	// Only is the documents that alone are executed; nil: all are.
	Only *Manifest
}

func (o Options) bounds() bounds {
	b := bounds{weigh: o.Weigh, introspection: o.Introspection, charge: o.Charge}
	if b.weigh == nil {
		b.weigh = func(*ast.Field, map[string]any, int) (own, times, below int) { return 1, 1, 0 }
	}
	if b.charge == nil {
		b.charge = func(context.Context, int) error { return nil }
	}
	return b
}

// Handler serves GraphQL by all transports.
type Handler struct {
	*operation.Executor
	sockets *ws.Transport
	streams *sse.Transport
	others  unary.Transport
}

var _ http.Handler = (*Handler)(nil)

// NewHandler makes the handler of a schema. What else gqlgen is to do is added by its Use. A document of the list that is not
// valid is an error.
func NewHandler(schema graphql.ExecutableSchema, o Options) (*Handler, error) {
	reader := document.NewReader(schema.Schema(), newDocuments(documentCacheBytes), o.Suggestions)
	exec := operation.NewExecutor(schema, operation.Options{Documents: reader, Present: o.Present, Recover: o.Recover})
	h := &Handler{Executor: exec, sockets: ws.New(o.WebSocket), streams: sse.New(o.SSE)}
	if o.Only == nil {
		h.Use(extension.AutomaticPersistedQuery{Cache: newPersisted(persistedBytes)})
	} else {
		if err := o.Only.checkAll(reader.Check); err != nil {
			return nil, fmt.Errorf("manifest: %w", err)
		}
		h.Use(o.Only)
	}
	if o.Gate != nil {
		h.Use(queriesLast{gate: o.Gate, beats: o.Beats})
	}
	h.Use(o.bounds())
	h.AroundOperations(refuseAnonymous(o.Present))
	return h, nil
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
