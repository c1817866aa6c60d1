package feed

import (
	"cmp"
	"time"
)

// Config bounds a hub. A zero field is its default.
type Config struct {
	// Window is how long events are gathered before they are published, and
	// the least time between two reads of a shard that has events: 5 ms.
	Window time.Duration
	// QueueDeltas and QueueEvents bound what waits for one subscriber: 512
	// deltas, which is two and a half seconds of windows, and 16384 events.
	// Subscribers who asked for the same share them.
	QueueDeltas, QueueEvents int
	// DeltaEvents is the most events in one delta: 2048.
	DeltaEvents int
	// ResumeEvents bounds the events held for all resuming subscribers
	// together: 1,000,000, about 150 MB.
	ResumeEvents int64
}

func (c Config) withDefaults() Config {
	c.Window = cmp.Or(c.Window, 5*time.Millisecond)
	c.QueueDeltas = cmp.Or(c.QueueDeltas, 512)
	c.QueueEvents = cmp.Or(c.QueueEvents, 16384)
	// A delta has to fit into an empty queue.
	c.DeltaEvents = min(cmp.Or(c.DeltaEvents, 2048), c.QueueEvents)
	c.ResumeEvents = cmp.Or(c.ResumeEvents, 1_000_000)
	return c
}
