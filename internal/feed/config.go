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
	// QueueBatches and QueueEvents bound what waits for one subscriber: 512
	// batches, which is two and a half seconds of windows, and 16384 events.
	// Unnarrowed subscribers share the events, so that a full queue
	// costs each of them 4 kB.
	QueueBatches, QueueEvents int
	// DeltaEvents is the most events in one delta: 2048.
	DeltaEvents int
	// ResumeEvents bounds the events held for all resuming subscribers
	// together: 1,000,000, about 150 MB.
	ResumeEvents int64
}

func (c Config) withDefaults() Config {
	c.Window = cmp.Or(c.Window, 5*time.Millisecond)
	c.QueueBatches = cmp.Or(c.QueueBatches, 512)
	c.QueueEvents = cmp.Or(c.QueueEvents, 16384)
	// A batch has to fit into an empty queue.
	c.DeltaEvents = min(cmp.Or(c.DeltaEvents, 2048), c.QueueEvents)
	c.ResumeEvents = cmp.Or(c.ResumeEvents, 1_000_000)
	return c
}
