package servertest

import (
	"context"
	"errors"
	"sync"

	"github.com/99designs/gqlgen/graphql"

	"rollcall/internal/auth"
	"rollcall/internal/live"
)

// News is the source of the fields `news` and `ownNews`, whose answers the transport takes when it can write them.
type News struct {
	mu      sync.Mutex
	readers map[*reader]struct{}
}

var (
	// ErrNewsEnded is what subscribers end with.
	ErrNewsEnded = errors.New("no more news")

	errReaderClosed = errors.New("closed")
)

// Publish tells all subscribers.
func (n *News) Publish(text string) {
	item := &news{text: text} // the same for all
	n.mu.Lock()
	defer n.mu.Unlock()
	for r := range n.readers {
		r.items = append(r.items, item)
		r.notify()
	}
}

// End ends all subscriptions with ErrNewsEnded.
func (n *News) End() {
	n.mu.Lock()
	defer n.mu.Unlock()
	for r := range n.readers {
		r.err = ErrNewsEnded
		r.notify()
	}
}

// Readers is how many subscriptions there are.
func (n *News) Readers() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return len(n.readers)
}

// news is one piece of it.
type news struct {
	live.Memo
	text string
}

// reader is the source of one subscription.
type reader struct {
	from   *News
	notify func()
	items  []*news
	err    error
}

var _ live.Source = (*reader)(nil)

func (n *News) read(notify func()) *reader {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.readers == nil {
		n.readers = make(map[*reader]struct{})
	}
	r := &reader{from: n, notify: notify}
	n.readers[r] = struct{}{}
	return r
}

// Poll implements [live.Source].
func (r *reader) Poll() (live.Item, error) {
	r.from.mu.Lock()
	defer r.from.mu.Unlock()
	if len(r.items) == 0 {
		return nil, r.err
	}
	item := r.items[0]
	r.items = r.items[1:]
	return item, nil
}

// Close implements [live.Source].
func (r *reader) Close() {
	r.from.mu.Lock()
	defer r.from.mu.Unlock()
	r.err = errReaderClosed
	delete(r.from.readers, r)
}

// subscribeToNews accepts the transport's offer, or answers with an item.
func (s *Schema) subscribeToNews(ctx context.Context, field string) graphql.ResponseHandler {
	switch item := live.ItemOf(ctx).(type) {
	case nil:
		scope := ""
		if caller, err := auth.FromContext(ctx); err == nil && field == "ownNews" {
			scope = caller.ID
		}
		offer := live.OfferOf(ctx)
		offer.Accept(live.Subscription{Source: s.News.read(offer.Notify), Scope: scope, OnlyNews: field == "latestNews"})
		return nil
	case live.End:
		graphql.AddError(ctx, item.Err)
		return graphql.OneShot(&graphql.Response{Errors: graphql.GetErrors(ctx)})
	default:
		s.events.Add(1)
		reader := "everybody"
		if caller, err := auth.FromContext(ctx); err == nil && caller.ID != "" {
			reader = caller.ID
		}
		return graphql.OneShot(data(nil, field, item.(*news).text+" for "+reader))
	}
}
