// Package feed brings the store's events to subscribers: one reader per shard
// and node, any number of bounded subscribers.
//
//	reader per shard ─┐
//	reader per shard ─┼─▶ window ─▶ batch ─▶ index ─▶ queue per subscriber ─▶ Delta
//	reader per shard ─┘
//
// A batch is shared by all subscribers that aren't narrowed to some users. The
// hub never waits for a subscriber: one whose queue is full loses its place and
// is told so.
package feed

import "rollcall/internal/presence"

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
}

// Options say what a subscriber wants to hear.
type Options struct {
	// Users narrows the events to those of these users; nil is everybody.
	Users []string
	// Since resumes after a position; nil begins now.
	Since presence.Position
}
