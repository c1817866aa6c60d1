package execution

import (
	"bytes"
	"context"
	"sync/atomic"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"rollcall/internal/live"
	"rollcall/internal/server/response"
	"rollcall/internal/server/share"
)

// Subscription is a running subscription whose answers its transport takes when it can
// write them. Take is for one goroutine at a time.
type Subscription struct {
	source   live.Source
	key      live.Key
	item     live.Item     // whose answer is being made; nil: none is
	answer   func() []byte // of the item
	awaited  atomic.Bool   // the answer is, so it is no use to ask for it again
	made     func()        // is called when it is there
	onlyNews bool
	ended    bool
	last     []byte      // the answer before
	over     func() bool // whether it was ended from outside
}

// Responses is an operation's next response, nil after the last.
type Responses func() *graphql.Response

// Start begins an operation. If its resolver takes the offer of a source it is a
// subscription, which ends with ctx; notify is then called when there may be an answer to take.
// If not, sub is nil, and responses has the answers. A panic outside of the resolvers is a failure.
func Start(
	ctx context.Context, exec graphql.GraphExecutor, op *graphql.OperationContext, notify func(),
) (sub *Subscription, responses Responses, failure gqlerror.List) {
	defer func() {
		if r := recover(); r != nil {
			failure = recovered(ctx, op, r)
		}
	}()
	offer := &live.Offer{Notify: notify}
	next, answerCtx := exec.DispatchOperation(live.WithOffer(ctx, offer), op)
	accepted := offer.Accepted()
	if accepted == nil {
		return nil, func() *graphql.Response { return next(answerCtx) }, nil
	}
	context.AfterFunc(ctx, accepted.Source.Close)
	answers := share.Context(ctx, accepted.Scope)
	s := newSubscription(accepted, share.SubscriptionKey(op, accepted.Scope), notify)
	s.over = func() bool { return ctx.Err() != nil }
	s.answer = func() []byte { return answer(answers, exec, op, s.item) } // which stays until there is one
	return s, nil, nil
}

func newSubscription(accepted *live.Subscription, key live.Key, notify func()) *Subscription {
	s := &Subscription{source: accepted.Source, onlyNews: accepted.OnlyNews, key: key}
	s.made = func() {
		s.awaited.Store(false)
		notify()
	}
	return s
}

// Take is the next answer as JSON, nil if there is none now. It does not wait. Sockets may
// share the answer: nobody changes it. After the last one, ended is true.
func (s *Subscription) Take() (payload []byte, ended bool) {
	for !s.awaited.Load() {
		if s.item == nil && !s.ended {
			s.item, s.ended = s.next()
		}
		switch {
		case s.ended && s.over(): // which is no end to tell of
			return nil, false
		case s.item == nil:
			return nil, s.ended
		}
		s.awaited.Store(true) // before it can be there
		payload, ok := s.item.Share(s.key, s.answer, s.made)
		if !ok {
			return nil, false
		}
		s.awaited.Store(false)
		s.item = nil
		if s.onlyNews {
			if bytes.Equal(payload, s.last) {
				continue
			}
			s.last = payload
		}
		return payload, s.ended
	}
	return nil, false
}

// next is the source's next item, nil if there is none now; the last one says why it is the last.
func (s *Subscription) next() (item live.Item, last bool) {
	item, err := s.source.Poll()
	if err != nil {
		return live.End{Err: err, Memo: new(live.Memo)}, true
	}
	return item, false
}

// answer executes the operation for one item.
func answer(ctx context.Context, exec graphql.GraphExecutor, op *graphql.OperationContext, item live.Item) (payload []byte) {
	defer func() {
		if r := recover(); r != nil {
			payload = response.Encode(&graphql.Response{Errors: recovered(ctx, op, r)})
		}
	}()
	next, ctx := exec.DispatchOperation(live.WithItem(ctx, item), op)
	return response.Encode(next(ctx))
}
