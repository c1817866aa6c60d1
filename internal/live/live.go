// Package live lets the resolver of a subscription give its transport a source to take
// answers from, in place of a channel: the transport takes them when it can write them,
// and an answer that is the same for many is made once.
//
//	transport ──offer──▶ resolver ──source──▶ transport
//	transport: poll the source ──item──▶ resolver ──answer──▶ transport, and all who share the item
package live

import "context"

// Item is what one answer is made of, as its resolver gets it back.
type Item interface {
	// Share is what create makes of the item, once for a key. It does not wait: while
	// there is nothing yet, notify is kept, and called when there is.
	Share(key Key, create func() []byte, notify func()) (made []byte, ok bool)
}

// Source is where the items of one subscription come from.
type Source interface {
	// Poll is the next item, nil if there is none now; it does not wait. After an error
	// there is nothing more to come.
	Poll() (Item, error)
	// Close may be called more than once, by anybody.
	Close()
}

// End is the item of a subscription's last answer, which says why it has ended.
type End struct {
	Err error
	*Memo
}

// Subscription is what a resolver answers an offer with.
type Subscription struct {
	Source Source
	// Scope is whom the answers are for: "" if they are the same for every caller. They
	// are then made as for a stranger.
	Scope string
	// OnlyNews leaves out an answer that is the same as the one before.
	OnlyNews bool
}

// Offer is a transport's offer to take answers from a source.
type Offer struct {
	// Notify must be called when there may be something to poll for, the source's end
	// included. It returns at once.
	Notify func()

	accepted *Subscription
}

// Accept ends the resolver's part: what it returns by other ways is not looked at.
func (o *Offer) Accept(s Subscription) { o.accepted = &s }

// Accepted is what the resolver has accepted the offer with; nil if it hasn't.
func (o *Offer) Accepted() *Subscription { return o.accepted }

type (
	offerKey struct{}
	itemKey  struct{}
)

// WithOffer is ctx with an offer to the resolver that is called with it.
func WithOffer(ctx context.Context, o *Offer) context.Context {
	return context.WithValue(ctx, offerKey{}, o)
}

// OfferOf is the offer of ctx; nil if its transport makes none.
func OfferOf(ctx context.Context) *Offer {
	o, _ := ctx.Value(offerKey{}).(*Offer)
	return o
}

// WithItem is ctx for the resolver that is to answer with an item.
func WithItem(ctx context.Context, item Item) context.Context {
	return context.WithValue(ctx, itemKey{}, item)
}

// ItemOf is the item to answer with; nil where a subscription is to begin.
func ItemOf(ctx context.Context) Item {
	item, _ := ctx.Value(itemKey{}).(Item)
	return item
}
