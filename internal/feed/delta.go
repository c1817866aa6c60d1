// Package feed brings the store's events to subscribers: one reader per shard
// and node, any number of bounded subscribers.
//
//	reader per shard ─┐
//	reader per shard ─┼─▶ window ─▶ batch ─▶ index ─▶ queue per subscriber ─▶ Delta
//	reader per shard ─┘
//
// A batch is shared by all subscribers who asked for the same. The
// hub never waits for a subscriber: one whose queue is full loses its place and
// is told so.
package feed

import (
	"rollcall/internal/live"
	"rollcall/internal/presence"
)

// Delta is what a subscriber is told at once: the events of a short window, of
// each user in the order in which they happened. Deltas of several subscribers
// may share Events and Position; nobody changes them.
type Delta struct {
	Events []presence.Event
	// Position resumes after this delta.
	Position presence.Position
	// Reset says that events may be missing before Position: whatever is kept
	// of the list must be read afresh. Such a delta carries no events.
	Reset bool

	memo *live.Memo // of the batch that it tells as it is; nil if it is one subscriber's own
}

var _ live.Item = (*Delta)(nil)

// Share is what create makes of the delta, once for all who are told the same one. See
// [live.Item].
func (d *Delta) Share(key string, create func() []byte, notify func()) ([]byte, bool) {
	if d.memo == nil {
		d.memo = new(live.Memo)
	}
	return d.memo.Share(key, create, notify)
}

// Options say what a subscriber wants to hear.
type Options struct {
	// Users narrows the events to those of these users; nil is everybody.
	Users []string
	// Since resumes after a position; nil begins now.
	Since presence.Position
	// Notify is called when there may be something to Poll for, by whoever brings it: it
	// must return at once, and not call the subscription. Nil: see [Subscription.Wake].
	Notify func()
}

// batch is what subscribers are told at a time. It is shared and never changed, but
// for what has been made of it.
type batch struct {
	events []presence.Event
	after  presence.Position
	memo   live.Memo
}
