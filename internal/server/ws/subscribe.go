package ws

import (
	"context"
	"encoding/json"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"rollcall/internal/auth"
	"rollcall/internal/presence"
	"rollcall/internal/server/execution"
	"rollcall/internal/server/limit"
	"rollcall/internal/server/request"
)

// subscribe starts the operation that a subscribe message asks for. An error is a reason to close the socket.
func (s *socket) subscribe(ctx context.Context, m message) error {
	params, err := operationParams(m.Payload)
	if err != nil {
		return err
	}
	if s.ops.has(m.ID) {
		return errDuplicateID
	}
	ctx, cancel := context.WithCancel(ctx)
	op := newOperation(&s.ops, m.ID, cancel)
	if err := s.admit(ctx, m); err != nil {
		defer cancel()
		return s.refuse(ctx, op, s.exec.DispatchError(ctx, gqlerror.List{gqlerror.Wrap(err)}).Errors)
	}
	params.ReadTime.Start = graphql.Now()
	params.ReadTime.End = params.ReadTime.Start
	prepared, refusal := execution.Prepare(ctx, s.exec, params)
	if len(refusal) > 0 {
		defer cancel()
		return s.refuse(ctx, op, refusal)
	}
	if err := request.CheckSize(prepared.Operation, len(m.Payload)); err != nil {
		defer cancel()
		return s.refuse(ctx, op, s.exec.DispatchError(ctx, gqlerror.List{gqlerror.Wrap(err)}).Errors)
	}
	// Waits only for goroutines of operations that the client has completed, which are about to end.
	select {
	case s.slots <- struct{}{}:
	case <-ctx.Done():
		cancel()
		return why(ctx)
	}
	s.ops.add(op)
	s.start(ctx, op, prepared)
	return nil
}

// admit says why an operation is not even looked at.
func (s *socket) admit(ctx context.Context, m message) error {
	if _, err := auth.FromContext(ctx); err != nil && len(m.Payload) > limit.Anonymous {
		return err
	}
	if s.ops.count() >= s.cfg.MaxOperations {
		return &presence.RateLimitedError{Message: "too many operations on one connection", RetryAfter: time.Second}
	}
	return nil
}

// start runs an operation in a goroutine of its own. Mutations of one socket run one after the other, in the
// order that they came in.
func (s *socket) start(ctx context.Context, op *operation, prepared *graphql.OperationContext) {
	var earlier <-chan struct{}
	ended := make(chan struct{})
	if prepared.Operation.Operation == ast.Mutation {
		earlier, s.lastMutation = s.lastMutation, ended
	}
	s.running.Go(func() {
		defer func() { <-s.slots }()
		defer close(ended)
		if earlier != nil {
			<-earlier // even if this one has been cancelled: the next one waits for both
		}
		s.run(ctx, op, prepared)
	})
}

// run runs an operation and tells the client of its end, unless it was the client who ended it. A subscription
// whose answers can be taken is left to the outbox.
func (s *socket) run(ctx context.Context, op *operation, prepared *graphql.OperationContext) {
	if ctx.Err() != nil {
		op.cancel()
		return
	}
	sub, responses, failure := execution.Start(ctx, s.exec, prepared, func() { s.out.notify(op) })
	if sub != nil {
		s.out.begin(op, sub)
		return
	}
	defer op.cancel()
	if len(failure) == 0 {
		failure = execution.Drain(ctx, prepared, responses, func(payload []byte) error {
			return s.out.put(ctx, outgoing{op, typeNext, payload})
		})
	}
	if ctx.Err() != nil || !op.finish() {
		return
	}
	// An error here is the end of the connection, which the reader and the outbox see for themselves.
	if len(failure) > 0 {
		_ = s.refuse(ctx, op, failure)
		return
	}
	_ = s.out.put(ctx, outgoing{op: op, kind: typeComplete})
}

// refuse tells the client that an operation has failed. By the protocol that is also its end.
func (s *socket) refuse(ctx context.Context, op *operation, errs gqlerror.List) error {
	payload, err := json.Marshal(errs)
	if err != nil {
		return errInternal
	}
	return s.out.put(ctx, outgoing{op, typeError, payload})
}
