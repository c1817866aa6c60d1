// Package sse serves GraphQL over server-sent events, by the distinct connections mode of the GraphQL over SSE
// protocol (https://github.com/enisdenjo/graphql-sse/blob/master/PROTOCOL.md): one request, one operation, one
// stream of `next` events that `complete` ends. A stream without `complete` has been cut, and its client comes
// back.
package sse

import (
	"cmp"
	"context"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"rollcall/internal/auth"
	"rollcall/internal/server/execution"
	"rollcall/internal/server/refusal"
	"rollcall/internal/server/request"
)

// Config configures a [Transport]. Zero fields take the default that their comment names.
type Config struct {
	// CommentInterval is how often a comment is sent, since proxies cut streams that say nothing: 10 s.
	CommentInterval time.Duration
	// WriteTimeout is how long one event may take to be written: 5 s.
	WriteTimeout time.Duration
}

// Transport serves POST and GET requests that accept text/event-stream.
type Transport struct {
	cfg  Config
	down chan struct{} // closed on shutdown
	once sync.Once
}

var _ graphql.Transport = (*Transport)(nil)

// New makes a transport.
func New(cfg Config) *Transport {
	cfg.CommentInterval = cmp.Or(cfg.CommentInterval, 10*time.Second)
	cfg.WriteTimeout = cmp.Or(cfg.WriteTimeout, 5*time.Second)
	return &Transport{cfg: cfg, down: make(chan struct{})}
}

// Shutdown ends all streams, and any that is opened from now on, without `complete`. It does not wait for them:
// the http.Server's Shutdown does.
func (t *Transport) Shutdown() { t.once.Do(func() { close(t.down) }) }

// Supports says whether r asks for a stream.
func (t *Transport) Supports(r *http.Request) bool {
	return (r.Method == http.MethodPost || r.Method == http.MethodGet) &&
		strings.Contains(r.Header.Get("Accept"), "text/event-stream")
}

// Do serves one stream. It ends when the operation, the caller's token or the server does, when the client has
// gone, or when an event could not be written in time.
func (t *Transport) Do(w http.ResponseWriter, r *http.Request, exec graphql.GraphExecutor) {
	asked, rejection := request.Read(w, r)
	if rejection != nil {
		rejection.Answer(w, r, exec)
		return
	}
	op, refused := execution.Prepare(r.Context(), exec, asked.Params)
	if op != nil {
		if rejection = asked.Check(op); rejection != nil {
			rejection.Answer(w, r, exec)
			return
		}
	}

	ctx, cancel := untilExpiry(r.Context())
	defer cancel()
	if ctx.Err() != nil && r.Context().Err() == nil { // within the authenticator's leeway
		request.ExpiredToken().Answer(w, r, exec)
		return
	}
	s := newStream(w, t.cfg.WriteTimeout)
	defer s.release()
	if s.open() != nil {
		return
	}
	var comments sync.WaitGroup
	defer comments.Wait() // the response may not be written to once Do has returned
	defer cancel()
	comments.Go(func() {
		defer cancel()
		s.comment(ctx, t.cfg.CommentInterval, t.down)
	})

	if len(refused) == 0 {
		refused = run(ctx, exec, op, s)
	}
	if len(refused) > 0 && s.next(refusal.Encode(refused)) != nil {
		return
	}
	if ctx.Err() == nil {
		_ = s.complete() // the stream ends either way
	}
}

// run executes an operation and writes its answers. What it returns, the client is still to be told.
func run(ctx context.Context, exec graphql.GraphExecutor, op *graphql.OperationContext, s *stream) gqlerror.List {
	notified := make(chan struct{}, 1)
	sub, responses, failure := execution.Start(ctx, exec, op, func() {
		select {
		case notified <- struct{}{}:
		default:
		}
	})
	if len(failure) > 0 {
		return failure
	}
	if sub == nil {
		return execution.Drain(ctx, op, responses, s.next)
	}
	for {
		events, ended := take(sub)
		cut := len(events) > 0 && s.write(events) != nil
		if cut || ended {
			return nil
		}
		if len(events) > 0 {
			continue // there may be more
		}
		select {
		case <-notified:
		case <-ctx.Done():
			return nil
		}
	}
}

// writeAt is how many bytes of events are gathered for one write.
const writeAt = 16 << 10

// take is the events that a subscription has now, to be written at once.
func take(sub *execution.Subscription) (events []byte, ended bool) {
	for len(events) < writeAt {
		payload, ended := sub.Take()
		if payload == nil || ended {
			return appendNext(events, payload), ended
		}
		events = appendNext(events, payload)
	}
	return events, false
}

// untilExpiry is ctx until the caller's token expires.
func untilExpiry(ctx context.Context) (context.Context, context.CancelFunc) {
	if caller, err := auth.FromContext(ctx); err == nil && !caller.ExpiresAt.IsZero() {
		return context.WithDeadline(ctx, caller.ExpiresAt)
	}
	return context.WithCancel(ctx)
}
