// Package feed brings the store's events to subscribers: one reader per shard
// and node, any number of bounded subscribers.
//
//	reader per shard ─┐
//	reader per shard ─┼─▶ window ─▶ Delta ─▶ index ─▶ queue per subscriber
//	reader per shard ─┘
//
// A delta is shared by all subscribers who asked for the same. The
// hub never waits for a subscriber: one whose queue is full loses its place and
// is told so.
package feed

import (
	"rollcall/internal/live"
	"rollcall/internal/presence"
)

// Delta is what a subscriber is told at once: the events of a short window, of
// each user in the order in which they happened. Many subscribers may have the same
// one: nobody changes it, but for what has been made of it.
type Delta struct {
	Events []presence.Event
	// Position resumes after this delta.
	Position presence.Position
	// Reset says that events may be missing before Position: whatever is kept
	// of the list must be read afresh. Such a delta carries no events.
	Reset bool

	live.Memo // what has been made of it, once for all who are told it
}

var _ live.Item = (*Delta)(nil)

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
